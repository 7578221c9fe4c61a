import { expect, test } from 'vitest'
import type { OutcomeCode } from '../../../src/domain/run/outcome.ts'
import { afterRun } from '../../../src/domain/run/retry.ts'
import { freshState, type TaskState } from '../../../src/domain/run/run.ts'

const countersOf = ({ stalls, failures, waiting }: TaskState) => ({ stalls, failures, waiting })

/** The decisions after attempts that ended like this, one after another. */
function decisions(codes: readonly OutcomeCode[], maxAttempts = 100) {
  let state = freshState('fleet-1')
  return codes.map((code) => {
    const after = afterRun(state, { code, text: `it was ${code}` }, { ...AT, maxAttempts })
    state = after.state
    return { to: after.next?.to, session: state.session, ...countersOf(state) }
  })
}

const AT = { now: 1000, jitter: 0.5, session: 'a session', lane: undefined }

test('the first stall resumes the session, the second begins a new one, the third in a row blocks, whatever max_attempts is', () => {
  expect(decisions(['stalled', 'stalled', 'stalled'])).toEqual([
    { to: 'open', session: 'a session', stalls: 1, failures: 0, waiting: null },
    { to: 'open', session: null, stalls: 2, failures: 1, waiting: 'retry 2 of 100: it was stalled' },
    { to: 'blocked', session: null, stalls: 3, failures: 1, waiting: null },
  ])
})

test('an attempt that fails otherwise ends the row; a limit or a restart in between does not', () => {
  expect(decisions(['stalled', 'stalled', 'no-claim', 'stalled']).at(-1)).toMatchObject({ to: 'open', stalls: 1 })
  const between = decisions(['stalled', 'usage-limit', 'stalled', 'stopped', 'stalled'])
  expect(between.at(-1)).toMatchObject({ to: 'blocked', stalls: 3 })
})

test('an attempt that asked, filled its context or reached a verdict ends the row, too', () => {
  const ends = [
    'context-full',
    'question',
    'needs-review',
    'needs-landing',
    'conflict',
    'out-of-scope',
    'denied',
    'budget',
  ] as const
  for (const code of ends) {
    expect(decisions(['stalled', 'stalled', code, 'stalled']).at(-1)).toMatchObject({ to: 'open', stalls: 1 })
  }
})

test('a first request that filled the context is no work', () => {
  const state = { ...freshState('fleet-1'), stalls: 2 }
  const outcome = { code: 'context-full', text: 'too long', unanswered: true } as const
  expect(afterRun(state, outcome, { ...AT, maxAttempts: 100 }).state.stalls).toBe(2)
})

test('max_attempts may block a task before', () => {
  expect(decisions(['stalled', 'stalled'], 1).at(-1)).toMatchObject({ to: 'blocked', failures: 1 })
})
