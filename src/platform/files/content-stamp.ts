import { hash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync } from 'node:fs'

export interface Content {
  readonly size: number
  /** Mode, size and hash: what stands there and who may run it, whatever its times say. */
  readonly stamp: string
}

/**
 * What stands at a path; undefined: nothing, more than `most` bytes, or not ours to read. Synchronous, because opening
 * files by the thousand costs ten times as much otherwise: whoever asks for many lets others go on in between.
 */
export function contentAt(path: string, most: number): Content | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.isSymbolicLink()) return content(found.mode, readlinkSync(path, 'buffer'))
    if (!found?.isFile() || found.size > most) return undefined
    const bytes = bytesOf(path, most)
    return bytes === undefined ? undefined : content(found.mode, bytes)
  } catch {
    return undefined // gone meanwhile, or not ours to read
  }
}

/** Whether the same stands at a path as when its stamp was taken. No more is read of it than was read then. */
export function isStill(stamp: string, path: string): boolean {
  return contentAt(path, Number(stamp.split('-')[1]))?.stamp === stamp
}

function content(mode: number, bytes: Buffer): Content {
  return { size: bytes.length, stamp: `${mode.toString(8)}-${bytes.length}-${hash('sha1', bytes)}` }
}

/** undefined: something else took the place of the file, or it grew while it was read. */
function bytesOf(path: string, most: number): Buffer | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(file)
    if (!stat.isFile() || stat.size > most) return undefined
    // One byte of room tells its end from more to come.
    const buffer = Buffer.allocUnsafe(stat.size + 1)
    let length = 0
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = readSync(file, buffer, { offset: length })
    }
    return length < buffer.length ? buffer.subarray(0, length) : undefined
  } finally {
    closeSync(file)
  }
}
