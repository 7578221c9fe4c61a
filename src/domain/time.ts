/** The store's time format: RFC 3339, UTC, whole seconds, as bd keeps it. Equal formats sort as text. */
export function rfc3339(millis: number): string {
  return `${new Date(millis).toISOString().slice(0, 19)}Z`
}

/** Any RFC 3339 time in the store's format, or undefined if it is none. */
export function normalTime(text: string): string | undefined {
  const millis = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(millis) ? undefined : rfc3339(millis)
}
