import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { chmod, lstat, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { putOutOfTheWay } from './out-of-the-way.ts'

/** File operations in task folders. The supervisor does thousands of them, so they use plain calls without fsync. */

/**
 * Creates the folder and its missing parents. Returns false if it already exists. Removes a file that an agent put in its
 * place.
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

/** tasks/<id>/attempts/<n>/tmp: agents cannot write above these four levels. */
function clearTheWay(path: string, levels = 4): void {
  if (levels === 0 || isFolder(path)) return
  clearTheWay(dirname(path), levels - 1)
  rmSync(path, { force: true })
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** Creates an empty folder. Renames anything that is already there. */
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

/** Creates a file with mode 0600. Use it only where no reader can see the file before it is complete. */
export function createPrivate(path: string, content: string): void {
  const { fd } = openOwn(path, constants.O_EXCL)
  try {
    writeFileSync(fd, content)
  } finally {
    closeSync(fd)
  }
}

/** Readers see the old content or the new, never a mix. A full disk leaves the old content. */
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

/** Replaces a link instead of following it. Puts a folder aside that an agent put there. */
function putInPlace(next: string, path: string): void {
  try {
    renameSync(next, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error
    putOutOfTheWay(path)
    renameSync(next, path)
  }
}

/**
 * Appends all lines or none, so that the caller can retry after a full disk. A file that an agent made as long as a file can
 * be takes no line: it is put aside.
 */
export function appendLines(path: string, lines: readonly string[]): void {
  const text = `${lines.join('\n')}\n`
  if (isAppended(path, text)) return
  putOutOfTheWay(path)
  isAppended(path, text)
}

/** fleet never writes so much to one file. A file system may allow less, or more than a number can tell. */
const LONGEST = 2 ** 40

/** false: it is too long for more. */
function isAppended(path: string, text: string): boolean {
  const { fd, size } = openOwn(path, constants.O_APPEND)
  try {
    if (size > LONGEST) return false
    writeFileSync(fd, text)
    return true
  } catch (error) {
    ftruncateSync(fd, size)
    if ((error as NodeJS.ErrnoException).code === 'EFBIG') return false
    throw error
  } finally {
    closeSync(fd)
  }
}

/**
 * An agent can replace these files with anything, or remove their folder. Anything that is not a file of its own makes way,
 * and is never followed, opened or waited for: otherwise one agent could block the supervisor and all other agents.
 */
function openOwn(path: string, how: number): { fd: number; size: number } {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK | how
  try {
    if (how === constants.O_EXCL || lstatSync(path, { throwIfNoEntry: false })?.isFile() !== false) {
      const fd = openSync(path, flags, 0o600)
      // Just created, so it is a file.
      if (how === constants.O_EXCL) return { fd, size: 0 }
      const found = fstatSync(fd)
      // By another name it may be a file of the user's.
      if (found.isFile() && found.nlink === 1) return { fd, size: found.size }
      closeSync(fd)
    }
  } catch (error) {
    if (!REPLACED.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
  makeFolder(dirname(path))
  clear(path)
  return { fd: openSync(path, flags | constants.O_EXCL, 0o600), size: 0 }
}

/** A folder may be huge, so it is renamed; the name of anything else is removed. */
function clear(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) putOutOfTheWay(path)
  else rmSync(path, { force: true })
}

/** Respectively: an unexpected entry, a link, a pipe without a reader, a folder, no parent folder, a file as the parent. */
const REPLACED = new Set(['EEXIST', 'ELOOP', 'ENXIO', 'EISDIR', 'ENOENT', 'ENOTDIR'])

/** At most the last `limit` bytes. Does not follow links or wait for pipes. undefined: there is no such file. */
export function readEnd(path: string, limit: number, { from: notBefore = 0 } = {}): string | undefined {
  let fd: number
  try {
    // Opening a device may do anything.
    if (!lstatSync(path).isFile()) return undefined
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    const found = fstatSync(fd)
    if (!found.isFile()) return undefined
    const { size } = found
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
    clear(path)
    symlinkSync(target, path)
  }
}

/**
 * Asynchronous, because an agent may have left many files. Returns before the end if they are too many to wait for. Returns
 * why something of it cannot be removed.
 */
export async function removeFolder(path: string): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), REMOVAL_MS)
  })
  const why = await Promise.race([removed(path), patience])
  clearTimeout(timer)
  return why
}

async function removed(path: string): Promise<string | undefined> {
  try {
    await rm(path, { recursive: true, force: true })
    return undefined
  } catch (error) {
    // Package caches are read-only.
    if (!CLOSED.has((error as NodeJS.ErrnoException).code ?? '')) return (error as Error).message
  }
  await makeWritable(path)
  return await rm(path, { recursive: true, force: true }).then(
    () => undefined,
    (error: Error) => error.message,
  )
}

const CLOSED = new Set(['EACCES', 'EPERM', 'ENOTEMPTY'])

async function makeWritable(folder: string): Promise<void> {
  try {
    const { mode } = await lstat(folder)
    await chmod(folder, mode | 0o700)
    for (const entry of await readdir(folder, { withFileTypes: true }))
      if (entry.isDirectory()) await makeWritable(join(folder, entry.name))
  } catch {
    // The removal says what is wrong.
  }
}

const REMOVAL_MS = 5000

export function attemptFolder(taskFolder: string, attempt: number): string {
  return `${taskFolder}/attempts/${attempt}`
}

/** Cuts a regular file that is longer. Anything else that an agent put there stays, and so does nothing at all. */
export function shorten(path: string, limit: number): void {
  let fd: number
  try {
    if (!lstatSync(path).isFile()) return
    fd = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return
  }
  try {
    const found = fstatSync(fd)
    if (found.isFile() && found.size > limit) ftruncateSync(fd, limit)
  } finally {
    closeSync(fd)
  }
}
