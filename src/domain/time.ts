/** The store's time format: RFC 3339, UTC, whole seconds, as bd keeps it. Equal formats sort as text. */
export function rfc3339(millis: number): string {
  return `${new Date(millis).toISOString().slice(0, 19)}Z`
}
