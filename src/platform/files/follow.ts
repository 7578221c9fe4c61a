import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from 'node:fs'
import { AppError } from '../../errors.ts'
import { wait } from '../runtime/wait.ts'
import { explainFile } from './files.ts'
import { openPacked } from './packed.ts'

/**
 * Reads files that other processes write, including agents: in pieces of bounded size, without waiting on a pipe in a
 * file's place.
 */

const PIECE = 65_536
const POLL_MS = 100

export type Take = (bytes: Uint8Array) => void

/** undefined: the file does not exist. */
export function openReading(path: string): Reading | undefined {
  let fd: number
  try {
    // Opening a device may do anything, and a link may lead anywhere.
    if (!lstatSync(path).isFile()) throw notFile(path)
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (error) {
    if (error instanceof AppError) throw error
    if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw explainFile(error, path)
    const packed = openPacked(path)
    if (packed === undefined) return undefined
    fd = packed
  }
  if (fstatSync(fd).isFile()) return new Reading(path, fd)
  closeSync(fd)
  throw notFile(path)
}

function notFile(path: string): AppError {
  return new AppError('failed', `${path} is not a file`, {
    hint: 'something else created it; check what it is before you read it',
  })
}

export class Reading implements Disposable {
  readonly path: string
  readonly #fd: number
  readonly #piece = Buffer.allocUnsafe(PIECE)
  #at = 0

  constructor(path: string, fd: number) {
    this.path = path
    this.#fd = fd
  }

  get size(): number {
    return fstatSync(this.#fd).size
  }

  /**
   * Reads everything not read yet, or about so many bytes of it; returns the number of bytes left. A piece is valid only
   * until the next one. Starts over if the file was truncated.
   */
  drain(take: Take, most = Number.POSITIVE_INFINITY): number {
    if (this.size < this.#at) this.#at = 0
    for (const end = this.#at + most; ; ) {
      if (this.#at >= end) return Math.max(0, this.size - this.#at)
      const length = readSync(this.#fd, this.#piece, 0, PIECE, this.#at)
      if (length === 0) return 0
      this.#at += length
      take(this.#piece.subarray(0, length))
    }
  }

  /** A copy of at most `most` bytes from this offset on. What `drain` reads next stays the same. */
  piece(offset: number, most: number): Buffer {
    const bytes = Buffer.alloc(Math.max(0, Math.min(most, this.size - offset)))
    return bytes.subarray(0, readSync(this.#fd, bytes, 0, bytes.length, offset))
  }

  /** Skips all but the last lines. A last line without a newline counts. */
  skipToLast(lines: number): void {
    let left = lines
    let end = this.size
    let last = true
    while (end > 0) {
      const start = Math.max(0, end - PIECE)
      const piece = this.#piece.subarray(0, readSync(this.#fd, this.#piece, 0, end - start, start))
      for (let i = piece.length - 1; i >= 0; i--) {
        // The newline at the very end terminates the last line.
        if (piece[i] === NEWLINE && !last && --left === 0) {
          this.#at = start + i + 1
          return
        }
        last = false
      }
      end = start
    }
    this.#at = 0
  }

  /** Whether the path now names another file. */
  get isReplaced(): boolean {
    try {
      return statSync(this.path).ino !== fstatSync(this.#fd).ino
    } catch {
      return false // It is gone, or its folder is locked.
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd)
  }
}

const NEWLINE = 0x0a

export interface FollowOptions {
  /** The file to follow now; a later call may name another one: a new attempt, a new day. undefined: none yet. */
  newest(): string | undefined
  take: Take
  /** Called before the first bytes of a file. `first`: the file that existed at the start. */
  opened?(file: Reading, first: boolean): void
  /** true: stop following. */
  ended(): boolean
}

/** Reads what is there and then what is added, file after file, each to its end. */
export async function follow({ newest, take, opened, ended }: FollowOptions): Promise<void> {
  let file: Reading | undefined
  let first = true
  try {
    for (; !ended(); await wait(POLL_MS)) {
      const path = newest()
      if (path !== undefined && (file === undefined || file.path !== path || file.isReplaced)) {
        file?.drain(take)
        file?.[Symbol.dispose]()
        file = openReading(path)
        if (file !== undefined) opened?.(file, first)
      }
      first = false
      file?.drain(take)
    }
  } finally {
    file?.[Symbol.dispose]()
  }
}
