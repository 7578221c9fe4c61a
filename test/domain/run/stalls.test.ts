import { expect, test } from 'vitest'
import type { OutcomeCode } from '../../../src/domain/run/outcome.ts'
import { afterRun } from '../../../src/domain/run/retry.ts'
import { freshState } from '../../../src/domain/run/run.ts'

/** The decisions after attempts that ended like this, one after another. */
function decisions(codes: readonly OutcomeCode[], maxAttempts = 100) {
  let state = freshState('fleet-1')
  return codes.map((code) => {
    const after = afterRun(state, { code, text: `it was ${code}` }, { ...AT, maxAttempts })
    state = after.state
    return { to: after.next?.to, session: state.session, stalls: state.stalls, failures: state.failures }
  })
}

const AT = { now: 1000, jitter: 0.5, session: 'a session', lane: undefined }

test('the first stall resumes the session, the second begins a new one, the third in a row blocks, whatever max_attempts is', () => {
  expect(decisions(['stalled', 'stalled', 'stalled'])).toEqual([
    { to: 'open', session: 'a session', stalls: 1, failures: 0 },
    { to: 'open', session: null, stalls: 2, failures: 1 },
    { to: 'blocked', session: null, stalls: 3, failures: 1 },
  ])
})

test('an attempt that fails otherwise ends the row; a limit or a restart in between does not', () => {
  expect(decisions(['stalled', 'stalled', 'no-claim', 'stalled']).at(-1)).toMatchObject({ to: 'open', stalls: 1 })
  const between = decisions(['stalled', 'usage-limit', 'stalled', 'stopped', 'stalled'])
  expect(between.at(-1)).toMatchObject({ to: 'blocked', stalls: 3 })
})

test('max_attempts may block a task before', () => {
  expect(decisions(['stalled', 'stalled'], 1).at(-1)).toMatchObject({ to: 'blocked', failures: 1 })
})
