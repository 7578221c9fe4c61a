import { expect, test } from 'vitest'
import { wayOfReviewed } from '../../../src/domain/landing/reviewed.ts'
import type { Receipt, WorktreeOnReceipt } from '../../../src/domain/run/receipt.ts'
import type { Worktree } from '../../../src/domain/run/worktree.ts'
import { runOf } from '../../support/runs.ts'

const [BASE, COMMIT] = ['b'.repeat(40), 'c'.repeat(40)]
const RUN = runOf({ cwd: '/worktrees/fleet-a1b/web', phase: 'settled' })
const WORKTREE: Worktree = {
  task: RUN.task,
  repository: '/shop',
  folder: 'web',
  path: '/worktrees/fleet-a1b',
  branch: 'fleet/fleet-a1b',
  base: BASE,
  target: 'main',
  state: 'ready',
  madeAt: 1,
  readyAt: 1,
  setUp: null,
}

const wayOf = (head: string | null | undefined, { worktree = WORKTREE, cwd = RUN.cwd } = {}) => {
  const place = { path: WORKTREE.path, branch: WORKTREE.branch, base: BASE, kept: false }
  const receipt = head === undefined ? {} : { worktree: { ...place, head } satisfies WorktreeOnReceipt }
  const more = { summary: 'made a', now: 5, before: undefined }
  return wayOfReviewed({ ...RUN, cwd }, { receipt: receipt as Receipt, worktree, ...more })
}

test('accepted work lands as the commit that was reviewed', () => {
  expect(wayOf(COMMIT)).toMatchObject({ kind: 'lands', landing: { commit: COMMIT, summary: 'made a', queuedAt: 5 } })
})

test('accepted work without a commit of its own, or outside of a worktree, is done', () => {
  expect([wayOf(BASE), wayOf(undefined, { cwd: '/shop/web' })]).toEqual([{ kind: 'done' }, { kind: 'done' }])
})

test.each([
  ['could not be kept there', null],
  ['has no readable commit', 'HEAD'],
  ['has no receipt', undefined],
])('work of a worktree that %s is not on its branch', (_, head) => {
  expect(wayOf(head)).toEqual({ kind: 'not-on-branch', branch: 'fleet/fleet-a1b' })
})
