import { fstatSync } from 'node:fs'
import type { WriteStream } from 'node:tty'

/** The memory devices of Linux, /dev/null among them. */
const MEMORY = 1

/** node:tty takes five milliseconds to load: it is asked only about what could be a terminal. */
function isatty(fd: number): boolean {
  try {
    const file = fstatSync(fd)
    const memory = process.platform === 'linux' && file.rdev >> 8 === MEMORY
    return file.isCharacterDevice() && !memory && process.getBuiltinModule('node:tty').isatty(fd)
  } catch {
    return false // closed
  }
}

/** Which of the standard streams a person reads directly. */
export function terminals(): { out: boolean; err: boolean } {
  return { out: isatty(1), err: isatty(2) }
}

/** Whether what is read from standard input is typed by a person, who has to know how it ends. */
export function isTyped(): boolean {
  return isatty(0)
}

export interface Terminal {
  readonly columns: number
  readonly rows: number
  readonly colour: boolean
}

/** The terminal on stdout as it is at this moment; undefined: there is none, a file or a program reads. */
export function terminal(env: NodeJS.ProcessEnv): Terminal | undefined {
  if (!isatty(1)) return undefined
  const colour = (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
  // Not `columns`: that is what it was at the last signal of a change.
  const [columns, rows] = (process.stdout as WriteStream).getWindowSize?.() ?? []
  // A terminal that does not know its size says 0.
  return { columns: columns || 80, rows: rows || 24, colour }
}
