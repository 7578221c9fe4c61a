import { fstatSync } from 'node:fs'
import type { WriteStream } from 'node:tty'

/** Linux's device number for memory devices, including /dev/null. */
const MEMORY = 1

/** Loading node:tty takes five milliseconds, so it is loaded only for a character device that could be a terminal. */
function isatty(fd: number): boolean {
  try {
    const file = fstatSync(fd)
    const memory = process.platform === 'linux' && file.rdev >> 8 === MEMORY
    return file.isCharacterDevice() && !memory && process.getBuiltinModule('node:tty').isatty(fd)
  } catch {
    return false // closed
  }
}

/** Which output streams are terminals. */
export function terminals(): { out: boolean; err: boolean } {
  return { out: isatty(1), err: isatty(2) }
}

/** Whether a person types standard input, and so needs to know how to end it. */
export function isTyped(): boolean {
  return isatty(0)
}

export interface Terminal {
  readonly columns: number
  readonly rows: number
  readonly colour: boolean
}

/** The current terminal on stdout; undefined: stdout is a file or a pipe. */
export function terminal(env: NodeJS.ProcessEnv): Terminal | undefined {
  if (!isatty(1)) return undefined
  const colour = (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
  // Not `columns`: that is the size at the last SIGWINCH.
  const [columns, rows] = (process.stdout as WriteStream).getWindowSize?.() ?? []
  // A terminal that does not know its size reports 0.
  return { columns: columns || 80, rows: rows || 24, colour }
}
