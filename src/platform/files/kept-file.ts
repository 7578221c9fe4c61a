import { isUtf8 } from 'node:buffer'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { FoundFile } from '../../domain/fleet/home-file.ts'
import { AppError } from '../../errors.ts'
import { explainFile, writeFileAtomic } from './files.ts'
import { isTaken, move, removeAll } from './folder.ts'

const LIMIT = 1 << 20

/**
 * A file that an agent could have replaced: by a pipe that never ends, a device, or a file that fills the memory. Its bytes
 * are read once, so that those that are compared are those that are used. Follows links, which people have.
 */
export function readKeptFile(path: string): FoundFile {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return isTaken(path) ? { problem: 'is a link to nothing' } : { text: null }
    return unreadable(path, error)
  }
  try {
    const file = fstatSync(fd)
    if (file.isDirectory()) {
      const error = Object.assign(new Error('it is a directory'), { code: 'EISDIR' })
      return { ...unreadable(path, error), problem: 'is a directory, not a file' }
    }
    if (!file.isFile()) return { problem: 'is not a file' }
    if (file.size > LIMIT) return { problem: `is larger than ${LIMIT >> 20} MB` }
    const bytes = readUpTo(fd, { limit: LIMIT + 1, expected: file.size })
    if (bytes.length > LIMIT) return { problem: `is larger than ${LIMIT >> 20} MB` }
    return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { problem: 'is not UTF-8 text' }
  } catch (error) {
    return unreadable(path, error)
  } finally {
    closeSync(fd)
  }
}

function unreadable(path: string, error: unknown): FoundFile {
  const { code, message } = error as NodeJS.ErrnoException
  const explained = explainFile(error, path)
  const problem = `cannot be read (${code ?? message})`
  return explained instanceof AppError ? { problem, error: explained } : { problem }
}

/** A file may grow while it is read. */
function readUpTo(fd: number, { limit, expected }: { limit: number; expected: number }): Buffer {
  let bytes = Buffer.allocUnsafe(Math.min(limit, expected + 1))
  for (let length = 0; ; ) {
    const read = readSync(fd, bytes, length, bytes.length - length, null)
    length += read
    if (read === 0 || length === limit) return bytes.subarray(0, length)
    if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(limit, 2 * length))
  }
}

/** Puts the text back, and keeps the changed file under another name. Returns that name; undefined: there was no file. */
export function putBack(path: string, text: string | null, aside: string): string | undefined {
  const isThere = isTaken(path)
  // The link itself may be the change, so it is moved and not written through.
  if (isThere) {
    removeAll(aside)
    move(path, aside)
  }
  if (text !== null) writeFileAtomic(path, text)
  return isThere ? aside : undefined
}
