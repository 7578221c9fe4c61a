import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Line, painted } from '../../../src/cli/render/painted.ts'
import { type Column, tabbedLines, tableLines } from '../../../src/cli/render/table.ts'
import { cut, pad, widthOf } from '../../../src/cli/render/width.ts'

const character = fc.constantFrom(
  'a',
  '界',
  '한',
  '👍',
  '👩‍👩‍👧',
  '❤️',
  'e\u0301',
  '\u200b',
  'ｆ',
  '\t',
  '\n',
  '\u001b[31m',
  '…',
  '',
)
const text = fc
  .array(fc.oneof(character, fc.string({ unit: 'grapheme', maxLength: 4 })), { maxLength: 30 })
  .map((parts) => parts.join(''))

function textOf(lines: readonly Line[]): string[] {
  return painted(lines, { colour: false }).painted.split('\n').slice(0, -1)
}

describe('the width of a text', () => {
  test.each([
    ['', 0],
    ['plain', 5],
    ['世界', 4],
    ['한국', 4],
    ['👍', 2],
    ['❤️', 2],
    ['🏔️', 2],
    ['e\u0301', 1],
    ['a\u200bb', 2],
    ['ｆｕｌｌ', 8],
  ])('%s takes %d columns', (each, columns) => {
    expect(widthOf(each)).toBe(columns)
  })

  test('a cut text fits, and begins like the original', () => {
    fc.assert(
      fc.property(text, fc.nat(40), (any, width) => {
        const short = cut(any, width)
        expect(widthOf(short)).toBeLessThanOrEqual(width)
        expect(any.startsWith(short.replace(/…$/, ''))).toBe(true)
      }),
    )
  })

  test('a text that fits is not cut', () => {
    fc.assert(
      fc.property(text, (any) => {
        expect(cut(any, widthOf(any))).toBe(any)
      }),
    )
  })

  test('a padded text has the requested width', () => {
    expect([pad('世', 4), pad('a', 3, 'left'), pad('long', 2)]).toEqual(['世  ', '  a', 'long'])
  })
})

interface Row {
  readonly id: string
  readonly title: string
  readonly size: string
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'ID', weight: 3, least: 3, cell: (row) => ({ text: row.id, style: 'bold' }) },
  { title: 'Size', weight: 1, align: 'right', cell: (row) => ({ text: row.size }) },
  { title: 'Title', weight: 2, least: 5, cell: (row) => ({ text: row.title }) },
]

const ROWS: readonly Row[] = [
  { id: 'fleet-a1b', title: 'Fix the cart', size: '12' },
  { id: 'fleet-c', title: '世界 and\nmore', size: '1.5k' },
]

describe('a table', () => {
  test('aligns its columns', () => {
    expect(textOf(tableLines(COLUMNS, ROWS, 80))).toEqual([
      'ID         Size  Title',
      'fleet-a1b    12  Fix the cart',
      'fleet-c    1.5k  世界 and more',
    ])
  })

  test('cuts the columns that may be cut, those with the least weight first', () => {
    expect(textOf(tableLines(COLUMNS, ROWS, 25))).toEqual([
      'ID         Size  Title',
      'fleet-a1b    12  Fix the…',
      'fleet-c    1.5k  世界 an…',
    ])
  })

  test('leaves out columns that do not fit', () => {
    expect(textOf(tableLines(COLUMNS, ROWS, 12))).toEqual(['ID     Title', 'flee…  Fix …', 'flee…  世界…'])
  })

  test('is never wider than the terminal, whatever its content', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ id: text, title: text, size: text })),
        fc.integer({ min: 1, max: 120 }),
        (rows, width) => {
          const lines = textOf(tableLines(COLUMNS, rows, width))
          expect(lines).toHaveLength(rows.length + 1)
          for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('has tabs and uncut values for programs', () => {
    expect(tabbedLines(COLUMNS, ROWS)).toEqual([
      'ID\tSize\tTitle',
      'fleet-a1b\t12\tFix the cart',
      'fleet-c\t1.5k\t世界 and more',
    ])
  })
})

test('colours come only from fleet, never from the text', () => {
  const line: Line = [{ text: 'red \u001b[31malert\u001b[0m', style: 'bold' }, { text: ' calm' }]
  expect(painted([line], { colour: true }).painted).toBe('\u001b[1mred alert\u001b[0m calm\n')
  expect(painted([line], { colour: false }).painted).toBe('red alert calm\n')
})
