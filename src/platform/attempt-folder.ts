import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'

/** What the supervisor does to the folders of tasks, thousands of times: plain calls, no fsync. */

/** With all that is missing above it. One that is there stays as it is. */
export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
}

/** For a folder that agents cannot write to; what others could replace is written by writeFileAtomic. */
export function writePrivate(path: string, content: string): void {
  writeFileSync(path, content, { mode: 0o600, flush: false })
}

/** Whole lines. A line that a crash left half is ended first. */
export function appendLines(path: string, lines: readonly string[]): void {
  appendFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 })
}

/** At most the last `limit` bytes, links not followed, pipes not waited for; undefined: there is no such file. */
export function readEnd(path: string, limit: number): string | undefined {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    const { size } = fstatSync(fd)
    const from = Math.max(0, size - limit)
    const bytes = Buffer.alloc(size - from)
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, from))
  } catch {
    return undefined
  } finally {
    closeSync(fd)
  }
}

export function linkTo(target: string, path: string): void {
  try {
    symlinkSync(target, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    unlinkSync(path)
    symlinkSync(target, path)
  }
}

/** Usually empty, which costs one call. */
export function removeFolder(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    rmSync(path, { recursive: true, force: true })
  }
}

export function attemptFolder(taskFolder: string, attempt: number): string {
  return `${taskFolder}/attempts/${attempt}`
}
