import { plainLine } from '../../domain/text/plain.ts'
import type { Line, Span } from './painted.ts'
import { cut, pad, widthOf } from './width.ts'

export interface Column<Row> {
  readonly title: string
  /** Where there is no room for all, the lightest column goes first, and the heaviest gets what is left first. */
  readonly weight: number
  /** The narrowest that still says something; absent, as for ids, which people type: it is shown whole or not at all. */
  readonly least?: number
  /** The width up to which it grows before an extra column gets any room. */
  readonly wish?: number
  /** Shown only where all other columns are, and each has its wish. */
  readonly extra?: boolean
  readonly align?: 'left' | 'right'
  cell(row: Row): Span
}

/** A table no wider than the terminal, whatever stands in it. */
export function tableLines<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): Line[] {
  const cells = rows.map((row) => columns.map((column) => safe(column.cell(row))))
  const widths = layout(
    columns.map((column, i) => {
      const natural = Math.max(widthOf(column.title), ...cells.map((line) => widthOf(line[i]?.text ?? '')))
      const least = Math.min(natural, column.least ?? natural)
      const wish = Math.max(least, Math.min(natural, column.wish ?? least))
      return { natural, least, wish, weight: column.weight, extra: column.extra === true }
    }),
    width,
  )
  const shown = columns.flatMap((column, i) => (widths[i] === undefined ? [] : [{ column, i, width: widths[i] }]))
  const line = (spanAt: (i: number) => Span): Line => {
    // No blanks at the end of a line.
    const end = shown.findLastIndex(({ i }) => spanAt(i).text !== '')
    return shown.slice(0, end + 1).flatMap(({ column, i, width: room }, at) => {
      const { text, ...style } = spanAt(i)
      const fitted = cut(text, room)
      const side = column.align === 'right' ? 'left' : 'right'
      const padded = at === end && side === 'right' ? fitted : pad(fitted, room, side)
      return [{ ...style, text: padded }, ...(at === end ? [] : [{ text: GAP }])]
    })
  }
  return [
    line((i) => ({ text: columns[i]?.title ?? '', style: 'dim' })),
    ...cells.map((row) => line((i) => row[i] ?? { text: '' })),
  ]
}

/** The same for programs: tabs between the columns, and nothing cut. */
export function tabbedLines<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[] {
  return [
    columns.map((column) => column.title),
    ...rows.map((row) => columns.map((column) => safe(column.cell(row)).text)),
  ].map((cells) => cells.join('\t'))
}

const GAP = '  '

interface Room {
  readonly natural: number
  readonly least: number
  readonly wish: number
  readonly weight: number
  readonly extra: boolean
}

/** How wide each column becomes; undefined: it is left out. */
function layout(rooms: readonly Room[], width: number): (number | undefined)[] {
  const heaviestFirst = rooms.map((room, i) => ({ ...room, i })).sort((a, b) => b.weight - a.weight || a.i - b.i)
  const core = heaviestFirst.filter(({ extra }) => !extra)
  const widths: (number | undefined)[] = rooms.map(() => undefined)
  let left = width
  const admit = (columns: typeof heaviestFirst): boolean => {
    for (const { i, least } of columns) {
      const isFirst = left === width
      const need = least + (isFirst ? 0 : GAP.length)
      if (need > left) {
        // Of the heaviest, a part is better than nothing.
        if (isFirst) {
          widths[i] = left
          left = 0
        }
        return false
      }
      widths[i] = least
      left -= need
    }
    return true
  }
  const grow = (columns: typeof heaviestFirst, goal: 'wish' | 'natural'): boolean => {
    let met = true
    for (const { i, [goal]: wanted } of columns) {
      const now = widths[i]
      if (now === undefined) continue
      const more = Math.max(0, Math.min(left, wanted - now))
      widths[i] = now + more
      left -= more
      met &&= now + more >= wanted
    }
    return met
  }
  if (admit(core) && grow(core, 'wish')) admit(heaviestFirst.filter(({ extra }) => extra))
  grow(heaviestFirst, 'natural')
  return widths
}

/** Cleaned before it is measured: removed characters take no room. */
function safe(span: Span): Span {
  return { ...span, text: plainLine(span.text) }
}
