import { moment } from '../../domain/text/moment.ts'
import type { Key } from '../../platform/terminal/keys.ts'
import type { Line } from './painted.ts'
import type { PictureLine } from './sections.ts'
import { cut } from './width.ts'

/** The part of a picture that a terminal shows, under a line with the time and the totals. */
export interface Window {
  /** The first line of the picture that is shown. */
  readonly top: number
  readonly help: boolean
}

export const AT_TOP: Window = { top: 0, help: false }

export interface Size {
  readonly rows: number
  readonly columns: number
}

/** The window after a key; undefined: the key ends the picture. */
export function pressed(
  window: Window,
  key: Key,
  { lines, rows }: { lines: number; rows: number },
): Window | undefined {
  if (key === 'q' || (key === 'escape' && !window.help)) return undefined
  if (key === '?') return { ...window, help: !window.help }
  if (window.help) return { ...window, help: false }
  const room = roomIn(rows)
  const to = MOVES[key]?.({ top: window.top, room, lines })
  return to === undefined ? window : { ...window, top: within(to, { lines, room }) }
}

type Move = (at: { top: number; room: number; lines: number }) => number

const UP: Move = ({ top }) => top - 1
const DOWN: Move = ({ top }) => top + 1
const PAGE_UP: Move = ({ top, room }) => top - room
const PAGE_DOWN: Move = ({ top, room }) => top + room
const FIRST: Move = () => 0
const LAST: Move = ({ lines }) => lines

const MOVES: Readonly<Partial<Record<Key, Move>>> = {
  k: UP,
  up: UP,
  j: DOWN,
  down: DOWN,
  b: PAGE_UP,
  'page-up': PAGE_UP,
  ' ': PAGE_DOWN,
  'page-down': PAGE_DOWN,
  g: FIRST,
  home: FIRST,
  G: LAST,
  end: LAST,
}

export interface Showing extends Size {
  readonly now: number
  /** Whether keys reach the program. */
  readonly keys: boolean
}

/** One frame: never taller or wider than the terminal. A taller one would scroll, and the next one would not cover it. */
export function windowLines(picture: readonly PictureLine[], window: Window, showing: Showing): Line[] {
  const { rows, columns } = showing
  const room = roomIn(rows)
  const top = within(window.top, { lines: picture.length, room })
  const seen = picture.slice(top, top + room)
  const body = window.help
    ? HELP.slice(0, room).map((text) => [{ text: cut(text, columns) }])
    : seen.map(({ line }) => line)
  const head: Line = [{ text: cut(headOf(picture, seen, showing), columns), style: 'dim' }]
  return [head, ...body].slice(0, Math.max(1, rows - 1))
}

/** `14:02:11  27 of 40 shown  ? keys  q quit` */
function headOf(picture: readonly PictureLine[], seen: readonly PictureLine[], { now, keys }: Showing): string {
  const count = (lines: readonly PictureLine[]): number => lines.filter(({ isRow }) => isRow).length
  const unread = picture.some(({ more }) => more === true) ? '+' : ''
  return [
    moment(now, now),
    `${count(seen)} of ${count(picture)}${unread} shown`,
    ...(keys ? ['? keys', 'q quit'] : []),
  ].join('  ')
}

const HELP = [
  'j, down     one line down',
  'k, up       one line up',
  'PgDn, space one page down',
  'PgUp, b     one page up',
  'g, Home     the first line',
  'G, End      the last line',
  '?           these keys',
  'q           quit',
]

/** The rows below the head; the last row of a terminal stays free. */
function roomIn(rows: number): number {
  return Math.max(1, rows - 2)
}

function within(top: number, { lines, room }: { lines: number; room: number }): number {
  return Math.max(0, Math.min(top, lines - room))
}
