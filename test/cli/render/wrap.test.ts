import fc from 'fast-check'
import { expect, test } from 'vitest'
import { widthOf } from '../../../src/cli/render/width.ts'
import { wrapped } from '../../../src/cli/render/wrap.ts'
import { plainLine } from '../../../src/domain/text/plain.ts'

test('text is broken between words, and keeps its own lines', () => {
  expect(wrapped('It loses things\nat night, and  more', 10)).toEqual(['It loses', 'things', 'at night,', 'and  more'])
})

test('a word wider than the room is broken itself', () => {
  expect(wrapped('a /very/long/path b', 6)).toEqual(['a', '/very/', 'long/p', 'ath b'])
})

test('no line is wider than the room, and no character but blanks is lost', () => {
  const text = fc.string({ unit: 'grapheme' })
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 40 }), (words, width) => {
      const lines = wrapped(words, width)
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width)
      expect(lines.join('').replace(/\s/g, '')).toBe(words.replace(/\s/g, ''))
    }),
  )
})

test('a line of very many blanks, or with them at its end, is wrapped at once', { timeout: 2_000 }, () => {
  const blanks = ' '.repeat(200_000)
  expect(wrapped(blanks, 80)).toEqual([''])
  expect(wrapped(`${'word '.repeat(20)}${blanks}`, 80)).toEqual(['word '.repeat(16).trimEnd(), 'word word word word'])
  expect(plainLine(`a${blanks}b\n${blanks}c`)).toBe(`a${blanks}b c`)
})

test('a word of millions of characters is broken', () => {
  expect(wrapped('x'.repeat(3_000_000), 20)).toHaveLength(150_000)
})
