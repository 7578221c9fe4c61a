import type { Run } from '../../domain/run/run.ts'
import type { NextStep } from '../../domain/task/next-step.ts'
import { claimOf } from '../run/live-run.ts'
import { tell } from '../shared/task-records.ts'
import type { World } from '../world.ts'

export interface Settled {
  readonly next: NextStep | undefined
  /** false: somebody else had the task by then, and nothing was written to it. */
  readonly ours: boolean
}

/** Tells the queue what becomes of the task. The claim's token keeps that from happening twice. */
export async function settle(world: World, run: Run): Promise<Settled> {
  const next = run.next ?? undefined
  if (next === undefined) return { next, ours: false }
  const claim = claimOf(run)
  // The next claimer reads the record first. A queue that nobody shares is settled at once, in the ledger's transaction.
  if (world.records !== undefined) await tell(world, claim, next)
  return { next, ours: await world.queue.settle(claim, next) }
}
