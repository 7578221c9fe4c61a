import { AppError } from '../../errors.ts'
import { procIsUsable, procTable } from './process-table-proc.ts'
import { INIT, psTable } from './process-table-ps.ts'

/** The environment variable that marks every process of a run. */
export const MARKER = 'FLEET_RUN_ID'

/** The processes of this machine: through /proc where that is usable, otherwise through `ps`. */
export interface ProcessTable {
  readonly kind: 'proc' | 'ps'
  /**
   * undefined: there is no such process. Throws if the table cannot be read: a table that fails must not make living
   * processes look dead. May be a moment old where the table is a snapshot, but never from before the process began.
   */
  entry(pid: number): ProcessEntry | undefined
  /** All processes, including zombies and this one. */
  ids(): number[]
  /**
   * A process of `ids`, as it was when `ids` was read: one that has ended since may have been replaced by a child, which no
   * look has shown yet.
   */
  seen(pid: number): ProcessEntry | undefined
  /** The run that a process's marker names; undefined: no marker, a zombie, or not readable for us. */
  marker(pid: number): string | undefined
  /** Those of the variables that its environment had when its program began; none if that is not readable for us. */
  variables(pid: number, names: readonly string[]): Readonly<Record<string, string>>
  /** The first words of its command line, which the process itself can change, without its environment. */
  command(pid: number): string
  /** Whether its command line has this argument. */
  mentions(pid: number, argument: string): boolean
  /** Later answers are not older than `maxAgeMs`. Nothing to do for a table that is always read afresh. */
  renew(maxAgeMs: number): void
  /** How old the answers of `ids` and `seen` are now, in milliseconds. */
  ageMs(): number
  /** A process has just been started: `ids` must not come from before. */
  outdate(): void
  /** Milliseconds of one unit of a start time. */
  readonly startUnitMs: number
  /** Identifies the boot of the machine, then `/`, then the start of the container; the second part may be empty. */
  bootId(): string
}

export interface ProcessEntry {
  readonly pid: number
  /** False for a zombie; true if only its first thread has ended. */
  readonly alive: boolean
  readonly parent: number
  readonly group: number
  /** Where the machine does not tell sessions by number, the group. */
  readonly session: number
  /** Ticks since boot, or `@` and seconds since 1970 (ps). Pid, start time and boot together identify a process. */
  readonly startTime: string
  /** Processor time of the process and of its ended children. */
  readonly cpuTicks: number
  /** Where its variables lie in its memory; absent: it has none, or that is not ours to see. */
  readonly environment?: string
}

/** For tests and diagnosis. `ps` also means: no launcher and no pid namespace, as on a machine without /proc. */
const VARIABLE = 'FLEET_PROCESS_TABLE'

let chosen: ProcessTable | undefined

export function processTable(): ProcessTable {
  chosen ??= chooseTable()
  return chosen
}

function chooseTable(): ProcessTable {
  const forced = process.env[VARIABLE] ?? ''
  if (!['', 'proc', 'ps'].includes(forced)) {
    throw new AppError('config', `${VARIABLE} is "${forced}", which is no process table`, {
      hint: `unset ${VARIABLE}, or set it to proc or ps`,
    })
  }
  return forced === 'proc' || (forced === '' && procIsUsable()) ? procTable : psTable()
}

/** The table that writes start times of this form: a record may have been made with the other one. */
export function tableOf(startTime: string): ProcessTable {
  const table = processTable()
  if (startTime.startsWith('@') === (table.kind === 'ps')) return table
  if (table.kind === 'ps') return procIsUsable() ? procTable : table
  other ??= psTable()
  return other
}

let other: ProcessTable | undefined

export function processEntry(pid: number): ProcessEntry | undefined {
  return processTable().entry(pid)
}

/**
 * Whether two start times of one pid mean the same process. `ps` computes them from the clock, and is off by a second now
 * and then; no machine uses a pid again that soon.
 */
export function isSameStart(a: string, b: string): boolean {
  if (a === b) return true
  if (!a.startsWith('@') || !b.startsWith('@')) return false
  return Math.abs(Number(a.slice(1)) - Number(b.slice(1))) <= JITTER_S
}

const JITTER_S = 2

/** Linux reports times in ticks of 1/100 s on every architecture. */
export const TICK_MS = 10

/** Relative to the start of this process, so that changes of the wall clock do not matter. */
export function ageMs(startTime: string): number {
  const { entry, startUnitMs } = tableOf(startTime)
  const own = unitsOf(entry(process.pid)?.startTime ?? startTime)
  return Math.max(0, process.uptime() * 1000 + (own - unitsOf(startTime)) * startUnitMs)
}

function unitsOf(startTime: string): number {
  return Number(startTime.replace('@', ''))
}

let boot: string | undefined

/**
 * Changes with every boot of the machine and every start of the container that owns these pids. A restarted container keeps
 * the kernel of its host, but has a new first process.
 */
export function bootId(): string {
  boot ??= processTable().bootId()
  return boot
}

/** Accepts also ids without the container part: older versions recorded none, and hidepid hides it from some users. */
export function isThisBoot(id: string): boolean {
  return isSameBoot(id, bootId())
}

export function isSameBoot(id: string, own: string): boolean {
  const [kernel, container = ''] = id.split('/')
  const [ownKernel, ownContainer = ''] = own.split('/')
  return isSameKernel(kernel, ownKernel) && (container === ownContainer || container === '' || ownContainer === '')
}

/** Whether a process recorded with this id can still be alive at all. */
export function isThisKernel(id: string): boolean {
  return isSameKernel(id.split('/')[0], bootId().split('/')[0])
}

function isSameKernel(a = '', b = ''): boolean {
  if (!a.startsWith(INIT) || !b.startsWith(INIT)) return a === b
  return Math.abs(Number(a.slice(INIT.length)) - Number(b.slice(INIT.length))) <= BOOT_JITTER_S
}

/** No machine boots twice within it. */
const BOOT_JITTER_S = 10
