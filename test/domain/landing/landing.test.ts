import { expect, test } from 'vitest'
import { isApproved, isReady, isSameState, targetOf, waitMs } from '../../../src/domain/landing/landing.ts'
import { freshState } from '../../../src/domain/run/run.ts'

test('what has passed is ready while neither the target nor what has to pass has changed', () => {
  const state = { at: 'moving', from: 'tip', to: 'new', target: 'main', passed: 'make' } as const
  const now = { from: 'tip', target: 'main', passed: 'make' }
  const { passed: _, ...old } = state
  expect([
    isReady(state, now),
    isReady(state, { ...now, from: 'later' }),
    isReady(state, { ...now, target: 'next' }),
    isReady(state, { ...now, passed: 'make test' }),
    isReady(old, now),
    isReady({ at: 'queued' }, now),
  ]).toEqual([true, false, false, false, false, false])
})

test('land = manual holds a landing until a person asks, and none that is decided', () => {
  const held = { approvedBy: null, state: { at: 'queued' } } as const
  expect([
    isApproved(held, 'auto'),
    isApproved(held, 'manual'),
    isApproved({ ...held, approvedBy: 'anna' }, 'manual'),
    isApproved({ approvedBy: null, state: { at: 'settling', next: { to: 'open' } } }, 'manual'),
  ]).toEqual([true, false, true, true])
})

test('work is for the branch that its task names, then its project, then for the one of its worktree', () => {
  const landing = { target: 'main' }
  expect([
    targetOf(landing, { own: 'release', project: 'next' }),
    targetOf(landing, { own: '', project: 'next' }),
    targetOf(landing, { own: undefined, project: undefined }),
    targetOf({ target: null }, { own: undefined, project: undefined }),
  ]).toEqual(['release', 'next', 'main', null])
})

test('a landing is tried again soon at first, and each minute in the end', () => {
  expect([0, 1, 4, 5, 100].map(waitMs)).toEqual([2000, 4000, 32_000, 60_000, 60_000])
})

test('a state is the same after it was stored, and another one if anything has changed', () => {
  const state = {
    ...freshState('fleet-a'),
    failures: 1,
    lastOutcome: { code: 'conflict', text: 'x', details: undefined },
  }
  const stored = JSON.parse(JSON.stringify(state))
  expect([isSameState(state as never, stored), isSameState(stored, { ...stored, failures: 2 })]).toEqual([true, false])
})
