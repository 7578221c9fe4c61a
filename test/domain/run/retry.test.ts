import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HAND_OVERS, type Outcome, type OutcomeCode, RULES } from '../../../src/domain/run/outcome.ts'
import { type After, afterRun, busyDelayMs, retryDelayMs, withFreshAttempts } from '../../../src/domain/run/retry.ts'
import { freshState, type Lane, type TaskState } from '../../../src/domain/run/run.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const BUSY = { laneMs: 22.5 * SECOND, ms: 27.5 * SECOND }
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 0, 1)
const more = { maxAttempts: 3, now: NOW, jitter: 0.5, session: 'new-session', lane: undefined }

const before: TaskState = { ...freshState('fleet-a'), attempts: 1, coder: 'claude', session: 'old-session' }

/** `before` as the run left it; without the session if the next attempt starts a new one. */
function ended(outcome: Outcome, change: Partial<TaskState> = {}): TaskState {
  return { ...before, session: 'new-session', lastOutcome: outcome, ...change }
}

const of = (code: OutcomeCode, rest: Partial<Outcome> = {}): Outcome => ({ code, text: `it was ${code}`, ...rest })

/** The task after a first attempt with this outcome. A code without an entry does not compile. */
const FIRST: Record<OutcomeCode, (outcome: Outcome) => After> = {
  done: (outcome) => ({ state: ended(outcome, { session: null }), next: { to: 'closed', reason: 'it was done' } }),
  error: (outcome) => retried(outcome, null),
  lost: retried,
  interrupted: (outcome) => ({
    state: ended(
      { ...outcome, times: 1 },
      {
        waiting: 'goes on soon (1 of 3 times in a row): it was interrupted',
        waitingKind: 'retry',
        waitingUntil: NOW + 5 * SECOND,
      },
    ),
    next: { to: 'open', notBefore: NOW + 5 * SECOND },
  }),
  'no-claim': retried,
  'no-evidence': retried,
  'evidence-destroyed': (outcome) => retried(outcome, null),
  'unusable-folder': (outcome) => blocked(outcome, 'it was unusable-folder', null),
  denied: (outcome) => blocked(outcome, 'it was denied'),
  'verify-failed': retried,
  'setup-failed': retried,
  'review-rejected': retried,
  'needs-landing': (outcome) => labelled(outcome, ''),
  conflict: (outcome) => ({ state: ended(outcome), next: { to: 'open' } }),
  'no-progress': (outcome) => retried(outcome, null),
  stalled: (outcome) => ({ state: ended(outcome, { stalls: 1 }), next: { to: 'open' } }),
  looping: (outcome) => retried(outcome, null),
  'wall-clock': retried,
  'out-of-memory': retried,
  'no-session': handedOver,
  'context-full': handedOver,
  question: (outcome) => blocked(outcome, 'QUESTION: it was question'),
  'usage-limit': (outcome) => waits(outcome, { laneMs: 30 * MINUTE, ms: 30 * MINUTE }),
  overload: (outcome) => waits(outcome, BUSY),
  network: (outcome) => waits(outcome, BUSY),
  'provider-silent': (outcome) => waits(outcome, BUSY),
  login: down,
  billing: down,
  'bad-model': (outcome) => ({
    state: ended(outcome, { session: null, coder: null, model: null }),
    next: { to: 'blocked', notes: 'its model cannot be used: it was bad-model' },
    refusedModel: { reason: 'it was bad-model', since: NOW, trialFrom: null },
  }),
  'bad-flag': (outcome) => down(outcome, null),
  'missing-binary': (outcome) => down(outcome, null),
  'broken-binary': down,
  budget: (outcome) => blocked(outcome, 'it was budget'),
  killed: (outcome) => blocked(outcome, 'stopped by somebody'),
  told: (outcome) => ({ state: ended(outcome), next: { to: 'open' } }),
  paused: (outcome) => blocked(outcome, 'paused by somebody'),
  'needs-review': (outcome) => labelled(outcome, 'it was needs-review'),
  'out-of-scope': (outcome) => labelled(outcome, 'it was out-of-scope', 'needs-approval'),
  'missing-cwd': (outcome) => blocked(outcome, 'it was missing-cwd', null),
  'no-worktree': (outcome) => blocked(outcome, 'it was no-worktree'),
  'bad-settings': (outcome) => blocked(outcome, 'it was bad-settings', null),
  stopped: reopened,
  'cut-off': reopened,
  'machine-lost': reopened,
  // It hides nothing: the next attempt is told why the one before it ended.
  'never-started': () => ({
    state: ended(of('never-started'), { lastOutcome: before.lastOutcome }),
    next: { to: 'open' },
  }),
  'taken-away': (outcome) => ({ state: ended(outcome, { session: null }), next: undefined }),
}

function retried(outcome: Outcome, session: string | null = 'new-session'): After {
  const waiting = `retry 2 of 3: ${outcome.text}`
  const until = NOW + 5 * SECOND
  return {
    state: ended(outcome, { failures: 1, session, waiting, waitingKind: 'retry', waitingUntil: until }),
    next: { to: 'open', notBefore: until },
  }
}

function handedOver(outcome: Outcome): After {
  return { state: ended(outcome, { handOvers: 1, session: null }), next: { to: 'open' } }
}

function blocked(outcome: Outcome, notes: string, session: string | null = 'new-session'): After {
  return { state: ended(outcome, { session }), next: { to: 'blocked', notes } }
}

function labelled(outcome: Outcome, notes: string, label: string = outcome.code): After {
  return { state: ended(outcome), next: { to: 'blocked', notes, addLabels: [label] } }
}

function waits(outcome: Outcome, { laneMs, ms }: { laneMs: number; ms: number }): After {
  return {
    state: ended(outcome, { waiting: outcome.text, waitingKind: 'lane', waitingUntil: NOW + ms, waitedMs: ms }),
    next: { to: 'open', notBefore: NOW + ms },
    lane: { state: 'paused', until: NOW + laneMs, code: outcome.code, reason: outcome.text, since: NOW },
  }
}

function down(outcome: Outcome, session: string | null = 'new-session'): After {
  return {
    state: ended(outcome, { session, waiting: outcome.text, waitingKind: 'lane' }),
    next: { to: 'open' },
    lane: { state: 'down', until: null, code: outcome.code, reason: outcome.text, since: NOW },
  }
}

function reopened(outcome: Outcome): After {
  return { state: ended(outcome), next: { to: 'open' } }
}

describe('a first attempt that ends with', () => {
  for (const code of Object.keys(RULES) as OutcomeCode[]) {
    test(code, () => expect(afterRun(before, of(code), more)).toEqual(FIRST[code](of(code))))
  }
})

describe('counted attempts', () => {
  test('are blocked at `max_attempts`, with their number and the last failure', () => {
    const state = { ...before, failures: 2 }
    expect(afterRun(state, of('no-claim'), more)).toEqual({
      state: ended(of('no-claim'), { failures: 3 }),
      next: { to: 'blocked', notes: '3 attempts failed; last: it was no-claim' },
    })
    expect(afterRun(before, of('error'), { ...more, maxAttempts: 1 }).next).toEqual({
      to: 'blocked',
      notes: '1 attempt failed; last: it was error',
    })
  })

  test('are delayed by 5 s, 30 s, 2 min, then twice as long each time up to an hour', () => {
    const middle = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1000].map((failures) => retryDelayMs(failures, 0.5) / SECOND)
    expect(middle).toEqual([5, 30, 120, 240, 480, 960, 1920, 3600, 3600, 3600])
  })

  test('are delayed with 20 % jitter, never by more than an hour', () => {
    expect([retryDelayMs(1, 0), retryDelayMs(1, 1), retryDelayMs(9, 0), retryDelayMs(9, 1)]).toEqual([
      4 * SECOND,
      6 * SECOND,
      0.8 * HOUR,
      HOUR,
    ])
  })

  test('start again when a person retries the task', () => {
    const state = afterRun({ ...before, failures: 2, stalls: 4, handOvers: 7 }, of('no-claim'), more).state
    expect(withFreshAttempts(state)).toEqual(ended(of('no-claim'), { failures: 0, stalls: 0, handOvers: 0 }))
  })
})

test(`a task is handed over ${HAND_OVERS} times, then blocked`, () => {
  let state = before
  for (let i = 0; i < HAND_OVERS; i++) {
    const after = afterRun(state, of('context-full'), more)
    expect(after.next).toEqual({ to: 'open' })
    state = after.state
  }
  expect(afterRun(state, of('context-full'), more)).toEqual({
    state: ended(of('context-full'), { handOvers: HAND_OVERS, session: null }),
    next: { to: 'blocked', notes: '10 hand-overs were not enough; last: it was context-full' },
  })
})

test('a task is interrupted three times in a row at most, and none of them counts', () => {
  let state = before
  for (let i = 0; i < 2; i++) {
    const after = afterRun(state, of('interrupted'), more)
    expect(after).toMatchObject({ next: { to: 'open' }, state: { failures: 0, session: 'new-session' } })
    state = after.state
  }
  const third = afterRun(state, of('interrupted'), more)
  expect(third).toMatchObject({
    next: { to: 'blocked', notes: '3 times in a row: it was interrupted' },
    state: { failures: 0, session: 'new-session' },
  })
  const [between] = [afterRun(state, of('no-claim'), more).state]
  expect(afterRun(between, of('interrupted'), more).next?.to).toBe('open')
  const again = afterRun(withFreshAttempts(third.state), of('interrupted'), more)
  expect([again, afterRun(again.state, of('interrupted'), more)]).toMatchObject([
    { next: { to: 'open' } },
    { next: { to: 'open' } },
  ])
})

test('a first request that is too long is tried once more, then the task is blocked with what fills it', () => {
  const long = of('context-full', { unanswered: true })
  const first = afterRun(before, long, more)
  expect(first).toMatchObject({ next: { to: 'open' }, state: { session: null } })
  expect(afterRun(first.state, long, more).next).toEqual({ to: 'blocked', notes: 'it was context-full' })
  expect(afterRun(first.state, of('context-full'), more).next).toEqual({ to: 'open' })
})

describe('a usage limit', () => {
  const untilOf = (resetsAt: number, state = before) =>
    (afterRun(state, of('usage-limit', { resetsAt }), more).state.waitingUntil ?? 0) - NOW

  test('delays the task until its reset, at least a minute and at most seven days', () => {
    const resets = [NOW + SECOND, NOW + 3 * HOUR, NOW + 7.5 * DAY]
    expect(resets.map((at) => untilOf(at))).toEqual([MINUTE, 3 * HOUR, 7 * DAY])
  })

  test('delays the task for at most seven days in total, then blocks it', () => {
    const waiting = (waitedMs: number) => ({ ...before, waitedMs, lastOutcome: of('usage-limit') })
    expect(untilOf(NOW + 5 * DAY, waiting(6 * DAY))).toBe(DAY)
    expect(afterRun(waiting(7 * DAY), of('usage-limit'), more)).toEqual({
      state: ended(of('usage-limit')),
      next: { to: 'blocked', notes: 'waited 168 hours without success: it was usage-limit' },
    })
  })

  test('does not use up the waiting time for an overload', () => {
    const waited = { ...before, waitedMs: 20 * HOUR, lastOutcome: of('usage-limit') }
    expect(afterRun(waited, of('overload'), more)).toEqual(FIRST.overload(of('overload')))
  })
})

describe('an overload', () => {
  test('delays the task longer the longer it lasts, with full jitter between 15 s and 10 min', () => {
    const spans = [0, MINUTE, HOUR].map((waited) => [0, 0.5, 1].map((jitter) => busyDelayMs(waited, jitter) / SECOND))
    expect(spans).toEqual([
      [15, 22.5, 30],
      [15, 67.5, 120],
      [15, 307.5, 600],
    ])
  })

  const pausedFor = (ms: number): Lane => {
    return { name: 'claude', state: 'paused', until: NOW, code: 'overload', reason: 'it was overload', since: NOW - ms }
  }
  /** The pause of the lane and the wait of the task, for a task with this total wait. */
  const pauses = (waitedMs: number, lane: Lane | undefined, jitter = 0.5): readonly number[] => {
    const state = { ...before, waitedMs, lastOutcome: of('overload') }
    const after = afterRun(state, of('overload'), { ...more, lane, jitter })
    return [after.lane?.until, after.state.waitingUntil].map((until) => ((until ?? 0) - NOW) / SECOND)
  }

  test("pauses the lane by the duration of its trouble, and delays the task longer, by the task's own total wait", () => {
    expect([pauses(0, undefined), pauses(0, pausedFor(HOUR)), pauses(HOUR, undefined)]).toEqual([
      [22.5, 27.5],
      [307.5, 312.5],
      [22.5, 307.5],
    ])
    const up: Lane = { ...pausedFor(HOUR), state: 'up' }
    const limited: Lane = { ...pausedFor(HOUR), code: 'usage-limit' }
    expect([pauses(0, up), pauses(0, limited)]).toEqual([
      [22.5, 27.5],
      [22.5, 27.5],
    ])
  })

  test('of one task lets other tasks try the lane first', () => {
    const span = fc.integer({ min: 0, max: 5 * HOUR })
    fc.assert(
      fc.property(span, span, fc.double({ min: 0, max: 1, noNaN: true }), (waitedMs, troubled, jitter) => {
        const [lane = 0, own = 0] = pauses(waitedMs, pausedFor(troubled), jitter)
        expect(own - lane).toBeGreaterThan(4.999)
        expect(own).toBeLessThanOrEqual(605)
      }),
    )
  })

  test('delays the task for at most six hours in total, including network failures in between', () => {
    const state = { ...before, waitedMs: 6 * HOUR, lastOutcome: of('network') }
    expect(afterRun(state, of('overload'), more).next).toEqual({
      to: 'blocked',
      notes: 'waited 6 hours without success: it was overload',
    })
  })

  /** The task after meeting an overload `times` times, `everyMs` apart. */
  function meets(times: number, everyMs: number): After {
    let after = afterRun(before, of('overload'), more)
    for (let n = 1; n < times; n++) after = afterRun(after.state, of('overload'), { ...more, now: NOW + n * everyMs })
    return after
  }

  test('counts only the time spent waiting, not the time a machine is off or an agent works', () => {
    expect(meets(2, 6 * HOUR)).toMatchObject({ state: { waitedMs: 27.5 * SECOND + 35 * SECOND }, next: { to: 'open' } })
    expect(meets(24, HOUR).next?.to).toBe('open')
  })

  test('that keeps coming back blocks the task when the waits add up to six hours', () => {
    const all = Array.from({ length: 100 }, (_, n) => meets(n + 1, 10 * MINUTE))
    const first = all.findIndex(({ next }) => next?.to === 'blocked')
    expect(all[first - 1]?.state.waitedMs).toBe(6 * HOUR)
    expect(first).toBeGreaterThan(36)
  })

  test('that is over resets the total wait', () => {
    const state = { ...before, waitedMs: 5 * HOUR, lastOutcome: of('overload') }
    expect(afterRun(state, of('no-claim'), more).state.waitedMs).toBe(0)
  })
})

test('the notes of a killed or paused task name the person', () => {
  expect([
    afterRun(before, of('killed', { by: 'anna' }), more).next,
    afterRun(before, of('paused', { by: 'bob' }), more).next,
  ]).toEqual([
    { to: 'blocked', notes: 'stopped by anna' },
    { to: 'blocked', notes: 'paused by bob' },
  ])
})

test('a run that left no session keeps the one it resumed', () => {
  expect(afterRun(before, of('lost'), { ...more, session: undefined }).state.session).toBe('old-session')
})

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
      const { failures } = after.state
      const counted = failures - before.failures
      expect([counted === 0 || counted === 1, failures <= maxAttempts]).toEqual([true, true])
      if (counted === 1 && failures === maxAttempts) expect(after.next?.to).toBe('blocked')
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
