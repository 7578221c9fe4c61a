import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** Compares a file with bytes that come in pieces: whether it is the whole or the beginning of them. */
export class BeginningCheck implements Disposable {
  readonly #fd: number | undefined
  readonly #size: number
  #at = 0
  #isSame = true

  constructor(path: string) {
    this.#fd = opened(path)
    this.#size = this.#fd === undefined ? 0 : fstatSync(this.#fd).size
  }

  take(bytes: Uint8Array): void {
    const length = Math.min(bytes.length, this.#size - this.#at)
    if (this.#fd === undefined || !this.#isSame || length <= 0) return
    const own = Buffer.alloc(length)
    const read = readSync(this.#fd, own, 0, length, this.#at)
    this.#isSame = read === length && own.equals(bytes.subarray(0, length))
    this.#at += length
  }

  /** After all bytes were taken. false: also for what is no file. */
  get isBeginning(): boolean {
    return this.#fd !== undefined && this.#isSame && this.#at === this.#size
  }

  [Symbol.dispose](): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
  }
}

function opened(path: string): number | undefined {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    if (fstatSync(fd).isFile()) return fd
    closeSync(fd)
  } catch {
    // Missing, a link, or not readable.
  }
  return undefined
}
