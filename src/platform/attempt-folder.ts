import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** What the supervisor does to the folders of tasks, thousands of times: plain calls, no fsync. */

/**
 * With all that is missing above it. One that is there stays as it is, and the answer is false; a file that an agent put in
 * the way goes.
 */
export function makeFolder(path: string): boolean {
  try {
    return mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined
  } catch (error) {
    if (!['EEXIST', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    clearTheWay(path)
    return mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined
  }
}

/** tasks/<id>/attempts/<n>/tmp: above that nothing is an agent's. */
function clearTheWay(path: string, levels = 4): void {
  if (levels === 0 || standsFolder(path)) return
  clearTheWay(dirname(path), levels - 1)
  rmSync(path, { force: true })
}

function standsFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** A folder that nobody else has written to: whatever stands in its place, nothing usually, is put aside. */
export function makeNewFolder(path: string): void {
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    renameSync(path, `${path}.old-${Date.now()}`)
    mkdirSync(path, { mode: 0o700 })
  }
}

/** Replaces the content of the supervisor's own file. */
export function writePrivate(path: string, content: string): void {
  const fd = openOwn(path, constants.O_TRUNC)
  try {
    writeFileSync(fd, content)
  } finally {
    closeSync(fd)
  }
}

/** Whole lines, all of them or none: what a full disk did not take is appended again. */
export function appendLines(path: string, lines: readonly string[]): void {
  const fd = openOwn(path, constants.O_APPEND)
  const { size } = fstatSync(fd)
  try {
    writeFileSync(fd, `${lines.join('\n')}\n`)
  } catch (error) {
    ftruncateSync(fd, size)
    throw error
  } finally {
    closeSync(fd)
  }
}

/**
 * An agent can put anything in the place of these files, or take their folder away: what is no file is removed, never
 * followed and never waited for, or one agent could hold up all the others.
 */
function openOwn(path: string, how: number): number {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK | how
  try {
    const fd = openSync(path, flags, 0o600)
    if (fstatSync(fd).isFile()) return fd
    closeSync(fd)
  } catch (error) {
    if (!REPLACED.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
  makeFolder(dirname(path))
  rmSync(path, { recursive: true, force: true })
  return openSync(path, flags, 0o600)
}

/** A link, a pipe nobody reads, a folder; no folder to be in, or a file in its place. */
const REPLACED = new Set(['ELOOP', 'ENXIO', 'EISDIR', 'ENOENT', 'ENOTDIR'])

/** At most the last `limit` bytes, links not followed, pipes not waited for; undefined: there is no such file. */
export function readEnd(path: string, limit: number, { from: notBefore = 0 } = {}): string | undefined {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    const { size } = fstatSync(fd)
    const from = Math.max(0, size - limit, Math.min(notBefore, size))
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
    rmSync(path, { recursive: true, force: true })
    symlinkSync(target, path)
  }
}

/** Usually empty, which costs one call. */
export function removeFolder(path: string): void {
  try {
    rmdirSync(path)
  } catch {
    try {
      rmSync(path, { recursive: true, force: true })
    } catch {
      // Read-only trees, as package caches leave them: they stay, and cost nothing but room.
    }
  }
}

export function attemptFolder(taskFolder: string, attempt: number): string {
  return `${taskFolder}/attempts/${attempt}`
}
