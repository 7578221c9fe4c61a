/** The store's time format: RFC 3339, UTC, whole seconds, as bd keeps it. Equal formats sort as text. */
export function rfc3339(millis: number): string {
  const second = Math.floor(millis / 1000)
  // Many are asked for within one second, and writing one costs as much as a small query.
  if (second !== latest.second) latest = { second, text: `${new Date(millis).toISOString().slice(0, 19)}Z` }
  return latest.text
}

let latest = { second: Number.NaN, text: '' }
