import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineSplitter, LONGEST_LINE } from '../../../src/domain/text/lines.ts'

interface Taken {
  readonly line: string | undefined
  readonly offset: number
}

/** Feeds chunks as a reader does: each one overwrites the same buffer. */
function split(chunks: readonly Buffer[], { flush = true, offset = 0 } = {}): Taken[] {
  const taken: Taken[] = []
  const take = (line: string | undefined, at: number): void => void taken.push({ line, offset: at })
  const shared = Buffer.alloc(Math.max(0, ...chunks.map((chunk) => chunk.length)))
  const splitter = new LineSplitter(offset)
  for (const chunk of chunks) {
    chunk.copy(shared)
    splitter.feed(shared.subarray(0, chunk.length), take)
    shared.fill('#')
  }
  if (flush) splitter.flush(take)
  return taken
}

test('lines are whole and have the offset of their first byte, wherever the chunks were cut', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes.map((byte) => (byte % 7 === 0 ? 10 : byte)))),
      fc.array(fc.nat(200), { maxLength: 8 }),
      (bytes, cuts) => {
        const edges = [0, ...cuts.filter((cut) => cut <= bytes.length).sort((a, b) => a - b), bytes.length]
        const chunks = edges.slice(1).map((end, i) => bytes.subarray(edges[i], end))
        expect(split(chunks)).toEqual(wholeLines(bytes))
      },
    ),
  )
})

function wholeLines(bytes: Buffer): Taken[] {
  const lines: Taken[] = []
  let start = 0
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    lines.push({ line: bytes.subarray(start, end).toString(), offset: start })
    start = end + 1
  }
  if (start < bytes.length) lines.push({ line: bytes.subarray(start).toString(), offset: start })
  return lines
}

test('an unfinished line waits for its end, and flush hands it out', () => {
  const chunks = [Buffer.from('one\ntw')]
  expect(split(chunks, { flush: false })).toEqual([{ line: 'one', offset: 0 }])
  expect(split(chunks)).toEqual([
    { line: 'one', offset: 0 },
    { line: 'tw', offset: 4 },
  ])
})

test('only LF ends a line; NUL, CR and U+2028 are text, and invalid UTF-8 is replaced', () => {
  const chunks = [Buffer.from('a\0b\rc\u2028d\n'), Buffer.from([0xff, 0x41, 0x0a])]
  expect(split(chunks)).toEqual([
    { line: 'a\0b\rc\u2028d', offset: 0 },
    { line: '\uFFFDA', offset: 10 },
  ])
})

test('a character split across two chunks stays one character', () => {
  const bytes = Buffer.from('ä€😀\n')
  expect(split(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual([{ line: 'ä€😀', offset: 0 }])
})

test('a reader that starts in the middle of a file counts offsets from there', () => {
  expect(split([Buffer.from('x\ny\n')], { offset: 100 })).toEqual([
    { line: 'x', offset: 100 },
    { line: 'y', offset: 102 },
  ])
})

test('a line of 300 MB is discarded without using memory, and the next line is read as usual', () => {
  const chunk = Buffer.alloc(1 << 20, 'x')
  const taken: Taken[] = []
  const take = (line: string | undefined, offset: number): void => void taken.push({ line, offset })
  const splitter = new LineSplitter()
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < 300; i++) splitter.feed(chunk, take)
  const grown = process.memoryUsage().arrayBuffers - before
  splitter.feed(Buffer.from('\nnext\n'), take)
  expect(taken).toEqual([
    { line: undefined, offset: 0 },
    { line: 'next', offset: 300 * chunk.length + 1 },
  ])
  expect(grown).toBeLessThan(3 * LONGEST_LINE)
})

test('a line of exactly the longest length is kept, one byte more is not', () => {
  const longest = Buffer.alloc(LONGEST_LINE + 2, 'x')
  longest[LONGEST_LINE] = 10
  longest[LONGEST_LINE + 1] = 10
  const [line] = split([longest])
  expect(line?.line?.length).toBe(LONGEST_LINE)
  longest[LONGEST_LINE] = 120
  expect(split([longest])).toEqual([{ line: undefined, offset: 0 }])
  expect(split([longest.subarray(0, 5), longest.subarray(5)])).toEqual([{ line: undefined, offset: 0 }])
})
