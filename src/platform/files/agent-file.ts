import { isUtf8 } from 'node:buffer'
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isAgentsDoing } from '../../domain/run/damage.ts'
import { AppError } from '../../errors.ts'
import { explainFile } from './files.ts'
import { putOutOfTheWay } from './out-of-the-way.ts'
import { type Opened, openRegular } from './regular-file.ts'

/**
 * Files in a folder that an agent can write to. A link there could make fleet read or write any file of the user, a pipe
 * could make it wait forever, opening a device may do anything, and a file may be of any size. All of them are refused.
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

/** The same; undefined: there is nothing to read, whatever an agent put there. Throws only the machine's own errors. */
export function readIfFile(path: string, limit: number): string | undefined {
  try {
    return readAgentFile(path, limit) || undefined
  } catch (error) {
    if (error instanceof AppError || isAgentsDoing((error as NodeJS.ErrnoException).code)) return undefined
    throw error
  }
}

/** The whole text of a file; undefined: it does not exist. Refuses one of more than `limit` bytes. */
export function readAgentText(path: string, limit: number): string | undefined {
  const opened = openOwn(path, constants.O_RDONLY)
  if (opened === undefined) return undefined
  const { fd, size } = opened
  try {
    if (size > limit) {
      throw new AppError('failed', `${path} has ${size} bytes, and at most ${limit} are read`, {
        hint: 'look at it with a pager, such as less',
      })
    }
    const bytes = Buffer.alloc(size)
    const read = bytes.subarray(0, readSync(fd, bytes, 0, size, 0))
    if (isUtf8(read)) return read.toString('utf8')
    throw new AppError('config', `${path} is not UTF-8 text`, { hint: 'save it as UTF-8, or move it away' })
  } finally {
    closeSync(fd)
  }
}

/** Creates the file with mode 0600 if needed. Appends in one write, so that other writers cannot interleave. */
export function appendAgentFile(path: string, text: string): void {
  const folder = openFolder(path)
  try {
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT
    const opened = openOwn(path, flags, heldPath(folder, path))
    if (opened === undefined) return
    try {
      writeSync(opened.fd, text)
    } catch (error) {
      throw explainFile(error, path)
    } finally {
      closeSync(opened.fd)
    }
  } finally {
    closeSync(folder)
  }
}

/**
 * The folder of a file, made if needed, and with mode 0700. An agent may put a link in its place at any moment: then another
 * folder would be restricted, and written to.
 */
function openFolder(path: string): number {
  const folder = dirname(path)
  const open = (): number => openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    refuseLinkedFolder(path)
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder, { recursive: true, mode: 0o700 })
    const fd = open()
    if ((fstatSync(fd).mode & 0o077) !== 0) fchmodSync(fd, 0o700)
    return fd
  } catch (error) {
    throw explainFile(error, path)
  }
}

/** Another path of the file, through the open folder, whatever is in its place now; undefined: not on this system (macOS). */
function heldPath(folder: number, path: string): string | undefined {
  const held = `/proc/self/fd/${folder}`
  return existsSync(held) ? join(held, basename(path)) : undefined
}

export interface AgentFileStamp {
  /** Changes with every change of the file, because ctime cannot be set. */
  readonly text: string
  readonly changedAt: number
  readonly isFile: boolean
  readonly size: number
  /** An agent can set it. */
  readonly writtenAt: number
}

/** undefined: nothing is there, or it cannot be looked at. */
export function agentFileStamp(path: string): AgentFileStamp | undefined {
  try {
    const found = lstatSync(path)
    const { dev, ino, size, ctimeMs, mtimeMs } = found
    const text = `${dev} ${ino} ${size} ${ctimeMs}`
    return { text, changedAt: ctimeMs, isFile: found.isFile(), size, writtenAt: mtimeMs }
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

/** undefined: nothing is there, it cannot be looked at, or its folder is a link and so not the agent's. */
export function entryKind(path: string): 'file' | 'no-file' | undefined {
  try {
    if (isLink(dirname(path))) return undefined
    const entry = lstatSync(path, { throwIfNoEntry: false })
    return entry === undefined ? undefined : entry.isFile() ? 'file' : 'no-file'
  } catch (error) {
    if (isAgentsDoing((error as NodeJS.ErrnoException).code)) return undefined
    throw error
  }
}

/** Renames a file to `aside` with mode 0600, replacing an older one. Anything that is not a file only makes way. */
export function putAside(path: string, aside: string): void {
  if (entryKind(path) === undefined) return
  // The agent may have removed write permission from its folder.
  chmodSync(dirname(path), 0o700)
  if (entryKind(path) === 'file') {
    if (entryKind(aside) === 'no-file') putOutOfTheWay(aside)
    renameSync(path, aside)
    // By another name it may be a file of the user's.
    if (lstatSync(aside).nlink === 1) chmodSync(aside, 0o600)
  } else putOutOfTheWay(path)
}

function openOwn(path: string, flags: number, through?: string): Opened | undefined {
  try {
    refuseLinkedFolder(path)
    return openRegular(path, { flags, links: 'refuse', hint: MOVE_AWAY, through })
  } catch (error) {
    throw explainFile(error, path)
  }
}

const MOVE_AWAY = 'move it away; fleet creates it again'

function refuseLinkedFolder(path: string): void {
  if (isLink(dirname(path))) throw leftAlone(path, 'its folder is a link')
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  } catch (error) {
    // Below a file there is no link.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false
    throw error
  }
}

function leftAlone(path: string, why: string): AppError {
  return new AppError('failed', `${path} was left alone: ${why}`, { hint: MOVE_AWAY })
}
