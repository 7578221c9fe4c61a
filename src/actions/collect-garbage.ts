import { openHomeStore, openLedger } from '../app.ts'
import { loadConfig } from '../config/load.ts'
import type { Home } from '../platform/files/home.ts'
import { type Freed, retain } from '../store/retention.ts'
import { type RetiredWorktrees, retireWorktrees } from '../store/retired-worktrees.ts'
import { homeWorktrees } from '../workspace/worktree/worktrees.ts'

export interface Collected extends Freed {
  readonly worktrees: RetiredWorktrees
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
  if (ledger.worktrees().length === 0) return { ...freed, worktrees: { removed: [], kept: [] } }
  // Only here is the queue asked, which may be a server.
  await using store = await openHomeStore(home)
  const how = {
    ledger,
    worktrees: homeWorktrees(home.path),
    taskOf: (task: string) => store.queue.get(task),
    endedBefore: now,
    dryRun,
  }
  return { ...freed, worktrees: await retireWorktrees(how) }
}
