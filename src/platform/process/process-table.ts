import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { AppError } from '../../errors.ts'

/** Reads of /proc share one buffer: a pass over 600 processes takes milliseconds and allocates little. */
const buffer = Buffer.allocUnsafeSlow(1 << 20)

/** The environment variable that marks every process of a run. */
export const MARKER = 'FLEET_RUN_ID'
const MARKER_BYTES = Buffer.from(`${MARKER}=`)

export interface ProcessEntry {
  readonly pid: number
  /** False for a zombie; true if only its first thread has ended. */
  readonly alive: boolean
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Ticks since boot. Pid, start time and boot together identify a process. */
  readonly startTime: string
  /** Processor time of the process and of its ended children. */
  readonly cpuTicks: number
}

export function processEntry(pid: number): ProcessEntry | undefined {
  const length = read(`/proc/${pid}/stat`)
  return length <= 0 ? undefined : parseStat(buffer.toString('latin1', 0, length))
}

/** `12 (name) S 1 12 12 …`: the name is the process's own choice and may hold spaces, parentheses and line ends. */
export function parseStat(text: string): ProcessEntry | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group, session] = fields
  const startTime = fields[19]
  if (state === undefined || startTime === undefined) return undefined
  const threads = Number(fields[17])
  return {
    pid: Number.parseInt(text, 10),
    alive: !['Z', 'X', 'x'].includes(state) || threads > 1,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime,
    cpuTicks: fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0),
  }
}

export function processIds(): number[] {
  const pids: number[] = []
  for (const name of readdirSync('/proc')) {
    const first = name.charCodeAt(0)
    if (first >= 0x30 && first <= 0x39) pids.push(Number(name))
  }
  return pids
}

/** The run that a process's marker names; undefined: no marker, a zombie, or not readable for us. */
export function markerOf(pid: number): string | undefined {
  for (let look = 0, bare = 0; look < LOOKS && bare < BARE; look++) {
    const length = read(`/proc/${pid}/environ`)
    if (length === ABSENT) return undefined
    if (length > 0) return markerIn(buffer.subarray(0, length))
    // During an exec a process shows neither variables nor arguments. Arguments may appear before the variables do.
    if (read(`/proc/${pid}/cmdline`) > 0) bare++
    else if (!mayShowMore(pid)) return undefined
  }
  return undefined
}

/** Bounds the retries, so that one process cannot hold up the whole pass. */
const LOOKS = 200
/** After this many reads with arguments but no variables, the process has none. */
const BARE = 3

function mayShowMore(pid: number): boolean {
  const entry = processEntry(pid)
  return entry?.alive === true && entry.parent !== KERNEL && pid !== KERNEL
}

/** The pid of kthreadd, the parent of all kernel threads. */
const KERNEL = 2

export function markerIn(environment: Buffer): string | undefined {
  for (let at = environment.indexOf(MARKER_BYTES); at !== -1; at = environment.indexOf(MARKER_BYTES, at + 1)) {
    if (at > 0 && environment[at - 1] !== 0) continue
    const end = environment.indexOf(0, at)
    return environment.toString('utf8', at + MARKER_BYTES.length, end === -1 ? environment.length : end)
  }
  return undefined
}

/** The command line, which the process itself can change. */
export function argumentsOf(pid: number): string[] {
  return buffer
    .toString('utf8', 0, Math.max(0, read(`/proc/${pid}/cmdline`)))
    .split('\0')
    .slice(0, -1)
}

/** Linux reports times in ticks of 1/100 s on every architecture. */
export const TICK_MS = 10

/** Relative to the start of this process, so that changes of the wall clock do not matter. */
export function ageMs(startTime: string): number {
  own ??= Number(processEntry(process.pid)?.startTime)
  return Math.max(0, process.uptime() * 1000 + (own - Number(startTime)) * TICK_MS)
}

let own: number | undefined

let boot: string | undefined

/**
 * Changes with every boot of the machine and every start of the container that owns these pids. A restarted container keeps
 * the kernel of its host, but has a new first process.
 */
export function bootId(): string {
  boot ??= `${readBootId()}/${processEntry(1)?.startTime ?? ''}`
  return boot
}

/** Accepts also ids that older versions recorded, without the container part. */
export function isThisBoot(id: string): boolean {
  return id === bootId() || id === kernelOf(bootId())
}

/** Whether a process recorded with this id can still be alive at all. */
export function isThisKernel(id: string): boolean {
  return kernelOf(id) === kernelOf(bootId())
}

function kernelOf(id: string): string | undefined {
  return id.split('/')[0]
}

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch (error) {
    throw new AppError('unsupported', 'this machine has no /proc, so processes of agents cannot be told apart', {
      hint: 'run the supervisor on Linux; the queue and its commands work here',
      cause: error,
    })
  }
}

/**
 * Fills the buffer and returns the number of bytes; ABSENT if the process has gone, is another user's or the kernel's.
 * Throws for everything else: running out of file descriptors must not make living processes look dead.
 */
function read(path: string): number {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    return readSync(file, buffer, 0, buffer.length, null)
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code ?? '')) return ABSENT
    throw error
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

const ABSENT = -1
const GONE = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM'])
