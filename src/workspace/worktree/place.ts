import { join } from 'node:path'
import type { Worktree } from '../../domain/run/worktree.ts'
import { fingerprint } from '../../domain/text/fingerprint.ts'
import { entryAt, isRealFolder } from '../../platform/files/folder.ts'
import { realPathOf } from '../../platform/files/paths.ts'
import { wayDown } from '../../platform/files/same-folder.ts'
import { branchOf, type Checkout, checkoutAt, checkoutIn } from '../../platform/git/checkout.ts'
import { isBare, repositorySettings } from '../../platform/git/settings.ts'
import type { FoundRepository, Refused } from '../../ports/worktrees.ts'

/** Where a directory lies in its repository, or why no worktree can be made of it. */
export function findRepository(cwd: string): FoundRepository | Refused {
  const checkout = checkoutAt(cwd)
  if (checkout === undefined) {
    const refused = isBareRepository(cwd)
      ? `${cwd} is a bare repository, which has no files to work on: give the task a clone of it (fleet bd update <id> --cwd <clone>)`
      : `${cwd} is in no git repository, so it has no worktree: git init and commit there, or use isolation = shared for it`
    return { refused }
  }
  if (isBare(checkout)) {
    return {
      refused: `${checkout.root} is a bare repository with worktrees, and has no files itself: give the task one of them (fleet bd update <id> --cwd <worktree>)`,
    }
  }
  if (repositorySettings(checkout).get('extensions.refstorage')?.toLowerCase() === 'reftable') {
    return {
      refused: `${checkout.root} keeps its branches as reftable, which fleet makes no worktrees of yet: use isolation = shared for it`,
    }
  }
  return { root: checkout.root, folder: wayDown(checkout.root, realPathOf(cwd)) ?? '' }
}

function isBareRepository(cwd: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => entryAt(join(cwd, name)) !== undefined)
}

/** The branch of HEAD; undefined: it is detached. */
export function headBranch(root: string): string | undefined {
  const checkout = checkoutIn(root)
  return checkout && branchOf(checkout)
}

/**
 * The checkout in a worktree. It follows from the record alone: what an agent wrote into the file `.git` does not count. The
 * name of its folder in the repository contains the path, so that two homes never use the same.
 */
export function checkoutOf({ task, path }: Pick<Worktree, 'task' | 'path'>, { commonFolder }: Checkout): Checkout {
  return { root: path, gitFolder: join(commonFolder, 'worktrees', `${task}-${fingerprint(path)}`), commonFolder }
}

/** Whether the repository of a worktree has its folder: another one has not, wherever it was moved. */
export function belongs(worktree: Worktree): boolean {
  const repository = checkoutIn(worktree.repository)
  return repository !== undefined && isRealFolder(checkoutOf(worktree, repository).gitFolder)
}

export function noRepository({ repository, task }: Worktree): string {
  return `${repository} is no git checkout any more: give the task its new directory with fleet bd update ${task} --cwd`
}
