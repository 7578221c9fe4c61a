import { fingerprint } from '../../domain/text/fingerprint.ts'

/** Of a long text its two ends and its length tell enough: this runs for the output of every tool. */
const END = 1 << 14

/** A fingerprint of the arguments of a call, or of its result; undefined: there are none. */
export function printOf(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return fingerprint(text.length <= 2 * END ? text : `${text.length} ${text.slice(0, END)}${text.slice(-END)}`)
}
