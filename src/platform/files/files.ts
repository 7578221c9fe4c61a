import { isUtf8 } from 'node:buffer'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AppError } from '../../errors.ts'
import { chanceHex } from '../runtime/chance.ts'
import { foreignHint } from './owner.ts'
import { readRegular } from './regular-file.ts'

/** Readers see the old content or the new, never a mix. A full disk leaves the old content. Mode 0600. */
export function writeFileAtomic(path: string, content: string): void {
  using file = new AtomicFile(path, 0o600)
  file.write(content)
  file.commit()
}

/** The same without fsync, for content that can be regenerated from the store: a power cut may leave the file empty. */
export function writeProjection(path: string, content: string): void {
  using file = new AtomicFile(path, 0o600)
  file.write(content)
  file.commit({ durable: false })
}

/** For a user's file: writes through a link to its target and keeps its permissions. `mode` applies to a new file. */
export function replaceFile(path: string, mode: number): AtomicFile {
  const target = linkTarget(path)
  const file = new AtomicFile(target, mode)
  const existing = statSync(target, { throwIfNoEntry: false })
  if (existing !== undefined) file.chmod(existing.mode & 0o777)
  return file
}

/** An atomic write in parts. Without `commit` nothing remains. */
export class AtomicFile implements Disposable {
  readonly #path: string
  readonly #temporary: string
  #fd: number | undefined
  #inPlace = false

  constructor(path: string, mode: number) {
    this.#path = path
    this.#temporary = `${path}.${chanceHex(8)}.tmp`
    // A rename would replace a device or a pipe.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
      throw new AppError('failed', `${path} is not a file`)
    this.#fd = guarded(path, () => openSync(this.#temporary, 'wx', mode))
    // A private mode is set exactly, whatever the umask. For any other mode the user's umask applies.
    if ((mode & 0o077) === 0) fchmodSync(this.#fd, mode)
  }

  write(text: string): void {
    const fd = this.#fd
    if (fd !== undefined) guarded(this.#path, () => writeFileSync(fd, text))
  }

  /** Ignores the umask. */
  chmod(mode: number): void {
    const fd = this.#fd
    if (fd !== undefined) guarded(this.#path, () => fchmodSync(fd, mode))
  }

  commit({ durable = true } = {}): void {
    const fd = this.#fd
    if (fd === undefined) return
    guarded(this.#path, () => {
      if (durable) fsyncSync(fd)
      this.#close()
      renameSync(this.#temporary, this.#path)
      this.#inPlace = true
    })
  }

  [Symbol.dispose](): void {
    this.#close()
    if (!this.#inPlace) rmSync(this.#temporary, { force: true })
  }

  #close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw explainFile(error, path)
  }
}

/** The text of a file, also through a link; undefined if it does not exist. Throws for anything else than a file. */
export function readText(path: string, { limit = TEXT_LIMIT }: { limit?: number } = {}): string | undefined {
  let bytes: Buffer | undefined
  try {
    bytes = readRegular(path, limit)
  } catch (error) {
    throw explainFile(error, path)
  }
  if (bytes === undefined) return undefined
  if (!isUtf8(bytes))
    throw new AppError('config', `${path} is not UTF-8 text`, { hint: 'save it as UTF-8, or move it away' })
  return bytes.toString('utf8')
}

/** A huge file may stand there. */
const TEXT_LIMIT = 64 << 20

/** Changes whenever the file does; '' if it does not exist. Never throws: a supervisor asks every second. */
export function fileStamp(path: string): string {
  try {
    const file = statSync(path, { throwIfNoEntry: false, bigint: true })
    return file === undefined ? '' : `${file.ino} ${file.size} ${file.mtimeNs} ${file.ctimeNs}`
  } catch (error) {
    // A link to itself, or no permission. Reading it says so.
    return `unreadable ${(error as NodeJS.ErrnoException).code}`
  }
}

/** The path to write to so that a link stays a link, even if its target does not exist yet. */
export function linkTarget(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const link = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
    return link ? resolve(dirname(path), readlinkSync(path)) : path
  }
}

/** Creates an empty file with mode 0600, whatever the umask. Leaves an existing file as it is. */
export function privateFile(path: string): void {
  try {
    const fd = openSync(path, 'wx', 0o600)
    try {
      fchmodSync(fd, 0o600)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw explainFile(error, path)
  }
}

/** Turns a file error into one that a person can act on; returns any other error unchanged. */
export function explainFile(error: unknown, path: string): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new AppError('failed', `${path} could not be written: the disk is full`, {
        hint: 'free some space and run it again',
        cause: error,
      })
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new AppError('failed', `${path} cannot be accessed: ${REASONS[code] ?? code}`, {
        hint: `nothing was changed; ${foreignHint(path) ?? 'check the permissions of the file and its folder'}`,
        cause: error,
      })
    case 'ELOOP':
      return new AppError('failed', `${path} is a link that leads to itself`, {
        hint: 'move it away and run it again',
        cause: error,
      })
    case 'EISDIR':
      return new AppError('failed', `${path} is a directory, not a file`, {
        hint: 'move it away and run it again',
        cause: error,
      })
    case 'ENOENT':
      return new AppError('failed', `${path} cannot be written: its folder does not exist`, {
        hint: 'make the folder first',
        cause: error,
      })
    case 'ENOTDIR':
    case 'EEXIST':
      return new AppError('failed', `${path} cannot be made: a file is in the way`, {
        hint: 'move it away and run it again',
        cause: error,
      })
    default:
      return error
  }
}

export const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
}
