import { hash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync } from 'node:fs'

export interface Content {
  readonly size: number
  /** Mode, size and hash. Independent of the file's times. */
  readonly stamp: string
}

/**
 * The content at a path; undefined: nothing, more than `most` bytes, or not readable. Synchronous, because opening thousands
 * of files asynchronously costs ten times as much. A caller that reads many must yield in between.
 */
export function contentAt(path: string, most: number): Content | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.isSymbolicLink()) return content(found.mode, readlinkSync(path, 'buffer'))
    if (!found?.isFile() || found.size > most) return undefined
    const bytes = bytesOf(path, most)
    return bytes === undefined ? undefined : content(found.mode, bytes)
  } catch {
    return undefined // deleted meanwhile, or not readable
  }
}

/** The bytes of a plain file; undefined: none, more than `most` bytes, or not readable. */
export function fileBytes(path: string, most: number): Buffer | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true ? bytesOf(path, most) : undefined
  } catch {
    return undefined // deleted meanwhile, or not readable
  }
}

/** Whether the content at a path is still that of the stamp, with another mode. */
export function isStillButForMode(stamp: string, path: string): boolean {
  const now = contentAt(path, Number(stamp.split('-')[1]))?.stamp
  return now !== undefined && now !== stamp && withoutMode(now) === withoutMode(stamp)
}

/** The kind of file stays part of it. */
function withoutMode(stamp: string): string {
  const [mode = '', ...rest] = stamp.split('-')
  return [mode.slice(0, -4), ...rest].join('-')
}

/** Whether the content at a path still has this stamp. Reads no more bytes than the stamp's size. */
export function isStill(stamp: string, path: string): boolean {
  return contentAt(path, Number(stamp.split('-')[1]))?.stamp === stamp
}

/** Whether the file at a path, last changed at `time`, differs from its stamp: a time and perhaps, after a space, a content. */
export function isOther(stamp: string, time: string, path: string): boolean {
  const [before, content] = stamp.split(' ')
  return time !== before && (content === undefined || !isStill(content, path))
}

function content(mode: number, bytes: Buffer): Content {
  return { size: bytes.length, stamp: `${mode.toString(8)}-${bytes.length}-${hash('sha1', bytes)}` }
}

/** undefined: the file was replaced, or grew while it was read. */
function bytesOf(path: string, most: number): Buffer | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(file)
    if (!stat.isFile() || stat.size > most) return undefined
    // One extra byte shows whether the file has more than its size said.
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
