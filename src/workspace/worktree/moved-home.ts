import type { Worktree } from '../../domain/run/worktree.ts'
import { isRealFolder, isTaken, move } from '../../platform/files/folder.ts'
import { isSameFolder } from '../../platform/files/same-folder.ts'
import { checkoutIn } from '../../platform/git/checkout.ts'
import type { Refused } from '../../ports/worktrees.ts'
import { relink } from './link.ts'
import { checkoutOf, noRepository } from './place.ts'

/**
 * The worktree where this home has it: a home may have been moved, or have another name now. May be called again after a
 * kill.
 */
export function inThisHome(worktree: Worktree, path: string): Worktree | Refused {
  const { task, path: before } = worktree
  if (before === path) return worktree
  if (isRealFolder(before) && !isSameFolder(before, path)) {
    return {
      refused: `its worktree is at ${before}, which is not in this home: if you moved the home, move it to ${path}, then fleet retry ${task}; if this home is a copy, work on the task in the other one`,
    }
  }
  const repository = checkoutIn(worktree.repository)
  if (repository === undefined) return { refused: noRepository(worktree) }
  const now = { ...worktree, path }
  const [from, to] = [worktree, now].map((each) => checkoutOf(each, repository).gitFolder) as [string, string]
  if (isRealFolder(from) && !isTaken(to)) move(from, to)
  relink(now)
  return now
}
