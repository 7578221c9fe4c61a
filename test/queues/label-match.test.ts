import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Database } from '../../src/platform/sqlite/database.ts'
import { labelGlob } from '../../src/queues/label-match.ts'

test('a glob matches the same labels as in SQLite', () => {
  using db = new Database(':memory:')
  const glob = db.sql<{ fits: number }>('select ? glob ? as fits')
  const letter = fc.constantFrom('a', 'b', 'c', '-', '.', '(', '\\', '$', 'é')
  const text = fc.string({ unit: letter, maxLength: 6 })
  const piece = fc.constantFrom(
    '*',
    '?',
    '[ab]',
    '[a-c]',
    '[^a]',
    '[^a-b]',
    'a',
    'b',
    'c',
    '-',
    '.',
    '(',
    '\\',
    '$',
    'é',
  )
  fc.assert(
    fc.property(text, fc.string({ unit: piece, maxLength: 5 }), (label, pattern) => {
      expect([label, pattern, labelGlob(pattern).test(label)]).toEqual([
        label,
        pattern,
        db.guard(() => glob.get(label, pattern))?.fits === 1,
      ])
    }),
    { numRuns: 1000 },
  )
})
