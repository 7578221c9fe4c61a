import type { Receipt } from '../run/receipt.ts'
import type { Run } from '../run/run.ts'
import type { Worktree } from '../run/worktree.ts'
import { type Landing, newLanding } from './landing.ts'

const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/

export type WayOfReviewed =
  | { readonly kind: 'lands'; readonly landing: Landing }
  /** It ran in the directory of its task, or its branch has no commit of its own: it is done. */
  | { readonly kind: 'done' }
  /** Its branch does not have its work, so there is nothing that could land. */
  | { readonly kind: 'not-on-branch'; readonly branch: string }

/**
 * The way of accepted work to its target branch. What lands is the commit that was reviewed. With `land = manual` the person
 * still says when.
 */
export function wayOfReviewed(
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
): WayOfReviewed {
  const place = receipt?.worktree
  if (place === undefined && !isIn(worktree, run)) return { kind: 'done' }
  const { branch, base } = worktree ?? place ?? { branch: '', base: '' }
  const commit = place?.head ?? ''
  if (!COMMIT.test(commit)) return { kind: 'not-on-branch', branch }
  if (commit === base) return { kind: 'done' }
  if (worktree === undefined) return { kind: 'not-on-branch', branch }
  const landing = newLanding(run, { worktree, commit, summary: more.summary, queuedAt: more.now, before: more.before })
  return { kind: 'lands', landing }
}

/** A run whose receipt is lost. */
function isIn(worktree: Worktree | undefined, { cwd }: Run): boolean {
  return worktree !== undefined && `${cwd}/`.startsWith(`${worktree.path}/`)
}
