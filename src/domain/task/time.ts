/** The store's time format: RFC 3339, UTC, whole seconds, as bd keeps it. Equal formats sort as text. */
export function rfc3339(millis: number): string {
  const second = Math.floor(millis / 1000)
  // Many are asked for within one second, and writing one costs as much as a small query.
  if (second !== latest.second) latest = { second, text: `${new Date(millis).toISOString().slice(0, 19)}Z` }
  return latest.text
}

let latest = { second: Number.NaN, text: '' }

/** Go's zero time, which bd writes where it has none, so that no moment can be kept as it. */
const NO_TIME = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T23:59:59Z')

/** Whether the format can say it: a year of four digits, and not bd's mark for no time at all. */
export function isStorableTime(millis: number): boolean {
  const second = Math.floor(millis / 1000) * 1000
  return second > NO_TIME && second <= LATEST
}

/** The nearest moment that can be stored. */
export function storableTime(millis: number): number {
  return Math.min(millis, LATEST)
}
