import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { AppError } from '../../errors.ts'

/** What /proc says of processes. Read into one buffer: a pass over 600 of them takes milliseconds and leaves no garbage. */
const buffer = Buffer.allocUnsafeSlow(1 << 20)

/** In the environment of every process of a run. */
export const MARKER = 'FLEET_RUN_ID'
const MARKER_BYTES = Buffer.from(`${MARKER}=`)

export interface ProcessEntry {
  readonly pid: number
  /** A zombie is not; one whose first thread alone has ended is. */
  readonly alive: boolean
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Ticks since boot. With the pid and the boot it is an identity. */
  readonly startTime: string
  /** Of processor time, its own and that of its children which have ended. */
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

/** The run a process belongs to by its marker; undefined: none, a zombie, or not ours to read. */
export function markerOf(pid: number): string | undefined {
  for (let look = 0, bare = 0; look < LOOKS && bare < BARE; look++) {
    const length = read(`/proc/${pid}/environ`)
    if (length === ABSENT) return undefined
    if (length > 0) return markerIn(buffer.subarray(0, length))
    // In the middle of an exec it shows neither variables nor arguments; arguments alone may be those of after it.
    if (read(`/proc/${pid}/cmdline`) > 0) bare++
    else if (!mayShowMore(pid)) return undefined
  }
  return undefined
}

/** A moment, and no longer: nobody may hold up all the others. */
const LOOKS = 200
/** So often seen with arguments and no variables, it has none. */
const BARE = 3

function mayShowMore(pid: number): boolean {
  const entry = processEntry(pid)
  return entry?.alive === true && entry.parent !== KERNEL && pid !== KERNEL
}

/** The parent of all that are the kernel's own. */
const KERNEL = 2

export function markerIn(environment: Buffer): string | undefined {
  for (let at = environment.indexOf(MARKER_BYTES); at !== -1; at = environment.indexOf(MARKER_BYTES, at + 1)) {
    if (at > 0 && environment[at - 1] !== 0) continue
    const end = environment.indexOf(0, at)
    return environment.toString('utf8', at + MARKER_BYTES.length, end === -1 ? environment.length : end)
  }
  return undefined
}

/** Its command line, as it chose to show it. */
export function argumentsOf(pid: number): string[] {
  return buffer
    .toString('utf8', 0, Math.max(0, read(`/proc/${pid}/cmdline`)))
    .split('\0')
    .slice(0, -1)
}

/** In the kernel's unit, of which every Linux has a hundred a second. */
export const TICK_MS = 10

/** Counted from this process's own start, which the wall clock has no part in. */
export function ageMs(startTime: string): number {
  own ??= Number(processEntry(process.pid)?.startTime)
  return Math.max(0, process.uptime() * 1000 + (own - Number(startTime)) * TICK_MS)
}

let own: number | undefined

let boot: string | undefined

/**
 * Another one after every start of the machine, or of the container that has these pids: its kernel is the host's and goes
 * on, its first process is another.
 */
export function bootId(): string {
  boot ??= `${readBootId()}/${processEntry(1)?.startTime ?? ''}`
  return boot
}

/** Also as fleet wrote it down before it knew of containers. */
export function isThisBoot(id: string): boolean {
  return id === bootId() || id === kernelOf(bootId())
}

/** Whether a process of then may still be there at all. */
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
 * How much of the file is in the buffer now; ABSENT where the process has gone, is somebody else's or the kernel's own.
 * Anything else is thrown: who is out of open files must not take the living for dead.
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
