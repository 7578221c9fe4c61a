import { isUtf8 } from 'node:buffer'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
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

/** Readers see the old content or the new, never a part; a full disk leaves the old. Made 0600. */
export function writeFileAtomic(path: string, content: string): void {
  using file = new AtomicFile(path, 0o600)
  file.write(content)
  file.commit()
}

/** The same for what can be written anew from the store: a power cut may leave it empty, and nobody waits for the disk. */
export function writeProjection(path: string, content: string): void {
  using file = new AtomicFile(path, 0o600)
  file.write(content)
  file.commit({ durable: false })
}

/** A file of the user's own: written through a link to its target, with the permissions it has; `mode` is for a new one. */
export function replaceFile(path: string, mode: number): AtomicFile {
  const target = linkTarget(path)
  const file = new AtomicFile(target, mode)
  const existing = statSync(target, { throwIfNoEntry: false })
  if (existing !== undefined) file.chmod(existing.mode & 0o777)
  return file
}

/** The same for content that comes in parts. Without `commit` nothing remains of it. */
export class AtomicFile implements Disposable {
  readonly #path: string
  readonly #temporary: string
  #fd: number | undefined
  #inPlace = false

  constructor(path: string, mode: number) {
    this.#path = path
    this.#temporary = `${path}.${chanceHex(8)}.tmp`
    // A rename would put a file in the place of a device or a pipe.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
      throw new AppError('failed', `${path} is not a file`)
    this.#fd = guarded(path, () => openSync(this.#temporary, 'wx', mode))
    // What is private is exactly so, whatever the umask took away; what others may read is as the user has it.
    if ((mode & 0o077) === 0) fchmodSync(this.#fd, mode)
  }

  write(text: string): void {
    const fd = this.#fd
    if (fd !== undefined) guarded(this.#path, () => writeFileSync(fd, text))
  }

  /** Exactly these, whatever the umask. */
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

/** The text of a file, or undefined where there is none. */
export function readText(path: string): string | undefined {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw explainFile(error, path)
  }
  if (!isUtf8(bytes))
    throw new AppError('config', `${path} is not UTF-8 text`, { hint: 'save it as UTF-8, or move it away' })
  return bytes.toString('utf8')
}

/** Changes whenever the file does; '' where there is none. */
export function fileStamp(path: string): string {
  const file = statSync(path, { throwIfNoEntry: false, bigint: true })
  return file === undefined ? '' : `${file.ino} ${file.size} ${file.mtimeNs} ${file.ctimeNs}`
}

/** Where a write must go so that a link stays a link, also one whose target is not there yet. */
export function linkTarget(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const link = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
    return link ? resolve(dirname(path), readlinkSync(path)) : path
  }
}

/** An empty file for its owner alone, whatever the umask; one that is there stays as it is. */
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

/** What a person can act on; anything else goes on as it is. */
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
        hint: 'nothing was changed; check the permissions of the file and its folder',
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

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
}
