import { ShortJson } from './short-json.ts'

/** Of longer lines the reader gets a shortened form, or `undefined` if they are no JSON. */
export const LONGEST_LINE = 16 * 1024 * 1024

/** `line` is undefined if it was too long to keep, and no JSON that could be shortened. `offset` is the position of the line's first byte in its source. */
export type TakeLine = (line: string | undefined, offset: number) => void

/**
 * Cuts chunks of bytes into lines. LF only: other breaks, such as U+2028, are legal inside a JSON string. Chunks may
 * share one buffer that the caller reuses: only an unfinished line is copied. Invalid UTF-8 becomes U+FFFD.
 */
export class LineSplitter {
  /** The unfinished line: the first `#length` bytes of `#rest`. Above the longest length `#short` has it instead. */
  #rest = Buffer.alloc(0)
  #length = 0
  #short: ShortJson | undefined
  #offset: number
  readonly #longest: number

  constructor(offset = 0, { longest = LONGEST_LINE } = {}) {
    this.#offset = offset
    this.#longest = longest
  }

  feed(chunk: Buffer, take: TakeLine): void {
    let start = 0
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      if (this.#length === 0) {
        const offset = this.#offset
        this.#offset += end - start + 1
        take(end - start > this.#longest ? shortened(chunk, start, end) : chunk.toString('utf8', start, end), offset)
      } else {
        this.#carry(chunk, start, end)
        this.#finish(take, 1)
      }
      start = end + 1
    }
    if (start < chunk.length) this.#carry(chunk, start, chunk.length)
  }

  /** Hands out an unfinished last line. Call it when the source will not grow any more. */
  flush(take: TakeLine): void {
    if (this.#length > 0) this.#finish(take, 0)
  }

  #carry(chunk: Buffer, start: number, end: number): void {
    const length = this.#length + end - start
    if (length > this.#longest) {
      if (this.#short === undefined) {
        this.#short = new ShortJson()
        this.#short.feed(this.#rest, 0, this.#length)
        this.#rest = Buffer.alloc(0)
      }
      this.#short.feed(chunk, start, end)
    } else {
      if (length > this.#rest.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#rest.length, SMALL))
        this.#rest.copy(larger, 0, 0, this.#length)
        this.#rest = larger
      }
      chunk.copy(this.#rest, this.#length, start, end)
    }
    this.#length = length
  }

  #finish(take: TakeLine, breakLength: number): void {
    const line = this.#length > this.#longest ? this.#short?.finish() : this.#rest.toString('utf8', 0, this.#length)
    this.#short = undefined
    const offset = this.#offset
    this.#offset += this.#length + breakLength
    this.#length = 0
    if (this.#rest.length > LARGE) this.#rest = Buffer.alloc(0)
    take(line, offset)
  }
}

function shortened(chunk: Buffer, start: number, end: number): string | undefined {
  const short = new ShortJson()
  short.feed(chunk, start, end)
  return short.finish()
}

const LF = 10
/** The smallest buffer for an unfinished line; a buffer above LARGE is freed after its line. */
const SMALL = 4096
const LARGE = 256 * 1024
