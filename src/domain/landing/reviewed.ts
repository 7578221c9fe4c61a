import type { Receipt } from '../run/receipt.ts'
import type { Run } from '../run/run.ts'
import type { Worktree } from '../run/worktree.ts'
import { type Landing, newLanding } from './landing.ts'

const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/

/**
 * The way of accepted work to its target branch; undefined: it has no commit of its own there, so it is done. What lands is
 * the commit that was reviewed. With `land = manual` the person still says when.
 */
export function landingOfReviewed(
  run: Run,
  {
    receipt,
    worktree,
    ...more
  }: {
    readonly receipt: Receipt | undefined
    readonly worktree: Worktree | undefined
    readonly summary: string
    readonly now: number
    /** The landing of an earlier attempt. */
    readonly before: Landing | undefined
  },
): Landing | undefined {
  const commit = receipt?.worktree?.head ?? undefined
  if (worktree === undefined || commit === undefined || !COMMIT.test(commit) || commit === worktree.base)
    return undefined
  return newLanding(run, { worktree, commit, summary: more.summary, queuedAt: more.now, before: more.before })
}
