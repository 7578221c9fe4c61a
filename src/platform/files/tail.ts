import { createHash, type Hash, hash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { explainFile } from './files.ts'

/** One for all files: with a cap per read, ten floods cost ten of these a tick, and nobody else waits longer. */
const buffer = Buffer.allocUnsafeSlow(256 * 1024)

export type TailRead =
  /** `more`: the cap was reached, so there may be more already. */
  | { readonly kind: 'read'; readonly bytes: number; readonly more: boolean }
  /** The file shrank, or another stands in its place: what it says from now on is no evidence. */
  | { readonly kind: 'altered' }

/** A file that grows, read from its first byte. */
export interface Tail extends Disposable {
  /** How much has been read. */
  readonly offset: number
  /** Gives what has come since the last call, at most 256 KB of it. The bytes are valid during the call only. */
  read(take: (bytes: Buffer) => void): TailRead
  /** sha256 of all that was read so far, in hex. */
  hash(): string
  close(): void
}

/** undefined: there is none, or something in the way to it. */
function standingAt(path: string): { ino: number; dev: number } | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** undefined: there is no such file. */
export function openTail(path: string): Tail | undefined {
  const fd = openGrowing(path)
  if (fd === undefined) return undefined
  if (fd === 'altered') return ALTERED
  const { ino, dev } = fstatSync(fd)
  const sum = new GrowingHash()
  let offset = 0
  let altered = false
  let open = true

  const isAltered = (): boolean => {
    const there = standingAt(path)
    return there?.ino !== ino || there.dev !== dev || fstatSync(fd).size < offset
  }
  const close = (): void => {
    if (open) closeSync(fd)
    open = false
  }
  return {
    get offset() {
      return offset
    },
    read(take) {
      const bytes = altered || !open ? 0 : readSync(fd, buffer, 0, buffer.length, offset)
      if (bytes === 0 && open) altered ||= isAltered()
      if (altered) return { kind: 'altered' }
      if (bytes > 0) {
        offset += bytes
        const view = buffer.subarray(0, bytes)
        sum.update(view)
        take(view)
      }
      return { kind: 'read', bytes, more: bytes === buffer.length }
    },
    hash: () => sum.hex(),
    close,
    [Symbol.dispose]: close,
  }
}

/** The agent may have put a pipe or a link in its place: opening must not wait, and not lead elsewhere. */
function openGrowing(path: string): number | 'altered' | undefined {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code !== undefined && IN_THE_WAY.has(code)) return 'altered'
    throw explainFile(error, path)
  }
  if (fstatSync(fd).isFile()) return fd
  closeSync(fd)
  return 'altered'
}

/** A link, a file in place of its folder, or either locked: only the agent did that, and trying again would never end. */
const IN_THE_WAY = new Set(['ELOOP', 'ENOTDIR', 'EACCES'])

/** What was never an output file gives nothing. */
const ALTERED: Tail = {
  offset: 0,
  read: () => ({ kind: 'altered' }),
  hash: () => new GrowingHash().hex(),
  close: () => {},
  [Symbol.dispose]: () => {},
}

/** sha256 of what comes in portions. Most scripts print a line or two, for which one call costs a third of an object. */
class GrowingHash {
  #few = Buffer.alloc(0)
  #many: Hash | undefined

  update(bytes: Buffer): void {
    if (this.#many === undefined && this.#few.length + bytes.length <= FEW) {
      this.#few = Buffer.concat([this.#few, bytes])
      return
    }
    this.#many ??= createHash('sha256').update(this.#few)
    this.#many.update(bytes)
  }

  hex(): string {
    return this.#many?.copy().digest('hex') ?? hash('sha256', this.#few, 'hex')
  }
}

const FEW = 4096
