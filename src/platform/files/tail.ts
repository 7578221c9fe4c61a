import { createHash, type Hash, hash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from 'node:fs'
import { isAgentsDoing } from '../../domain/run/damage.ts'
import { explainFile } from './files.ts'

/** Shared by all files. Its size caps each read, so a flood of output delays other runs by at most one buffer per tick. */
const buffer = Buffer.allocUnsafeSlow(256 * 1024)

export type TailRead =
  /** `more`: the read filled the buffer, so there may be unread output. */
  | { readonly kind: 'read'; readonly bytes: number; readonly more: boolean }
  /** The file shrank or was replaced: it is no longer evidence. */
  | { readonly kind: 'altered' }

/** Reads a growing file from its first byte. */
export interface Tail extends Disposable {
  /** Bytes read so far. */
  readonly offset: number
  /** Reads what was added since the last call, at most 256 KB. The bytes are valid only during the callback. */
  read(take: (bytes: Buffer) => void): TailRead
  /** How long the file is now. */
  size(): number
  /** sha256 of all bytes read so far, in hex. */
  hash(): string
  close(): void
}

/** undefined: the path does not exist or cannot be reached. */
function identityAt(path: string): { ino: number; dev: number } | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** `file`: device and inode as they must be; then a missing file is altered, too. undefined: there is no such file. */
export function openTail(path: string, file?: string): Tail | undefined {
  const fd = openGrowing(path)
  if (fd === undefined) return file === undefined ? undefined : ALTERED
  if (fd === 'altered') return ALTERED
  if (file !== undefined && identityOf(fd) !== file) {
    closeSync(fd)
    return ALTERED
  }
  const { ino, dev } = fstatSync(fd)
  const sum = new GrowingHash()
  let offset = 0
  let altered = false
  let open = true

  const isAltered = (): boolean => {
    const current = identityAt(path)
    return current?.ino !== ino || current.dev !== dev || fstatSync(fd).size < offset
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
      // At the end of what there is: the last read of a file must not be the one that is not checked.
      if (bytes < buffer.length && open) altered ||= isAltered()
      if (altered) return { kind: 'altered' }
      if (bytes > 0) {
        offset += bytes
        const view = buffer.subarray(0, bytes)
        sum.update(view)
        take(view)
      }
      return { kind: 'read', bytes, more: bytes === buffer.length }
    },
    size: () => (open ? fstatSync(fd).size : offset),
    hash: () => sum.hex(),
    close,
    [Symbol.dispose]: close,
  }
}

/** As text: an inode can be too large for a number. */
function identityOf(fd: number): string {
  const { dev, ino } = fstatSync(fd, { bigint: true })
  return `${dev}:${ino}`
}

/** The agent may have replaced the file with a pipe, a link or a device: opening must not block, follow or wake it. */
function openGrowing(path: string): number | 'altered' | undefined {
  let fd: number
  try {
    if (lstatSync(path).isFile() === false) return 'altered'
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    // A retry would never succeed.
    if (isAgentsDoing(code)) return 'altered'
    throw explainFile(error, path)
  }
  if (fstatSync(fd).isFile()) return fd
  closeSync(fd)
  return 'altered'
}

/** For a path that was never an output file. */
const ALTERED: Tail = {
  offset: 0,
  read: () => ({ kind: 'altered' }),
  size: () => 0,
  hash: () => new GrowingHash().hex(),
  close: () => {},
  [Symbol.dispose]: () => {},
}

/** Incremental sha256. Most scripts print a line or two; hashing those in one call costs a third of a Hash object. */
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
