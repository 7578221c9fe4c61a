import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'

const CHUNK = 1 << 16

/** Spaces, line ends and NUL are no text. */
function isText(byte: number): boolean {
  return byte !== 0 && byte !== 0x20 && !(byte >= 0x09 && byte <= 0x0d)
}

export interface Text {
  readonly hasText: boolean
  /** The bytes that were read to tell that. */
  readonly read: number
}

/**
 * Whether a plain file has at least `least` bytes of text. Reads no further than that, and at most `most` bytes: what has no
 * text so far has none. undefined: there is no plain file, or it cannot be read.
 */
export function textIn(path: string, { least, most }: { least: number; most: number }): Text | undefined {
  let fd: number
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    const { size } = fstatSync(fd)
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, size + 1))
    let found = 0
    let read = 0
    while (read < most) {
      const length = readSync(fd, buffer)
      if (length === 0) break
      read += length
      for (let i = 0; i < length && found < least; i++) if (isText(buffer[i] as number)) found++
      if (found >= least) return { hasText: true, read }
    }
    return { hasText: false, read }
  } catch {
    return undefined
  } finally {
    closeSync(fd)
  }
}
