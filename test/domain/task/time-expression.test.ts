import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lineOf, recordOf, type TaskRecord } from '../../../src/domain/task/interchange.ts'
import { BLANK_TASK } from '../../../src/domain/task/task.ts'
import { rfc3339 } from '../../../src/domain/task/time.ts'
import { parseTimeExpression } from '../../../src/domain/task/time-expression.ts'

const UNSTORABLE = [
  ...['+9000y', '-9000y', '+99999999999h', 'in 9000 years', '0000-01-01', '0001-01-01T00:00:00Z'],
  ...[
    '9999-12-31T23:59:59-12:00',
    '2026-01-01T10:61:00',
    '2026-01-01T10:00:60',
    '2026-01-01T24:00:00Z',
    'mayor banana',
  ],
]

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
    ['3 september', at(2026, 9, 3)],
    ['sept 3rd', at(2026, 9, 3)],
    ['9999-12-31T23:59:59Z', new Date('9999-12-31T23:59:59Z')],
    ['12am', at(2026, 4, 15, 0, 0, 0)],
  ]
  test.each(cases)('%s', (text, expected) => {
    expect(parseTimeExpression(text, now)).toEqual(expected)
  })

  test.each(['', 'garbage', 'next week', 'in', '2026-02-31', '2026-13-01', '6', '+h', 'satellite', ...UNSTORABLE])(
    'is not %j',
    (text) => {
      expect(parseTimeExpression(text, now)).toBeUndefined()
    },
  )
})

test('every accepted time survives an export unchanged', () => {
  const two = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'))
  const year = fc.oneof(
    fc.constantFrom('0000', '0001', '0026', '9999'),
    fc.integer({ min: 1000, max: 9999 }).map(String),
  )
  const zone = fc.constantFrom('', 'Z', '-12:00', '+14:00', '+02:30')
  const text = fc.oneof(
    fc
      .tuple(fc.constantFrom('', '+', '-'), fc.integer({ min: 0, max: 100_000_000 }), fc.constantFrom(...'hdwmy'))
      .map((parts) => parts.join('')),
    fc
      .tuple(year, two(13), two(32), two(25), two(61), two(61), zone)
      .map(([y, mo, d, h, mi, s, z]) => `${y}-${mo}-${d}T${h}:${mi}:${s}${z}`),
    fc.tuple(fc.nat(20_000), fc.constantFrom('days', 'months', 'years')).map(([n, unit]) => `in ${n} ${unit}`),
  )
  fc.assert(
    fc.property(text, (typed) => {
      const moment = parseTimeExpression(typed, now)
      if (moment === undefined) return
      const stored = rfc3339(moment.getTime())
      expect(stored).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      const task: TaskRecord = {
        ...BLANK_TASK,
        id: 'fleet-a',
        title: 'a',
        defer_until: stored,
        due_at: stored,
        created_at: stored,
        updated_at: stored,
        dependencies: [],
        comments: [],
      }
      const line = JSON.stringify(lineOf(task, { dependency_count: 0, dependent_count: 0, comment_count: 0 }))
      expect(recordOf(line, 'unused')).toMatchObject({
        kind: 'record',
        record: { defer_until: stored, due_at: stored, created_at: stored },
      })
    }),
    { numRuns: 2000 },
  )
})
