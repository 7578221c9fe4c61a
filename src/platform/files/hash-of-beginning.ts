import { createHash, hash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

const PORTION = 1 << 20

/** These errors are the agent's doing, not the machine's. */
const NOT_THERE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO'])

export function sha256Of(text: string): string {
  return hash('sha256', text)
}

/**
 * sha256 of the first bytes of a file, in hex; undefined: the file is shorter, missing, unreadable or not a file.
 * Asynchronous, because it may be a gigabyte. Throws the machine's own errors, such as too many open files.
 */
export async function hashOfBeginning(path: string, bytes: number): Promise<string | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    if (!(await file.stat()).isFile()) return undefined
    const hash = createHash('sha256')
    const buffer = Buffer.allocUnsafe(Math.min(PORTION, bytes))
    for (let at = 0; at < bytes; ) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, bytes - at), at)
      if (bytesRead === 0) return undefined
      hash.update(buffer.subarray(0, bytesRead))
      at += bytesRead
    }
    return hash.digest('hex')
  } catch (error) {
    if (NOT_THERE.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
