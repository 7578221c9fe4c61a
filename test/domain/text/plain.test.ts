import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plain, plainLine, printableJson } from '../../../src/domain/text/plain.ts'

/** What a terminal may obey instead of showing: control characters but tab and newline, and marks that reorder text. */
function hasUnsafe(text: string): boolean {
  return [...text].some((char) => {
    const code = char.codePointAt(0) ?? 0
    if (code === 0x09 || code === 0x0a) return false
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true
    return (
      code === 0x200e || code === 0x200f || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)
    )
  })
}

const piece = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '\u001b',
    '\u001b[',
    '\u001b]',
    '\u009b',
    '31m',
    '2J',
    '0;title',
    '\u0007',
    '\u001b\\',
    '\u009c',
    '\r',
    '\b',
    '\u202e',
    '\u001bP',
    'ordinary',
    ' ',
  ),
)
const text = fc.array(piece).map((pieces) => pieces.join(''))

describe('text made plain', () => {
  test('holds nothing that a terminal would obey', () => {
    fc.assert(
      fc.property(text, (any) => {
        expect(hasUnsafe(plain(any))).toBe(false)
      }),
      { numRuns: 500 },
    )
  })

  test('stays as it is when it was plain before', () => {
    fc.assert(
      fc.property(text, (any) => {
        expect(plain(plain(any))).toBe(plain(any))
      }),
    )
    fc.assert(
      fc.property(
        text.filter((any) => !hasUnsafe(any)),
        (clean) => {
          expect(plain(clean)).toBe(clean)
        },
      ),
    )
  })

  test('loses a whole escape sequence, not only its first character', () => {
    expect(plain('\u001b[31mred\u001b[0m \u001b]0;title\u0007bell \u009b2Jgone')).toBe('red bell gone')
  })

  test('is one line where one line is asked for', () => {
    fc.assert(
      fc.property(text, (any) => {
        expect(plainLine(any)).not.toMatch(/[\n\r\t]/)
      }),
    )
  })
})

describe('printable JSON', () => {
  test('says the same as JSON and holds nothing that a terminal would obey', () => {
    fc.assert(
      fc.property(fc.jsonValue(), text, (value, any) => {
        const printed = printableJson({ value, any }, 2)
        expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify({ value, any })))
        expect(hasUnsafe(printed)).toBe(false)
        expect(printed).not.toMatch(/[<>&\u2028\u2029]/)
      }),
    )
  })
})
