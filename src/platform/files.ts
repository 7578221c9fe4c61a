import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { AppError } from '../errors.ts'

/** Readers see the old content or the new, never a part; a full disk leaves the old. Made 0600. */
export function writeFileAtomic(path: string, content: string): void {
  using file = new AtomicFile(path, 0o600)
  file.write(content)
  file.commit()
}

/** The same for content that comes in parts. Without `commit` nothing remains of it. */
export class AtomicFile implements Disposable {
  readonly #path: string
  readonly #temporary: string
  #fd: number | undefined

  constructor(path: string, mode: number) {
    this.#path = path
    this.#temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`
    // A rename would put a file in the place of a device or a pipe.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
      throw new AppError('failed', `${path} is not a file`)
    this.#fd = guarded(path, () => openSync(this.#temporary, 'wx', mode))
  }

  write(text: string): void {
    const fd = this.#fd
    if (fd !== undefined) guarded(this.#path, () => writeFileSync(fd, text))
  }

  commit(): void {
    const fd = this.#fd
    if (fd === undefined) return
    guarded(this.#path, () => {
      fsyncSync(fd)
      this.#close()
      renameSync(this.#temporary, this.#path)
    })
  }

  [Symbol.dispose](): void {
    this.#close()
    rmSync(this.#temporary, { force: true })
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
    case 'ENOENT':
    case 'ENOTDIR':
      return new AppError('failed', `${path} cannot be written: its folder does not exist`, {
        hint: 'make the folder first',
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
