import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { AppError } from '../../errors.ts'
import type { ProcessEntry, ProcessTable } from './process-table.ts'

/** Reads of /proc share one buffer: a pass over 600 processes takes milliseconds and allocates little. */
const buffer = Buffer.allocUnsafeSlow(1 << 20)

const MARKER_BYTES = Buffer.from('FLEET_RUN_ID=')

/** The process table of Linux, read anew at every question. */
export const procTable: ProcessTable = {
  kind: 'proc',
  startUnitMs: 10,
  entry(pid) {
    const length = read(`/proc/${pid}/stat`)
    return length <= 0 ? undefined : parseStat(buffer.toString('latin1', 0, length))
  },
  ids() {
    const pids: number[] = []
    for (const name of readdirSync('/proc')) {
      const first = name.charCodeAt(0)
      if (first >= 0x30 && first <= 0x39) pids.push(Number(name))
    }
    return pids
  },
  seen: (pid) => procTable.entry(pid),
  marker: markerOf,
  variables(pid, names) {
    const environment = environmentOf(pid)
    return environment === undefined ? {} : variablesIn(environment, names)
  },
  command: (pid) => argumentsOf(pid).join(' '),
  mentions: (pid, argument) => argumentsOf(pid).includes(argument),
  renew() {},
  ageMs: () => 0,
  outdate() {},
  bootId: () => `${readBootId()}/${procTable.entry(1)?.startTime ?? ''}`,
}

/** Whether /proc shows this process, and the processes of this pid namespace. */
export function procIsUsable(): boolean {
  try {
    readBootId()
    return parseStat(readFileSync('/proc/self/stat', 'latin1'))?.pid === process.pid
  } catch {
    return false
  }
}

/** `12 (name) S 1 12 12 …`: the name is the process's own choice and may hold spaces, parentheses and line ends. */
export function parseStat(text: string): ProcessEntry | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group, session] = fields
  const startTime = fields[19]
  if (state === undefined || startTime === undefined) return undefined
  const threads = Number(fields[17])
  const [begin = '0', end = '0'] = fields.slice(47, 49)
  return {
    pid: Number.parseInt(text, 10),
    alive: !['Z', 'X', 'x'].includes(state) || threads > 1,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime,
    cpuTicks: fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0),
    ...(begin !== '0' && end !== '0' && { environment: `${begin} ${end}` }),
  }
}

function markerOf(pid: number): string | undefined {
  const environment = environmentOf(pid)
  return environment === undefined ? undefined : markerIn(environment)
}

/** In the shared buffer. */
function environmentOf(pid: number): Buffer | undefined {
  for (let look = 0, bare = 0; look < LOOKS && bare < BARE; look++) {
    const length = read(`/proc/${pid}/environ`)
    if (length === ABSENT) return undefined
    if (length > 0) return buffer.subarray(0, length)
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
  const entry = procTable.entry(pid)
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

/** The first of each name counts, as for getenv. */
function variablesIn(environment: Buffer, names: readonly string[]): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const each of environment.toString('utf8').split('\0')) {
    const at = each.indexOf('=')
    const name = each.slice(0, Math.max(0, at))
    if (names.includes(name)) found[name] ??= each.slice(at + 1)
  }
  return found
}

function argumentsOf(pid: number): string[] {
  return buffer
    .toString('utf8', 0, Math.max(0, read(`/proc/${pid}/cmdline`)))
    .split('\0')
    .slice(0, -1)
}

/** Without its options: `subset=pid` leaves out what tells one boot from another. */
export const MOUNT_PROC = 'mount the whole of /proc (mount -t proc proc /proc)'

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch (error) {
    throw new AppError('unsupported', 'this machine has no usable /proc, so processes of agents cannot be told apart', {
      hint: `${MOUNT_PROC}; the queue and its commands work without`,
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
