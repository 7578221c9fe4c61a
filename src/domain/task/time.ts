/** The store's time format: RFC 3339, UTC, whole seconds, as bd keeps it. Equal formats sort as text. */
export function rfc3339(millis: number): string {
  const second = Math.floor(millis / 1000)
  // Cached: callers ask many times per second, and formatting costs as much as a small query.
  if (second !== latest.second) latest = { second, text: `${new Date(millis).toISOString().slice(0, 19)}Z` }
  return latest.text
}

let latest = { second: Number.NaN, text: '' }

/** Go's zero time. bd writes it for "no time", so no real moment may be stored as this value. */
const NO_TIME = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T23:59:59Z')

/** Whether the format can hold this moment: a four-digit year, and not bd's value for "no time". */
export function isStorableTime(millis: number): boolean {
  const second = Math.floor(millis / 1000) * 1000
  return second > NO_TIME && second <= LATEST
}

/** Caps a moment at the latest storable one. */
export function storableTime(millis: number): number {
  return Math.min(millis, LATEST)
}
