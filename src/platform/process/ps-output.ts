import type { ProcessEntry } from './process-table.ts'

/**
 * How `ps` is asked, and what it answers: one line per process, pid, parent, group, session, state, start, processor time
 * and command with environment. Every column has a `-o` of its own: for the ps of BSD and macOS, `pid=,ppid=` is one column
 * with an odd title.
 */
const COLUMNS = ['pid', 'ppid', 'pgid', 'sess', 'stat', 'lstart', 'time', 'args']

export interface Dialect {
  /** With the times of ended children, the environment and unlimited width. */
  readonly flags: readonly string[]
  /** Added to show every process. */
  readonly all: string
  /** Whether its column `sess` is the session's number. On macOS and BSD it is an address in the kernel, or 0. */
  readonly hasSessions: boolean
}

const PROCPS: Dialect = { flags: ['Seww'], all: '-A', hasSessions: true }
const MACOS: Dialect = { flags: ['-S', '-E', '-ww'], all: '-A', hasSessions: false }
const BSD: Dialect = { flags: ['-S', '-e', '-ww'], all: '-ax', hasSessions: false }

export function dialectOf(platform: NodeJS.Platform): Dialect {
  return platform === 'linux' ? PROCPS : platform === 'darwin' ? MACOS : BSD
}

/** For all processes, or for one. */
export function psArguments({ flags, all }: Dialect, pid?: number): string[] {
  const which = pid === undefined ? [all] : ['-p', String(pid)]
  return [...flags, ...which, ...COLUMNS.flatMap((column) => ['-o', `${column}=`])]
}

export interface PsRow extends ProcessEntry {
  /** The command line, a space, and the environment as far as `ps` shows it. */
  readonly line: string
}

const ROW = new RegExp(
  [
    String.raw`^\s*(?<pid>\d+)\s+(?<parent>\d+)\s+(?<group>\d+|-)\s+(?<session>\S+)\s+(?<state>[A-Za-z?][^\s]*)\s+`,
    String.raw`(?:\w{3} (?<month>\w{3}) {1,2}(?<day>\d{1,2}) (?<clock>\d\d:\d\d:\d\d) (?<year>\d{4})|-)\s+`,
    String.raw`(?<time>[\d:.-]+)(?: +(?<line>.*))?$`,
  ].join(''),
)
const BEGINS_ROW = /^\s*\d+\s+\d+\s+(?:\d+|-)\s+\S+\s+[A-Z]/

/**
 * Throws for a row that it cannot read: leaving out a process would make it look dead. A line that does not begin like a row
 * belongs to the command before it.
 */
export function parsePs(text: string, { hasSessions }: Pick<Dialect, 'hasSessions'>): Map<number, PsRow> {
  const rows = new Map<number, PsRow>()
  let last: PsRow | undefined
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const fields = ROW.exec(line)?.groups
    if (fields === undefined) {
      if (last === undefined || BEGINS_ROW.test(line)) throw new UnreadableRow(line)
      last = { ...last, line: `${last.line} ${line}` }
    } else last = rowOf(fields, hasSessions)
    rows.set(last.pid, last)
  }
  return rows
}

export class UnreadableRow extends Error {
  constructor(line: string) {
    super(`a line that is no process: ${JSON.stringify(line.slice(0, 100))}`)
  }
}

function rowOf(fields: Record<string, string>, hasSessions: boolean): PsRow {
  const { pid = '', parent = '', group = '', session = '', state = '', time = '', line = '' } = fields
  const ownGroup = group === '-' ? 0 : Number(group)
  return {
    pid: Number(pid),
    // procps shows a zombie with other threads as `Zl`.
    alive: !/^[ZX]/i.test(state) || /^[ZX][^l]*l/i.test(state),
    parent: Number(parent),
    group: ownGroup,
    session: hasSessions && /^\d+$/.test(session) ? Number(session) : ownGroup,
    startTime: startTimeOf(fields),
    cpuTicks: ticksOf(time),
    line,
  }
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `Wed Nov 18 01:22:22 2026`, in the zone UTC, as seconds since 1970. */
function startTimeOf({ month, day, clock = '', year }: Record<string, string | undefined>): string {
  if (month === undefined) return '@0'
  const [hours = 0, minutes = 0, seconds = 0] = clock.split(':').map(Number)
  return `@${Date.UTC(Number(year), MONTHS.indexOf(month), Number(day), hours, minutes, seconds) / 1000}`
}

/** `1-02:03:04`, `02:03:04` or `3:04.05`, as hundredths of a second. */
function ticksOf(time: string): number {
  const [, days = '0', rest = ''] = /^(?:(\d+)-)?(.*)$/.exec(time) ?? []
  const seconds = rest.split(':').reduce((sum, part) => sum * 60 + (Number(part) || 0), 0)
  return Math.round((Number(days) * 86_400 + seconds) * 100)
}

/**
 * The last one on the line, because the environment comes after the arguments. Only spaces separate variables here: a value
 * that contains ` FLEET_RUN_ID=x` cannot be told from the marker, as it can in /proc.
 */
export function markerOnLine(line: string): string | undefined {
  const found = line.lastIndexOf('FLEET_RUN_ID=')
  for (let at = found; at !== -1; at = at === 0 ? -1 : line.lastIndexOf('FLEET_RUN_ID=', at - 1)) {
    if (at > 0 && line[at - 1] !== ' ') continue
    return line.slice(at + 'FLEET_RUN_ID='.length).split(' ', 1)[0]
  }
  return undefined
}

/** The last of each name, as with the marker; a value ends before the next word that looks like a variable. */
export function variablesOnLine(line: string, names: readonly string[]): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const word of line.split(/ (?=[A-Za-z_][A-Za-z0-9_]*=)/)) {
    const at = word.indexOf('=')
    const name = word.slice(0, Math.max(0, at))
    if (names.includes(name)) found[name] = word.slice(at + 1)
  }
  return found
}

/** Cut at the first variable: the environment, which may hold secrets, begins there or later. */
export function commandOnLine(line: string): string {
  return line.split(/(?:^| )[A-Za-z_][A-Za-z0-9_]*=/, 1)[0] ?? ''
}

/** BusyBox names itself, or the few columns it has. */
export function isBusyBox(output: string): boolean {
  return /busybox|bad -o argument|supported arguments:/i.test(output)
}
