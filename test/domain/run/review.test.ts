import { expect, test } from 'vitest'
import { rejectedState, reviewable } from '../../../src/domain/run/review.ts'
import { freshState } from '../../../src/domain/run/run.ts'
import { runOf } from '../../support/runs.ts'

const TASK = { id: 'fleet-a1b', status: 'blocked', labels: ['needs-review'] }
const LAST = runOf({ phase: 'settled', outcome: { code: 'needs-review', text: 'look' } })
const FAILED = runOf({ phase: 'settled', outcome: { code: 'error', text: 'no' } })

test('a person decides about a task that waits for it and whose last attempt is over here', () => {
  expect(reviewable(TASK, { last: LAST, machine: undefined })).toEqual({ kind: 'waits', run: LAST })
})

test.each([
  ['was closed meanwhile', { ...TASK, status: 'closed' }, LAST, undefined, 'is closed, and waits for no review'],
  ['runs again', { ...TASK, status: 'in_progress' }, LAST, undefined, 'is in_progress, and waits for no review'],
  ['is blocked for something else', { ...TASK, labels: [] }, LAST, undefined, 'is blocked, but not for a review'],
  ['was never tried here', TASK, undefined, undefined, 'has no attempt on this machine'],
  ['runs a first time', TASK, runOf(), undefined, 'has no attempt on this machine'],
  ['failed since', TASK, FAILED, undefined, 'ended as error, so there is nothing to accept'],
  ['ran elsewhere', TASK, LAST, 'build-3', 'ran on build-3, where its work is'],
])('a task that %s is not decided about', (_, task, last, machine, why) => {
  expect(reviewable(task, { last, machine })).toMatchObject({ kind: 'not', why })
})

test('a rejection starts the counters again and keeps session, coder and model for the next attempt', () => {
  const before = {
    ...freshState('fleet-a1b'),
    ...{ attempts: 4, failures: 2, stalls: 1, handOvers: 3, waitedMs: 5, session: 's', coder: 'claude', model: 'opus' },
  }
  expect(rejectedState(before, { by: 'anna', note: 'keep the name' })).toEqual({
    ...freshState('fleet-a1b'),
    ...{ attempts: 4, session: 's', coder: 'claude', model: 'opus' },
    lastOutcome: { code: 'review-rejected', text: 'anna reviewed it and sent it back: keep the name' },
  })
})
