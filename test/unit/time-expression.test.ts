import { describe, expect, test } from 'vitest'
import { parseTimeExpression } from '../../src/domain/time-expression.ts'

/** A Wednesday. */
const now = new Date(2026, 3, 15, 14, 30, 20)
const at = (...parts: [number, number, number, number?, number?, number?]) =>
  new Date(parts[0], parts[1] - 1, parts[2], parts[3] ?? 14, parts[4] ?? 30, parts[5] ?? 20)

describe('a time expression', () => {
  const cases: readonly [string, Date][] = [
    ['+6h', at(2026, 4, 15, 20)],
    ['2d', at(2026, 4, 17)],
    ['-1w', at(2026, 4, 8)],
    ['+1m', at(2026, 5, 15)],
    ['1y', at(2027, 4, 15)],
    ['2026-05-01', at(2026, 5, 1, 0, 0, 0)],
    ['2026-05-01T10:20:30', at(2026, 5, 1, 10, 20, 30)],
    ['2026-05-01 10:20:30', at(2026, 5, 1, 10, 20, 30)],
    ['2026-05-01T10:20:30Z', new Date('2026-05-01T10:20:30Z')],
    ['2026-05-01T10:20:30+02:00', new Date('2026-05-01T08:20:30Z')],
    ['tomorrow', at(2026, 4, 16)],
    ['yesterday', at(2026, 4, 14)],
    ['tonight', at(2026, 4, 15, 23, 0)],
    ['next monday', at(2026, 4, 20)],
    ['Wednesday', at(2026, 4, 22)],
    ['this friday', at(2026, 4, 17)],
    ['last tuesday', at(2026, 4, 14)],
    ['next monday at 9am', at(2026, 4, 20, 9, 0, 0)],
    ['tomorrow at 17:45', at(2026, 4, 16, 17, 45, 0)],
    ['tomorrow morning', at(2026, 4, 16, 8, 0)],
    ['in 3 days', at(2026, 4, 18)],
    ['in two weeks', at(2026, 4, 29)],
    ['in an hour', at(2026, 4, 15, 15)],
    ['3 days ago', at(2026, 4, 12)],
    ['may 3', at(2026, 5, 3)],
    ['12am', at(2026, 4, 15, 0, 0, 0)],
  ]
  test.each(cases)('%s', (text, expected) => {
    expect(parseTimeExpression(text, now)).toEqual(expected)
  })

  test.each(['', 'garbage', 'next week', 'in', '2026-02-31', '2026-13-01', '6', '+h', 'satellite'])(
    'is not %j',
    (text) => {
      expect(parseTimeExpression(text, now)).toBeUndefined()
    },
  )
})
