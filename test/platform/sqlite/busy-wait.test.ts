import fc from 'fast-check'
import { expect, test } from 'vitest'
import { busyWaitMs } from '../../../src/platform/sqlite/database.ts'

const chance = fc.double({ min: 0, max: 1, noNaN: true })

test('a process that finds the store locked retries soon, then waits, then retries more and more often', () => {
  const usual = [1, 2, 4, 10, 46, 1000].map((tries) => busyWaitMs(tries, 0.5))
  expect(usual).toEqual([6, 45, 15, 5, 1, 1])
})

test('no wait is long enough for a person to notice or short enough to waste CPU', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), chance, (tries, luck) => {
      const wait = busyWaitMs(tries, luck)
      expect(wait >= 0.5 && wait <= 70).toBe(true)
    }),
  )
})
