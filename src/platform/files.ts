import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { AppError } from '../errors.ts'

/** Readers see the old content or the new, never a part; a full disk leaves the old. Made 0600. */
export function writeFileAtomic(path: string, content: string): void {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`
  try {
    const fd = openSync(temporary, 'wx', 0o600)
    try {
      writeFileSync(fd, content)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw explain(error, path)
  }
}

function explain(error: unknown, path: string): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
      return new AppError('failed', `${path} could not be written: the disk is full`, {
        hint: 'free some space and run it again',
        cause: error,
      })
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new AppError('failed', `${path} cannot be written`, {
        hint: 'check the permissions of its folder',
        cause: error,
      })
    default:
      return error
  }
}
