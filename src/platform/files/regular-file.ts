import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { AppError } from '../../errors.ts'

/**
 * Opens files that somebody else can replace. A pipe or a device in a file's place could make fleet wait for ever, a link
 * could make it read or write any file of the user, and a huge file could take all memory. None of them is opened.
 */
export interface Opened {
  readonly fd: number
  readonly size: number
}

export interface RegularOptions {
  readonly flags: number
  /** `follow`: for files of a person, who may keep them elsewhere. */
  readonly links: 'follow' | 'refuse'
  /** Added to the message if it is refused. */
  readonly hint: string
  /** Another path of the same file, to open it by. */
  readonly through?: string | undefined
}

/** undefined: there is no such file. Errors of the system are thrown as they are. */
export function openRegular(path: string, { flags, links, hint, through = path }: RegularOptions): Opened | undefined {
  const leftAlone = (why: string): AppError => new AppError('failed', `${path} was left alone: ${why}`, { hint })
  let fd: number
  try {
    // Opening a device may already do something.
    const there = (links === 'follow' ? statSync : lstatSync)(through, { throwIfNoEntry: false })
    const isFolder = there?.isDirectory() === true
    if (isFolder && links === 'follow') throw Object.assign(new Error('it is a directory'), { code: 'EISDIR' })
    if (there?.isFile() === false) throw leftAlone(kindOf(there))
    fd = openSync(through, flags | (links === 'refuse' ? constants.O_NOFOLLOW : 0) | constants.O_NONBLOCK, 0o600)
  } catch (error) {
    if (error instanceof AppError) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'ELOOP' && links === 'refuse') throw leftAlone('it is a link')
    if (code === 'ENXIO') throw leftAlone('it is a pipe')
    throw error
  }
  const found = fstatSync(fd)
  // Writing to it would change the file under its other name too.
  const isElsewhere = links === 'refuse' && flags !== constants.O_RDONLY && found.nlink > 1
  // Some file systems have lengths that no number tells, and no position can be computed from.
  const isCountable = Number.isSafeInteger(found.size)
  if (found.isFile() && !isElsewhere && isCountable) return { fd, size: found.size }
  closeSync(fd)
  if (!isCountable) throw leftAlone('it is too long')
  throw leftAlone(isElsewhere ? 'it has another name, and may be a file of yours' : 'it is not a file')
}

function kindOf(found: Stats): string {
  if (found.isSymbolicLink()) return 'it is a link'
  if (found.isDirectory()) return 'it is a directory, not a file'
  return found.isFIFO() ? 'it is a pipe' : 'it is not a file'
}

/** All bytes of a file of at most `limit`. undefined: there is no such file. */
export function readRegular(
  path: string,
  limit: number,
  links: RegularOptions['links'] = 'follow',
): Buffer | undefined {
  const hint = 'move it away, and put a file there'
  const opened = openRegular(path, { flags: constants.O_RDONLY, links, hint })
  if (opened === undefined) return undefined
  const { fd, size } = opened
  try {
    if (size > limit) {
      throw new AppError('failed', `${path} was left alone: it has ${size} bytes, and fleet reads at most ${limit}`, {
        hint,
      })
    }
    // It may grow while it is read.
    const bytes = Buffer.allocUnsafe(size)
    let length = 0
    while (length < size) {
      const read = readSync(fd, bytes, length, size - length, length)
      if (read === 0) break
      length += read
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(fd)
  }
}
