/** A line longer than this is not kept: it becomes one marker. */
export const LONGEST_LINE = 16 * 1024 * 1024

/** `offset`: of the line's first byte in its source. undefined instead of a line: it was too long to keep. */
export type TakeLine = (line: string | undefined, offset: number) => void

/**
 * Cuts chunks of bytes into lines. LF only: other breaks, such as U+2028, are legal inside a JSON string. Chunks may
 * share one buffer that is used again: only the rest of an unfinished line is copied. Invalid UTF-8 becomes U+FFFD.
 */
export class LineSplitter {
  /** The unfinished line: its bytes at the beginning of `#rest`, and how many it has; more than LONGEST_LINE: not kept. */
  #rest = Buffer.alloc(0)
  #length = 0
  #offset: number

  constructor(offset = 0) {
    this.#offset = offset
  }

  feed(chunk: Buffer, take: TakeLine): void {
    let start = 0
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      if (this.#length === 0) {
        const offset = this.#offset
        this.#offset += end - start + 1
        take(end - start > LONGEST_LINE ? undefined : chunk.toString('utf8', start, end), offset)
      } else {
        this.#carry(chunk, start, end)
        this.#finish(take, 1)
      }
      start = end + 1
    }
    if (start < chunk.length) this.#carry(chunk, start, chunk.length)
  }

  /** Gives out the half line at the end, if there is one: the source will not grow any more. */
  flush(take: TakeLine): void {
    if (this.#length > 0) this.#finish(take, 0)
  }

  #carry(chunk: Buffer, start: number, end: number): void {
    const length = this.#length + end - start
    if (length > LONGEST_LINE) {
      this.#rest = Buffer.alloc(0)
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
    const line = this.#length > LONGEST_LINE ? undefined : this.#rest.toString('utf8', 0, this.#length)
    const offset = this.#offset
    this.#offset += this.#length + breakLength
    this.#length = 0
    if (this.#rest.length > LARGE) this.#rest = Buffer.alloc(0)
    take(line, offset)
  }
}

const LF = 10
/** Room for a usual rest, and what is not worth keeping for the next one. */
const SMALL = 4096
const LARGE = 256 * 1024
