import { expect, test } from 'vitest'
import { goesOnSoon, type LandingWait, waitsAgain, waitsForPerson } from '../../../src/domain/landing/landing.ts'

test('a landing waits longer each time for the same reason, and at least as long as it took to find out', () => {
  const first = waitsAgain(undefined, 'its target is locked', { now: 0, tookMs: 10 })
  const second = waitsAgain(first, 'its target is locked', { now: 5000, tookMs: 10 })
  const third = waitsAgain(second, 'not checked', { now: 10_000, tookMs: 600_000 })
  expect([first, second, third]).toEqual([
    { why: 'its target is locked', until: 2000, tries: 0 },
    { why: 'its target is locked', until: 9000, tries: 1 },
    { why: 'not checked', until: 610_000, tries: 0 },
  ])
})

test('what only a person can change is tried three times', () => {
  const waits: LandingWait[] = []
  for (const now of [0, 1000, 2000]) {
    waits.push(waitsForPerson(waitsAgain(waits.at(-1), 'it hangs', { now }), 'give it more time'))
  }
  expect(waits).toEqual([
    { why: 'it hangs', tries: 0, until: 2000 },
    { why: 'it hangs', tries: 1, until: 5000 },
    { why: 'it hangs: give it more time', tries: 2, until: null },
  ])
  expect(waits.map(goesOnSoon)).toEqual([true, true, false])
})
