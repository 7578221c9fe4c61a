import { openHomeStore, openLedger } from '../app.ts'
import { loadConfig } from '../config/load.ts'
import { policyOf } from '../config/policy.ts'
import { bytesIn } from '../platform/files/folder-size.ts'
import type { Home } from '../platform/files/home.ts'
import { NOBODY } from '../platform/git/git-owner.ts'
import type { Stuck } from '../ports/worktrees.ts'
import { type Freed, retain } from '../store/retention.ts'
import { type RetiredWorktrees, type RetireOptions, retireWorktrees } from '../store/retired-worktrees.ts'
import { homeWorktrees } from '../workspace/worktree/worktrees.ts'

export interface Collected extends Freed {
  readonly worktrees: RetiredWorktrees
  /** Folders of removed worktrees that cannot be deleted. */
  readonly stuck: readonly Stuck[]
}

/** Applies the home's retention now. `olderThan`: removes raw output as old as that, whatever the setting says. */
export async function collectGarbage(
  home: Home,
  { olderThan, dryRun, now }: { olderThan: number | undefined; dryRun: boolean; now: number },
): Promise<Collected> {
  const { config } = await loadConfig(home.config)
  const { compress_after: compressAfter, remove_after: removeAfter } = config.retention
  const retention = { compressAfter, removeAfter: olderThan ?? removeAfter }
  using ledger = openLedger(home)
  const freed = await retain({ home, ledger, retention, now, dryRun })
  const worktrees = homeWorktrees(home.path, { ownerOf: () => NOBODY })
  const retired =
    ledger.worktrees().length === 0
      ? { removed: [], kept: [] }
      : await retire(home, { ledger, worktrees, byProductsOf: policyOf(config).byProducts, endedBefore: now, dryRun })
  let { bytes } = freed
  const count = async (folder: string): Promise<void> => {
    bytes += await bytesIn(folder)
  }
  if (dryRun) for (const task of retired.removed) await count(worktrees.pathOf(task))
  const stuck = dryRun ? [] : await worktrees.clearLeft(count)
  return { ...freed, bytes, worktrees: retired, stuck }
}

/** Only here is the queue asked, which may be a server. */
async function retire(home: Home, how: Omit<RetireOptions, 'taskOf'>): Promise<RetiredWorktrees> {
  await using store = await openHomeStore(home)
  return await retireWorktrees({ ...how, taskOf: (task) => store.queue.get(task) })
}
