import { readFileSync, statSync } from 'node:fs'
import { AppError } from '../../errors.ts'
import { bootId, processEntry, processTable } from './process-table.ts'

/** Something that the table does not show, and what a person can do about it. */
export interface Unseen {
  readonly effect: string
  readonly todo: string
}

export interface TableStanding {
  /** fleet can run no agents here, for this reason. */
  readonly problem?: AppError
  /** The table in use, and its limits. */
  readonly found: string
  readonly unseen?: Unseen
}

/** Whether the processes of this machine can be told apart, and through which table. */
export function processTableStanding(): TableStanding {
  try {
    const { kind } = processTable()
    if (bootId() === '' || processEntry(process.pid) === undefined) throw unreadable()
    if (kind === 'ps') return { found: THROUGH_PS }
    const unseen = hiddenProcesses()
    return { found: 'the process table (/proc) can be read', ...(unseen && { unseen }) }
  } catch (error) {
    if (error instanceof AppError) return { problem: error, found: '' }
    throw error
  }
}

const THROUGH_PS =
  'the process table can be read through ps; what an agent starts without its environment between two looks is not found'

/** With `hidepid`, /proc shows a user its own processes only. undefined: it shows this one all of them. */
export function hiddenProcesses(): Unseen | undefined {
  const isHiding = /^\S+ \/proc proc \S*\bhidepid=(?!0|off)/m.test(mounts())
  return isHiding && !seesOthers() ? HIDDEN : undefined
}

const HIDDEN: Unseen = {
  effect: '/proc hides the processes of other users (hidepid), so what an agent starts with sudo is not seen',
  todo: "mount -o remount,hidepid=0 /proc, or mount it with gid=<a group of fleet's user>",
}

/** Root does, and the members of the group that /proc is mounted with. */
function seesOthers(): boolean {
  const own = process.getuid?.()
  if (own === 0) return true
  return processEntry(FIRST) !== undefined && statSync(`/proc/${FIRST}`, { throwIfNoEntry: false })?.uid !== own
}

/** The first process is nearly always another user's. */
const FIRST = 1

function mounts(): string {
  try {
    return readFileSync('/proc/self/mounts', 'utf8')
  } catch {
    return ''
  }
}

function unreadable(): AppError {
  return new AppError('unsupported', 'the process table does not show this process', {
    hint: 'mount -t proc proc /proc in this container or namespace',
  })
}
