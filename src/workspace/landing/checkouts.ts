import { dirname, join } from 'node:path'
import { beginningOf } from '../../platform/files/beginning-of.ts'
import { eachFolder } from '../../platform/files/folder.ts'
import { isSameFolder, realPathOf } from '../../platform/files/same-folder.ts'
import { type Checkout, checkoutIn } from '../../platform/git/checkout.ts'
import { isBare } from '../../platform/git/settings.ts'

/** The checkouts of a repository that have this branch checked out, or are rebasing it. */
export interface BranchCheckout {
  readonly checkout: Checkout
  readonly rebases: boolean
}

/** Reads the files of git alone: `git worktree list` would obey the configuration of the repository. */
export function checkoutsOf(repository: Checkout, branch: string): BranchCheckout[] {
  const ref = `refs/heads/${branch}`
  return checkouts(repository).flatMap((checkout): BranchCheckout[] => {
    const head = firstLineOf(join(checkout.gitFolder, 'HEAD'))
    if (head === `ref: ${ref}`) return [{ checkout, rebases: false }]
    const rebased = ['rebase-merge', 'rebase-apply'].map((name) => join(checkout.gitFolder, name, 'head-name'))
    return rebased.some((path) => firstLineOf(path) === ref) ? [{ checkout, rebases: true }] : []
  })
}

/** The primary one, if it has files, and the linked ones that still exist. */
export function checkouts({ commonFolder, root }: Checkout): Checkout[] {
  const found = checkoutIn(dirname(commonFolder)) ?? checkoutIn(root)
  const primary = found !== undefined && isBare(found) ? undefined : found
  const linked = eachFolder(join(commonFolder, 'worktrees'), 'gitdir').flatMap((path) => {
    const file = firstLineOf(path)
    const one = file === undefined ? undefined : checkoutIn(dirname(file))
    // A worktree that was moved by hand: its record names a folder that belongs to something else.
    return one !== undefined && isSameFolder(one.commonFolder, commonFolder) ? [one] : []
  })
  const all = [...(primary === undefined ? [] : [primary]), ...linked]
  const seen = new Set<string>()
  return all.filter(({ gitFolder }) => {
    const path = realPathOf(gitFolder) ?? gitFolder
    return !seen.has(path) && seen.add(path)
  })
}

const FIRST_BYTES = 8192

function firstLineOf(path: string): string | undefined {
  return beginningOf(path, FIRST_BYTES)?.split('\n')[0]
}
