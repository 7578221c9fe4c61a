import { expect, test } from 'vitest'
import { afterRun } from '../../../src/domain/run/retry.ts'
import { freshState, type Lane } from '../../../src/domain/run/run.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 0, 1)
const STATE = freshState('fleet-a')
const AT = { maxAttempts: 3, now: NOW, jitter: 0.5, session: undefined, lane: undefined }
const limit = (resetsAt: number) => ({ code: 'usage-limit', text: 'limit', resetsAt }) as const

test.each([
  ['in the past', -HOUR],
  ['400 days off', 400 * DAY],
  ['not a number', Number.NaN],
  ['infinite', Number.POSITIVE_INFINITY],
])('a reset that is %s is waited for 1, 2, 5, 15, then 30 minutes', (_, offMs) => {
  let state = STATE
  let now = NOW
  const waits: number[] = []
  for (let n = 0; n < 7; n++) {
    const after = afterRun(state, limit(now + offMs), { ...AT, now })
    const until = after.state.waitingUntil ?? 0
    expect(after.lane?.until).toBe(until)
    waits.push((until - now) / MINUTE)
    state = after.state
    now = until
  }
  expect(waits).toEqual([1, 2, 5, 15, 30, 30, 30])
})

test('a task waits for a mistrusted reset as long as its lane has been in trouble', () => {
  const lane: Lane = { name: 'claude', state: 'paused', until: NOW, code: 'usage-limit', reason: '', since: NOW - HOUR }
  expect(afterRun(STATE, limit(0), { ...AT, lane }).lane?.until).toBe(NOW + 30 * MINUTE)
})

test('a reset in milliseconds instead of seconds, or the other way round, is understood', () => {
  const at = NOW + 3 * HOUR
  expect([at, at * 1000, at / 1000].map((each) => afterRun(STATE, limit(each), AT).state.waitingUntil)).toEqual([
    at,
    at,
    at,
  ])
})
