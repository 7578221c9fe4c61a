import { join } from 'node:path'
import { beginningOf } from '../../platform/files/beginning-of.ts'
import { writeProjection } from '../../platform/files/files.ts'
import { makeFolder } from '../../platform/files/folder.ts'
import type { Checkout } from '../../platform/git/checkout.ts'
import { configText, settingsIn } from '../../platform/git/config-text.ts'

const BYTES = 1 << 20
const SPARSE = new Set(['core.sparsecheckout', 'core.sparsecheckoutcone'])

/** A checkout of some of the files only stays one in its worktrees, as `git worktree add` has it. */
export function takeOverSparse(from: Checkout, to: Checkout): void {
  const patterns = beginningOf(join(from.gitFolder, 'info/sparse-checkout'), BYTES)
  if (patterns === undefined) return
  makeFolder(join(to.gitFolder, 'info'))
  writeProjection(join(to.gitFolder, 'info/sparse-checkout'), patterns)
  const settings = settingsIn(beginningOf(join(from.gitFolder, 'config.worktree'), BYTES) ?? '')
  const taken = settings.filter(([key]) => SPARSE.has(key))
  if (taken.length > 0) writeProjection(join(to.gitFolder, 'config.worktree'), configText(taken))
}
