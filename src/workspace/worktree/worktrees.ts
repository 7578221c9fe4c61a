import { join } from 'node:path'
import { assertTaskId } from '../../domain/task/id.ts'
import type { OwnerOf } from '../../platform/git/git-owner.ts'
import type { Worktrees } from '../../ports/worktrees.ts'
import { setAside } from './aside.ts'
import { bring } from './bring.ts'
import { intend } from './intend.ts'
import { keep } from './keep.ts'
import { relink } from './link.ts'
import { make } from './make.ts'
import { inThisHome } from './moved-home.ts'
import { belongs, findRepository } from './place.ts'
import { namesOfPrimary, primaryOf, touchedBy } from './primary.ts'
import { clearLeft, remove } from './remove.ts'
import { whatIsLeft } from './what-is-left.ts'

export interface WorktreesOptions {
  readonly ownerOf: OwnerOf
  /** Aborts a checkout under way. */
  readonly signal?: AbortSignal
}

/** Worktrees below the home. */
export function homeWorktrees(home: string, { ownerOf, signal }: WorktreesOptions): Worktrees {
  // The id is checked here, because it becomes a folder name.
  const pathOf = (task: string): string => join(home, 'worktrees', assertTaskId(task))
  return {
    pathOf,
    inThisHome: (worktree) => inThisHome(worktree, pathOf(worktree.task)),
    find: findRepository,
    intend,
    make: (worktree) => make(worktree, { owner: ownerOf(worktree.task), signal }),
    belongs,
    bring,
    relink,
    keep: (worktree, how) => keep(worktree, { ...how, owner: ownerOf(worktree.task) }),
    namesOfPrimary,
    primary: primaryOf,
    touched: (worktree, order) => touchedBy(worktree, home, order),
    whatIsLeft,
    setAside,
    remove,
    clearLeft: (before) => clearLeft(home, before),
  }
}
