import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../errors.ts'
import { explainFile } from './files.ts'
import { privateDirectory } from './home.ts'

/**
 * Files in a folder that an agent can write to. A link there could make fleet read or write any file of the user, and a
 * pipe could make it wait forever. Both are refused.
 */

/** The last `limit` bytes; '' if the file does not exist. */
export function readAgentFile(path: string, limit: number): string {
  const opened = openOwn(path, constants.O_RDONLY)
  if (opened === undefined) return ''
  const { fd, size } = opened
  try {
    const bytes = Buffer.alloc(Math.min(size, limit))
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, Math.max(0, size - limit)))
  } finally {
    closeSync(fd)
  }
}

/** Creates the file with mode 0600 if needed. Appends in one write, so that other writers cannot interleave. */
export function appendAgentFile(path: string, text: string): void {
  refuseLinkedFolder(path)
  privateDirectory(dirname(path))
  const opened = openOwn(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT)
  if (opened === undefined) return
  const { fd } = opened
  try {
    writeSync(fd, text)
  } catch (error) {
    throw explainFile(error, path)
  } finally {
    closeSync(fd)
  }
}

/** Changes with every change of the file, because ctime cannot be set. undefined: the file cannot be read. */
export function agentFileStamp(path: string): { readonly text: string; readonly changedAt: number } | undefined {
  try {
    const { dev, ino, size, ctimeMs } = lstatSync(path)
    return { text: `${dev} ${ino} ${size} ${ctimeMs}`, changedAt: ctimeMs }
  } catch {
    return undefined
  }
}

/** When the file was changed, by its inode, and when it says that it was; empty: there is none. */
export function changedTimes(path: string): readonly number[] {
  try {
    const file = lstatSync(path, { throwIfNoEntry: false })
    return file === undefined ? [] : [file.ctimeMs, file.mtimeMs]
  } catch {
    // A folder that an agent shut is a change of this moment.
    return [Date.now()]
  }
}

/** undefined: nothing is there, or the folder is a link and the file is not in the agent's folder. */
export function entryKind(path: string): 'file' | 'no-file' | undefined {
  if (isLink(dirname(path))) return undefined
  const entry = lstatSync(path, { throwIfNoEntry: false })
  return entry === undefined ? undefined : entry.isFile() ? 'file' : 'no-file'
}

/** Renames a file to `aside` with mode 0600, replacing an older one. Deletes anything that is not a file. */
export function putAside(path: string, aside: string): void {
  if (entryKind(path) === undefined) return
  // The agent may have removed write permission from its folder.
  chmodSync(dirname(path), 0o700)
  if (entryKind(path) === 'file') {
    rmSync(aside, { recursive: true, force: true })
    renameSync(path, aside)
    chmodSync(aside, 0o600)
  } else rmSync(path, { recursive: true })
}

function openOwn(path: string, mode: number): { fd: number; size: number } | undefined {
  let fd: number
  try {
    refuseLinkedFolder(path)
    fd = openSync(path, mode | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'ELOOP') throw leftAlone(path, 'it is a link')
    if (code === 'ENXIO') throw leftAlone(path, 'it is a pipe')
    throw explainFile(error, path)
  }
  const found = fstatSync(fd)
  if (found.isFile()) return { fd, size: found.size }
  closeSync(fd)
  throw leftAlone(path, 'it is not a file')
}

function refuseLinkedFolder(path: string): void {
  if (isLink(dirname(path))) throw leftAlone(path, 'its folder is a link')
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

function leftAlone(path: string, why: string): AppError {
  return new AppError('failed', `${path} was left alone: ${why}`, { hint: 'move it away; fleet creates it again' })
}
