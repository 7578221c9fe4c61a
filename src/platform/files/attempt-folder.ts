import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
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

/** A file of the supervisor's own that nobody reads before it is whole. */
export function createPrivate(path: string, content: string): void {
  const { fd } = openOwn(path, constants.O_EXCL)
  try {
    writeFileSync(fd, content)
  } finally {
    closeSync(fd)
  }
}

/** Readers see the old content or the new, never a part; a full disk leaves the old. */
export function replacePrivate(path: string, content: string): void {
  const next = `${path}.new`
  try {
    createPrivate(next, content)
    putInPlace(next, path)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
}

/** A link in that place is replaced, not followed; a folder that an agent put there goes. */
function putInPlace(next: string, path: string): void {
  try {
    renameSync(next, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error
    rmSync(path, { recursive: true, force: true })
    renameSync(next, path)
  }
}

/** Whole lines, all of them or none: what a full disk did not take is appended again. */
export function appendLines(path: string, lines: readonly string[]): void {
  const { fd, size } = openOwn(path, constants.O_APPEND)
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
function openOwn(path: string, how: number): { fd: number; size: number } {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK | how
  try {
    const fd = openSync(path, flags, 0o600)
    // What was made here just now needs no look.
    if (how === constants.O_EXCL) return { fd, size: 0 }
    const found = fstatSync(fd)
    if (found.isFile()) return { fd, size: found.size }
    closeSync(fd)
  } catch (error) {
    if (!REPLACED.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
  makeFolder(dirname(path))
  rmSync(path, { recursive: true, force: true })
  return { fd: openSync(path, flags | constants.O_EXCL, 0o600), size: 0 }
}

/** Anything where there should be nothing; a link, a pipe nobody reads, a folder; no folder to be in, or a file in its place. */
const REPLACED = new Set(['EEXIST', 'ELOOP', 'ENXIO', 'EISDIR', 'ENOENT', 'ENOTDIR'])

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

/** What an agent left may be many files: others go on meanwhile. */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true })
  } catch {
    // Read-only trees, as package caches leave them: they stay, and cost nothing but room.
  }
}

export function attemptFolder(taskFolder: string, attempt: number): string {
  return `${taskFolder}/attempts/${attempt}`
}
