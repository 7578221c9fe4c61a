import { resolve } from 'node:path'
import { askedEvidence } from '../domain/evidence/asked.ts'
import type { Worktree } from '../domain/run/worktree.ts'
import { settingsOf } from '../domain/task/settings.ts'
import type { Task } from '../domain/task/task.ts'
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
  readonly ledger: Pick<Ledger, 'worktrees' | 'runsOf' | 'recordsOf' | 'forgetWorktree' | 'landings'>
  readonly worktrees: Worktrees
  /** undefined: the task was deleted. */
  taskOf(task: string): Promise<Pick<Task, 'status' | 'metadata'> | undefined>
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
  taskOf,
  endedBefore,
  dryRun,
}: RetireOptions): Promise<RetiredWorktrees> {
  const removed: string[] = []
  const kept: KeptWorktree[] = []
  if (!dryRun) await worktrees.clearLeft(Date.now() - LEFT_AFTER)
  for (const worktree of ledger.worktrees()) {
    const { task, path, folder, branch } = worktree
    /** Of a task that is closed or deleted: where its work is; undefined: it goes on. */
    const over = async (): Promise<readonly string[] | undefined> => {
      const runs = ledger.runsOf(task)
      const last = runs.at(-1)
      const hasEnded = last === undefined || (last.phase === 'settled' && (last.endedAt ?? 0) <= endedBefore)
      const found = hasEnded ? await taskOf(task) : undefined
      if (!hasEnded || (found !== undefined && found.status !== 'closed')) return undefined
      const asked = askedEvidence((found && settingsOf(found.metadata).evidence) ?? '')
      const files = runs.flatMap(({ id }) => ledger.recordsOf(id).receipt?.evidence.files_changed ?? [])
      return asked?.kind === 'path' ? [...files, resolve(path, folder, asked.path)] : files
    }
    const evidence = await over()
    if (evidence === undefined) continue
    const landing = ledger.landings.of(task)
    const hasLanded = landing?.state.at === 'over' && landing.state.landed !== null
    const left = await worktrees.whatIsLeft(worktree, { evidence, landed: hasLanded ? landing.commit : undefined })
    if (left.kind === 'work') {
      kept.push({ task, path, branch, why: left.why })
      continue
    }
    // Reopened meanwhile: an attempt may begin there at any moment.
    if ((await over()) === undefined) continue
    removed.push(task)
    if (dryRun) continue
    const isOnlyHere = left.kind === 'landed' && !left.isElsewhere && landing !== undefined
    const rescue = isOnlyHere ? { rescue: `refs/fleet/rescue/${landing.run}` } : {}
    await worktrees.remove(worktree, { tip: left.tip, ...rescue })
    ledger.forgetWorktree(task)
  }
  return { removed, kept }
}
