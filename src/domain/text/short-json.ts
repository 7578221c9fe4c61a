/**
 * Shortens a JSON object that is too long to be kept, while its bytes pass by: a tool call that writes a file of 20 MB is
 * still a tool call. Texts are cut, and of lists and objects that are very long only the first entries stay; so what
 * names an event remains, wherever it stands in the line. Memory is bounded; the work is one step for each byte.
 */
export class ShortJson {
  readonly #text: number
  readonly #most: number
  #out = Buffer.alloc(0)
  #length = 0
  #state: 'before' | 'value' | 'string' | 'escape' | 'hopeless' = 'before'
  /** The containers around the next byte. */
  #depth = 0
  /** By depth, the length from which on a container gets no more entries: half of the room that was left when it began. */
  readonly #limits: number[]
  /** The container whose further entries are left out, by its depth; 0: none. */
  #skipping = 0
  /** Bytes of the text, number or word so far. */
  #run = 0
  /** The rest of the text is left out. */
  #cut = false

  constructor({ text = TEXT, most = MOST } = {}) {
    this.#text = text
    this.#most = most
    this.#limits = [most]
  }

  feed(bytes: Buffer, start = 0, end = bytes.length): void {
    for (let i = start; i < end && this.#state !== 'hopeless'; i++) {
      if (this.#cut && this.#state === 'string') i = restOfText(bytes, i, end)
      if (i < end) this.#take(bytes[i] as number)
    }
  }

  /** undefined: it was no JSON object, or one without an end. */
  finish(): string | undefined {
    const whole = this.#state === 'value' && this.#depth === 0
    return whole ? this.#out.toString('utf8', 0, this.#length) : undefined
  }

  #take(byte: number): void {
    switch (this.#state) {
      case 'string':
        this.#inText(byte)
        break
      case 'escape':
        this.#state = 'string'
        this.#keep(byte)
        break
      case 'before':
        if (byte === SPACE) break
        this.#state = byte === BRACE_OPEN ? 'value' : 'hopeless'
        this.#outside(byte)
        break
      default:
        if (this.#depth > 0) this.#outside(byte)
        else if (byte > SPACE) this.#state = 'hopeless'
    }
  }

  #inText(byte: number): void {
    if (byte === QUOTE) {
      this.#state = 'value'
      this.#run = 0
      this.#emit(byte)
      return
    }
    if (byte === BACKSLASH) {
      this.#state = 'escape'
      // Never inside an escape.
      this.#cut ||= this.#run + ESCAPE > this.#text
    }
    this.#keep(byte)
  }

  #keep(byte: number): void {
    this.#cut ||= this.#run === this.#text
    if (this.#cut) return
    this.#run++
    this.#emit(byte)
  }

  #outside(byte: number): void {
    switch (byte) {
      case QUOTE:
        this.#state = 'string'
        this.#cut = false
        break
      case BRACE_OPEN:
      case BRACKET_OPEN:
        if (++this.#depth > DEEPEST) this.#state = 'hopeless'
        this.#limits[this.#depth] = (this.#length + (this.#limits[this.#depth - 1] ?? 0)) / 2
        break
      case BRACE_CLOSE:
      case BRACKET_CLOSE:
        if (this.#skipping === this.#depth) this.#skipping = 0
        this.#depth--
        break
      case COMMA:
        if (this.#skipping === 0 && this.#length > (this.#limits[this.#depth] ?? 0)) this.#skipping = this.#depth
        break
      default:
        if (this.#skipping === 0 && ++this.#run > LONGEST_WORD) this.#state = 'hopeless'
        this.#emit(byte)
        return
    }
    this.#run = 0
    this.#emit(byte)
  }

  #emit(byte: number): void {
    if (this.#skipping > 0) return
    // Only what is no JSON gets so long.
    if (this.#length === 2 * this.#most) this.#state = 'hopeless'
    if (this.#length === this.#out.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(SMALL, 2 * this.#length))
      this.#out.copy(larger, 0, 0, this.#length)
      this.#out = larger
    }
    this.#out[this.#length++] = byte
  }
}

/** Where the text ends, or an escape that the next bytes complete: most of a long line is one text. */
function restOfText(bytes: Buffer, from: number, end: number): number {
  let i = from
  while (i < end && bytes[i] !== QUOTE && !(bytes[i] === BACKSLASH && i + 1 === end))
    i += bytes[i] === BACKSLASH ? 2 : 1
  return Math.min(i, end)
}

/** Bytes of a text that are kept: more than any event shows of it. */
const TEXT = 8192
/** Bytes of all that is kept, about. */
const MOST = 1 << 20
const DEEPEST = 60
/** No number, and no `false` with spaces around it, is longer. */
const LONGEST_WORD = 1000
const SMALL = 4096
/** Of the longest escape, as in `\u0000`. */
const ESCAPE = 6

const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const BRACKET_OPEN = 0x5b
const BACKSLASH = 0x5c
const BRACKET_CLOSE = 0x5d
const BRACE_OPEN = 0x7b
const BRACE_CLOSE = 0x7d
