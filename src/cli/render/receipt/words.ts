import { plainLine } from '../../../domain/text/plain.ts'
import { cut } from '../width.ts'
import type { Listing } from './fitted.ts'

/** Columns of a text, and of an entry of a list: the JSON of a receipt has the rest. */
export const TEXT = 400
const ENTRY = 160

/** One line of a text that may come from an agent or its programs. */
export function words(text: string, most = ENTRY): string {
  return cut(plainLine(text.slice(0, 20 * most)).trim(), most)
}

export function few(entries: readonly string[], most: number): string[] {
  const left = entries.length - most
  return [...entries.slice(0, most), ...(left > 0 ? [`… ${left} more`] : [])]
}

/** The first entries. `count`: how many there are in all. */
export function list(
  label: string,
  entries: readonly string[],
  { most, count = entries.length, ...more }: { most: number; count?: number } & Pick<Listing, 'style'>,
): Listing {
  const shown = entries.slice(0, most).map((each) => words(each))
  return { label, entries: shown, count, keep: 'first', rest: 'more', least: 1, ...more }
}
