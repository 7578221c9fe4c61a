import { expect, test } from 'vitest'
import { limitLifts } from '../../../src/coders/gemini/trouble.ts'

const DAILY = 'You have exhausted your daily quota on this model.'

test.each([
  ['in the afternoon', '2026-11-15T22:00:00Z', '2026-11-16T08:00:00Z'],
  ['just before midnight there', '2026-11-16T07:59:00Z', '2026-11-16T08:00:00Z'],
  ['just after it', '2026-11-16T08:00:01Z', '2026-11-17T08:00:00Z'],
  ['within the hour after it', '2026-11-16T08:23:00Z', '2026-11-17T08:00:00Z'],
  ['in summer', '2026-07-01T07:30:00Z', '2026-07-02T07:00:00Z'],
])('a quota by the day that is used up %s lifts at the next midnight in California', (_when, seen, lifts) => {
  expect(new Date(limitLifts(DAILY, Date.parse(seen)) ?? 0).toISOString()).toBe(lifts.replace('Z', '.000Z'))
})

test('a time that is told counts, and without either nothing is known', () => {
  const seen = Date.parse('2026-11-16T08:23:00Z')
  expect(limitLifts('Quota exceeded. Your quota will reset after 2h3m4s.', seen)).toBe(seen + 7_384_000)
  expect(limitLifts('Quota exceeded.', seen)).toBeUndefined()
})
