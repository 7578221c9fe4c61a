import { join } from 'node:path'
import type { Worktree } from '../../domain/run/worktree.ts'
import { AppError } from '../../errors.ts'
import { removeFolder } from '../../platform/files/attempt-folder.ts'
import { entryAt, isRealFolder, namesIn } from '../../platform/files/folder.ts'
import { discardFolder } from '../../platform/files/temporary-folder.ts'
import { checkoutIn } from '../../platform/git/checkout.ts'
import { writingIn } from '../../platform/git/write.ts'
import type { Execution } from '../../platform/process/exec.ts'
import type { Stuck } from '../../ports/worktrees.ts'
import { outputOf, whyFailed } from '../git.ts'
import { asideOf, isAside } from './aside.ts'
import { checkedOutIn } from './branch.ts'
import { isBringing, isPartial } from './partial.ts'
import { checkoutOf } from './place.ts'

const REF_MS = 60_000

/**
 * Removes the branch of a worktree that was set aside, if it is still at `tip`, and what its repository has of it. It may be
 * killed at any step and called again.
 */
export async function remove(
  worktree: Worktree,
  { tip, rescue }: { tip: string | undefined; rescue?: string },
): Promise<void> {
  const repository = checkoutIn(worktree.repository)
  if (repository === undefined) return
  const own = checkoutOf(worktree, repository)
  // A person may have checked it out since it was looked at.
  if (tip !== undefined && checkedOutIn(worktree.branch, repository, own) === undefined) {
    await writingIn({ checkout: repository }, async ({ git }) => {
      const how = { timeoutMs: REF_MS }
      const ref = `refs/heads/${worktree.branch}`
      const kept = rescue === undefined ? undefined : await git(['update-ref', rescue, tip], how)
      if (kept !== undefined && outputOf(kept) === undefined) throw notWritten(kept, `${rescue} was not made`)
      const gone = await git(['update-ref', '-d', ref, tip], how)
      // Otherwise it has moved on, and is not fleet's to remove.
      const isThere = outputOf(gone) === undefined && outputOf(await git(['rev-parse', ref], how))?.trim() === tip
      if (isThere) throw notWritten(gone, `${ref} was not removed`)
    })
  }
  for (const path of asideOf(own.gitFolder)) await removeFolder(path)
}

/** Longer than any checkout lasts. */
const LEFT_AFTER = 24 * 3_600_000

/** Deletes the files of worktrees that were removed, and what a checkout that was killed long ago left below the home. */
export async function clearLeft(home: string, before?: (folder: string) => Promise<void>): Promise<readonly Stuck[]> {
  const longAgo = Date.now() - LEFT_AFTER
  const folder = join(home, 'worktrees')
  const stuck: Stuck[] = []
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    if (isBringing(name) && changed(path) < longAgo) discardFolder(path)
    const isLeft = isAside(name) || (isPartial(name) && changed(path) < longAgo)
    if (!isLeft || !isRealFolder(path)) continue
    await before?.(path)
    const why = await removeFolder(path)
    if (why !== undefined) stuck.push({ path, why })
  }
  return stuck
}

function changed(path: string): number {
  return entryAt(path)?.changedAt ?? Number.POSITIVE_INFINITY
}

/** The removal goes on from there the next time. */
function notWritten(ran: Execution, what: string): AppError {
  return new AppError('failed', `${what}: ${whyFailed(ran)}`)
}
