import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineDiff } from '../../../src/domain/text/line-diff.ts'

/** Few different lines, so that many are the same; the last one with or without its end. */
const text = fc
  .tuple(fc.array(fc.constantFrom('', 'a', 'b', 'c', '# d'), { maxLength: 30 }), fc.constantFrom('', '\n'))
  .map(([lines, end]) => lines.join('\n') + end)

const linesOf = (whole: string): string[] => {
  const lines = whole.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : [...lines, '\\ No newline at end of file']
}

test('two texts have no difference exactly if they are the same', () => {
  fc.assert(fc.property(text, text, (a, b) => (lineDiff(a, b).length === 0) === (a === b)))
  expect(lineDiff('a', 'a\n')).toEqual([
    { kind: ' ', text: 'a' },
    { kind: '-', text: '\\ No newline at end of file' },
  ])
})

test('without the removed lines the old text has the lines of the new one without the added lines', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const diff = lineDiff(a, b)
      const without = (whole: string, kind: '-' | '+') => {
        const lines = linesOf(whole)
        for (const each of diff) {
          if (each.kind !== kind) continue
          const at = lines.indexOf(each.text)
          expect(at).not.toBe(-1)
          lines.splice(at, 1)
        }
        return lines.sort()
      }
      expect(without(a, '-')).toEqual(without(b, '+'))
    }),
  )
})

test('each side of a difference stands in its text in this order', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const diff = lineDiff(a, b)
      for (const [whole, other] of [
        [a, '+'],
        [b, '-'],
      ] as const) {
        const lines = linesOf(whole)
        let from = 0
        for (const each of diff.filter(({ kind }) => kind !== other)) {
          const at = lines.indexOf(each.text, from)
          expect(at).not.toBe(-1)
          from = at + 1
        }
      }
    }),
  )
})

test('a line stands in the difference only if one of its two neighbours on either side changed', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const kinds = lineDiff(a, b).map(({ kind }) => kind)
      kinds.forEach((kind, i) => {
        if (kind === ' ') expect(kinds.slice(Math.max(0, i - 2), i + 3).some((each) => each !== ' ')).toBe(true)
      })
    }),
  )
})

test('texts of very many lines are compared in bounded time, and nothing of them is left out', () => {
  const many = (word: string) => `${Array.from({ length: 20_000 }, (_, i) => `${word} ${i}`).join('\n')}\n`
  const diff = lineDiff(many('a'), many('b'))
  expect([diff.filter(({ kind }) => kind === '-').length, diff.filter(({ kind }) => kind === '+').length]).toEqual([
    20_000, 20_000,
  ])
})
