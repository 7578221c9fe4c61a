import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Outcome, type OutcomeCode, RULES } from '../../../src/domain/run/outcome.ts'
import { type After, afterRun, withFreshAttempts } from '../../../src/domain/run/retry.ts'
import { freshState, type TaskState } from '../../../src/domain/run/run.ts'

const DAY = 24 * 60 * 60 * 1000
const NOW = Date.UTC(2026, 0, 1)

describe('whatever happens', () => {
  const code = fc.constantFrom(...(Object.keys(RULES) as OutcomeCode[]))
  const resetsAt = fc.oneof(fc.double(), fc.integer({ min: NOW - DAY, max: NOW + 30 * DAY }))
  const outcome = fc.record(
    { code, text: fc.string(), resetsAt, by: fc.string() },
    { requiredKeys: ['code', 'text'] },
  ) as fc.Arbitrary<Outcome>
  const happening = fc.record({
    outcome,
    laterMs: fc.integer({ min: 0, max: 3 * DAY }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    session: fc.option(fc.string(), { nil: undefined }),
  })
  const life = fc.array(happening, { maxLength: 60 })
  const bound = fc.integer({ min: 1, max: 6 })

  interface Lived {
    readonly before: TaskState
    readonly after: After
    readonly now: number
    readonly maxAttempts: number
  }

  /** Checks every run of a random sequence; a person retries the task whenever it is blocked. */
  function always(holds: (lived: Lived) => void): void {
    fc.assert(
      fc.property(life, bound, (happenings, maxAttempts) => {
        let before = freshState('fleet-a')
        let now = NOW
        for (const { outcome, laterMs, jitter, session } of happenings) {
          now += laterMs
          const after = afterRun(before, outcome, { maxAttempts, now, jitter, session, lane: undefined })
          holds({ before, after, now, maxAttempts })
          before = after.next?.to === 'blocked' ? withFreshAttempts(after.state) : after.state
        }
      }),
    )
  }

  test('a task fails at most `max_attempts` times, then it is blocked', () => {
    always(({ before, after, maxAttempts }) => {
      const counted = after.state.failures - before.failures
      expect([0, 1]).toContain(counted)
      expect(after.state.failures).toBeLessThanOrEqual(maxAttempts)
      if (counted === 1 && after.state.failures === maxAttempts) expect(after.next?.to).toBe('blocked')
    })
  })

  test('a wait is in the future, within seven days, and equal in the queue and the ledger; so is the pause of the lane', () => {
    always(({ after: { state, next, lane }, now }) => {
      const until = next?.to === 'open' ? (next.notBefore ?? null) : null
      expect(state.waitingUntil).toBe(until)
      for (const each of [until, lane?.until ?? null]) {
        if (each === null) continue
        expect(each).toSatisfy(Number.isInteger)
        expect(each).toBeGreaterThan(now)
        expect(each).toBeLessThanOrEqual(now + 7 * DAY)
      }
    })
  })
})
