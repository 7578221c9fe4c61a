import { expect, test } from 'vitest'
import { withoutMoments } from './moments.ts'

const now = Date.parse('2026-05-06T22:30:10Z')

test.each([
  ['2026-05-06T22:30:09Z', '', '<time>'],
  ['2026-05-06 22:30', '', '<time>'],
  ['2026-05-07T00:30:09+02:00', '', '<time>'],
  ['2026-05-07T04:30:09Z', 'create a --due +6h', '<now+6h>'],
  ['2026-05-07T22:30:09Z', 'create a --due tomorrow', '<now+24h>'],
  ['2026-05-07T00:00:00Z', 'create a --due 2026-05-07', '<today+1d>'],
  ['2026-05-11T22:30:09Z', 'create a --due "next monday"', '<monday>'],
  ['2026-05-06', '', '<date>'],
  ['2026-05-08', '', '<today+2d>'],
  ['2026-05-11', 'create a --due "next monday"', '<monday>'],
  ['2026-03-01T10:00:00.7Z', '', '2026-03-01T10:00:00.7Z'],
  ['2099-01-01', '', '2099-01-01'],
])('%s after %j is written as %s', (text, line, told) => {
  expect(withoutMoments(`at ${text}.`, now, line)).toBe(`at ${told}.`)
})
