import { type Field, fieldLines, known, LABEL } from '../fields.ts'
import type { Line, Style } from '../painted.ts'
import { cut, widthOf } from '../width.ts'

/** A list of which some entries stay where there is little room. Each entry is one line. */
export interface Listing {
  readonly label: string
  readonly entries: readonly string[]
  /** How many there are with those that are not among the entries; absent: no others. */
  readonly count?: number
  /** The entries that stay. */
  readonly keep: 'first' | 'last'
  /** The word for the entries that are not shown; absent: nothing tells of them. */
  readonly rest?: 'more' | 'earlier'
  /** How many entries stay however little room there is. */
  readonly least: number
  readonly style?: Style
}

/** A text of which some lines stay where there is little room. */
export interface LongText extends Field {
  readonly least: number
}

/** Parts that depend on how many entries each may have. */
export type Choice = (most: number) => readonly Part[]

export type Part = Field | LongText | Listing | Choice

export interface Page {
  readonly width: number
  /** The lines that it is to have at most. */
  readonly rows: number
}

/** More entries or lines of one part than any page shows. */
const MOST = 12

/** The parts in at most so many lines: the longest are shortened first, none below its least. */
export function fitted(parts: readonly Part[], { width, rows }: Page): Line[] {
  for (let most = MOST; ; most--) {
    const lines = parts.flatMap((part) => partLines(part, { width, most }))
    if (lines.length <= rows || most === 0) return lines
  }
}

function partLines(part: Part, room: { width: number; most: number }): Line[] {
  if (typeof part === 'function') return part(room.most).flatMap((each) => partLines(each, room))
  if ('entries' in part) return listingLines(part, room)
  const lines = fieldLines(part, room.width)
  const shown = 'least' in part ? Math.max(part.least, room.most) : lines.length
  return lines.length <= shown ? lines : [...lines.slice(0, shown - 1), unfinished(lines[shown - 1] ?? [], room.width)]
}

function unfinished(line: Line, width: number): Line {
  const [label = { text: '' }, text = { text: '' }] = line
  return [label, { ...text, text: cut(`${text.text} …`, Math.max(20, width - LABEL)) }]
}

function listingLines(listing: Listing, { width, most }: { width: number; most: number }): Line[] {
  const { label, entries, keep, rest, least, style, count = entries.length } = listing
  const room = Math.max(20, width - LABEL)
  const shown = Math.min(entries.length, Math.max(least, most))
  const kept = keep === 'first' ? entries.slice(0, shown) : entries.slice(entries.length - shown)
  const others = rest === undefined || count <= shown ? [] : [`… ${count - shown} ${rest}`]
  const [only, other] = shown === 1 ? [...kept, ...others] : []
  const all = keep === 'first' ? [...kept, ...others] : [...others, ...kept]
  const lines = only === undefined || other === undefined ? all : [onOneLine(only, other, room)]
  return lines.map((text, i) => [
    { text: (i === 0 && label !== '' ? `${label}:` : '').padEnd(LABEL), style: 'dim' },
    { text: cut(text, room), ...known(style) },
  ])
}

function onOneLine(entry: string, others: string, room: number): string {
  return `${cut(entry, room - widthOf(others) - 3)} (${others})`
}
