import fc from 'fast-check'
import { expect, test } from 'vitest'
import { durationMs, durationText } from '../../../src/domain/text/duration.ts'

test('a duration is one number and one unit', () => {
  expect(['500ms', '90s', '10m', '1.5h', '2d'].map(durationMs)).toEqual([500, 90_000, 600_000, 5_400_000, 172_800_000])
})

test('anything else is not a duration', () => {
  for (const text of ['', '5', 'm', '5 min', '5 m', '-5m', '1h30m', '5M', '1e3s', '٣m', '5m '])
    expect(durationMs(text), text).toBeUndefined()
})

test('a written duration is read back exactly', () => {
  fc.assert(fc.property(fc.nat({ max: 1e12 }), (millis) => durationMs(durationText(millis)) === millis))
})
