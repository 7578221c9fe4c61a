import { readFileSync } from 'node:fs'
import { AppError } from '../../errors.ts'
import { bootId, processEntry, processTable } from './process-table.ts'

export interface TableStanding {
  /** fleet can run no agents here, for this reason. */
  readonly problem?: AppError
  /** The table in use, and its limits. */
  readonly found: string
}

/** Whether the processes of this machine can be told apart, and through which table. */
export function processTableStanding(): TableStanding {
  try {
    const { kind } = processTable()
    if (bootId() === '' || processEntry(process.pid) === undefined) throw unreadable()
    return { found: kind === 'proc' ? `the process table (/proc) can be read${hidden()}` : THROUGH_PS }
  } catch (error) {
    if (error instanceof AppError) return { problem: error, found: '' }
    throw error
  }
}

const THROUGH_PS =
  'the process table can be read through ps; what an agent starts without its environment between two looks is not found'

/** With `hidepid`, /proc shows a user its own processes only. */
function hidden(): string {
  return /^\S+ \/proc proc \S*\bhidepid=(?!0|off)/m.test(mounts())
    ? '; it hides the processes of other users (hidepid), so what an agent starts with sudo is not seen'
    : ''
}

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
