import { join } from 'node:path'
import { beginningOf } from '../../platform/files/beginning-of.ts'
import { isPlainFile, isRealFolder, namesIn, remove, removeAll } from '../../platform/files/folder.ts'
import type { Checkout } from '../../platform/git/checkout.ts'

/** The leftovers of a killed git in a worktree, which make each later git fail or do something else. */

const DEEPEST = 12

/** Call when nothing runs there. The branch is its own, so its lock is, too. */
export function removeLocks({ gitFolder, commonFolder }: Checkout, branch: string): void {
  const lock = join(commonFolder, 'refs/heads', `${branch}.lock`)
  if (isPlainFile(lock)) remove(lock)
  removeLocksBelow(gitFolder, 0)
}

/** Those of its submodules, too. */
function removeLocksBelow(folder: string, depth: number): void {
  if (depth > DEEPEST || !isRealFolder(folder)) return
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    if (name.endsWith('.lock') && isPlainFile(path)) remove(path)
    else if (name !== 'objects' && name !== 'logs') removeLocksBelow(path, depth + 1)
  }
}

const OPERATIONS = [
  ...['MERGE_HEAD', 'MERGE_MSG', 'MERGE_MODE', 'MERGE_RR', 'MERGE_AUTOSTASH', 'AUTO_MERGE', 'SQUASH_MSG'],
  ...['CHERRY_PICK_HEAD', 'REVERT_HEAD', 'REBASE_HEAD', 'rebase-merge', 'rebase-apply', 'sequencer'],
]

/** A merge, rebase or the like that was begun. Call when its files are in a commit. */
export function endOperations({ gitFolder }: Checkout): void {
  for (const name of OPERATIONS) removeAll(join(gitFolder, name))
}

/** The commit of changes that such an operation had put aside (`--autostash`), and that is nowhere else. */
export function putAsideBy({ gitFolder }: Checkout): string | undefined {
  return ['MERGE_AUTOSTASH', 'rebase-merge/autostash', 'rebase-apply/autostash']
    .map((name) => beginningOf(join(gitFolder, name), 128)?.trim() ?? '')
    .find((commit) => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(commit))
}
