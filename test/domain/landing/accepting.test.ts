import { expect, test } from 'vitest'
import {
  acceptanceOf,
  rowAfterAcceptance,
  rowAfterRefusal,
  rowBeforeAcceptance,
} from '../../../src/domain/landing/accepting.ts'
import type { Landing, LandingState } from '../../../src/domain/landing/landing.ts'

const MINE: Landing = {
  task: 'fleet-a',
  title: 'Make a',
  run: 'run-2',
  claim: { by: 'fleet@here', token: 7 },
  project: '/project',
  repository: '/project',
  folder: '',
  branch: 'fleet/fleet-a',
  base: 'b0',
  commit: 'c2',
  target: 'main',
  summary: 'made a',
  queuedAt: 2000,
  approvedBy: null,
  bounces: 0,
  state: { at: 'queued' },
}
const landed: Landing = { ...MINE, run: 'run-1', queuedAt: 1000, state: { at: 'over', landed: 'c1' } }
const accepting = (landing: Landing, before?: Landing): Landing => {
  return { ...landing, state: { at: 'accepting', ...(before && { before }) } }
}
const later = { ...MINE, queuedAt: 3000 }

test('work that is being accepted keeps the landing before it, and that stands again if the queue refuses', () => {
  const row = rowBeforeAcceptance(landed, MINE)
  expect(row).toEqual(accepting(MINE, landed))
  expect(rowAfterAcceptance(row, MINE)).toEqual(MINE)
  expect(rowAfterRefusal(row, MINE)).toEqual(landed)
  expect(rowAfterRefusal(rowBeforeAcceptance(undefined, MINE), MINE)).toBeUndefined()
})

test('of two people who accept the same work, the one who is refused takes nothing from the other', () => {
  const row = rowBeforeAcceptance(accepting(MINE, landed), later)
  expect(rowAfterRefusal(row, later)).toEqual(accepting(MINE, landed))
  expect(rowAfterRefusal(row, MINE)).toEqual(row)
  expect(rowAfterRefusal(rowAfterAcceptance(row, MINE), later)).toEqual({ ...later, state: { at: 'queued' } })
})

test('a landing of the same work that is under way is left alone', () => {
  const moving: LandingState = { at: 'moving', from: 'm1', to: 'c2', target: 'main' }
  for (const state of [{ at: 'queued' }, moving] satisfies LandingState[]) {
    const row = { ...MINE, state }
    expect([rowBeforeAcceptance(row, later), rowAfterAcceptance(row, later), rowAfterRefusal(row, later)]).toEqual([
      row,
      row,
      row,
    ])
  }
})

test.each([
  ['accepted', { labels: ['needs-landing'] }],
  ['undecided', { labels: ['needs-review'] }],
  // The label to land was left by an earlier attempt.
  ['undecided', { labels: ['needs-landing', 'needs-review'] }],
  ['refused', { labels: [] }],
  ['refused', { labels: ['needs-landing'], status: 'open' }],
  ['refused', { labels: ['needs-landing'], assignee: 'anna' }],
] as const)('a task says by its labels whether its work was %s: %j', (acceptance, more) => {
  const task = { status: 'blocked', assignee: '', ...more }
  expect(acceptanceOf(MINE, { task, last: { id: 'run-2' } })).toBe(acceptance)
  expect(acceptanceOf(MINE, { task, last: { id: 'run-3' } })).toBe('refused')
})
