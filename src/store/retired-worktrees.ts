import type { Worktree } from '../domain/run/worktree.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Worktrees } from '../ports/worktrees.ts'

export interface RetiredWorktrees {
  /** Tasks whose worktrees were removed, or would be. */
  readonly removed: readonly string[]
  /** Of closed tasks, but with work that is nowhere else. */
  readonly kept: readonly KeptWorktree[]
}

export interface KeptWorktree extends Pick<Worktree, 'task' | 'path' | 'branch'> {
  readonly why: string
}

export interface RetireOptions {
  readonly ledger: Pick<Ledger, 'worktrees' | 'runsOf' | 'forgetWorktree' | 'landings'>
  readonly worktrees: Worktrees
  /** undefined: the task was deleted. */
  statusOf(task: string): Promise<string | undefined>
  /** Their last attempt ended before: somebody may still want to look at it. */
  readonly endedBefore: number
  readonly dryRun: boolean
}

/** Longer than any checkout lasts. */
const LEFT_AFTER = 24 * 3_600_000

/** Removes the worktrees of tasks that are closed, or deleted, and whose work has landed or is none. */
export async function retireWorktrees({
  ledger,
  worktrees,
  statusOf,
  endedBefore,
  dryRun,
}: RetireOptions): Promise<RetiredWorktrees> {
  const removed: string[] = []
  const kept: KeptWorktree[] = []
  if (!dryRun) await worktrees.clearLeft(Date.now() - LEFT_AFTER)
  for (const worktree of ledger.worktrees()) {
    const { task, path, branch } = worktree
    const isOver = async (): Promise<boolean> => {
      const last = ledger.runsOf(task).at(-1)
      const hasEnded = last === undefined || (last.phase === 'settled' && (last.endedAt ?? 0) <= endedBefore)
      return hasEnded && [undefined, 'closed'].includes(await statusOf(task))
    }
    if (!(await isOver())) continue
    const landing = ledger.landings.of(task)
    const hasLanded = landing?.state.at === 'over' && landing.state.landed !== null
    const left = await worktrees.whatIsLeft(worktree, hasLanded ? landing.commit : undefined)
    if (left.kind === 'work') {
      kept.push({ task, path, branch, why: left.why })
      continue
    }
    // Reopened meanwhile: an attempt may begin there at any moment.
    if (!(await isOver())) continue
    removed.push(task)
    if (dryRun) continue
    const isOnlyHere = left.kind === 'landed' && !left.isElsewhere && landing !== undefined
    const rescue = isOnlyHere ? { rescue: `refs/fleet/rescue/${landing.run}` } : {}
    await worktrees.remove(worktree, { tip: left.tip, ...rescue })
    ledger.forgetWorktree(task)
  }
  return { removed, kept }
}
