import { createHash, hash } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { isAgentsDoing } from '../../domain/run/damage.ts'

const PORTION = 1 << 20

export function sha256Of(text: string): string {
  return hash('sha256', text)
}

/**
 * sha256 of the first bytes of a file, in hex; undefined: the file is shorter, missing, unreadable or not a file.
 * Asynchronous, because it may be a gigabyte. Throws the machine's own errors, such as too many open files.
 */
export async function hashOfBeginning(path: string, bytes: number): Promise<string | undefined> {
  try {
    // Opening a device may do anything.
    if (!(await lstat(path)).isFile()) return undefined
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
    if (isAgentsDoing((error as NodeJS.ErrnoException).code)) return undefined
    throw error
  }
}
