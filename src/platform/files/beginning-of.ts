import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/**
 * The beginning of a file that somebody else can replace; undefined: it cannot be read, or is no regular file. Never waits
 * for a pipe, and never reads more than `limit` bytes.
 */
export function beginningOf(path: string, limit: number): string | undefined {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    const { size } = fstatSync(fd)
    if (!fstatSync(fd).isFile()) return undefined
    const bytes = Buffer.alloc(Math.min(size, limit))
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0))
  } catch {
    return undefined
  } finally {
    closeSync(fd)
  }
}
