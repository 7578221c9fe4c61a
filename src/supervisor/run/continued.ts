import { attemptChain, rejectionBefore } from '../../domain/run/attempt-chain.ts'
import { isUnjudged, NEEDS_REVIEW, type Review } from '../../domain/run/review.ts'
import type { Run } from '../../domain/run/run.ts'
import { runsSinceLanding } from '../landing/since-landing.ts'
import type { World } from '../world.ts'

/** The attempts whose work a run continues, oldest first, itself last. */
export function continuedBy(world: World, run: Run): readonly Run[] {
  const { ledger, machine } = world
  // Accepted work is done, whatever its checks found out.
  const isDecided = ({ id, task }: Run) => ledger.reviews.of(task).some((review) => review.run === id)
  return attemptChain(runsSinceLanding(world, run.task), run, {
    isSameFolder: machine.isSameFolder,
    isUnjudged: (each) =>
      each.outcome?.code === NEEDS_REVIEW && isUnjudged(ledger.recordsOf(each.id).receipt) && !isDecided(each),
  })
}

/** A person sent the work back that these attempts began with; undefined: nobody did. */
export function rejectionOf(world: World, run: Run): Review | undefined {
  const { ledger } = world
  const reviews = ledger.reviews.of(run.task)
  if (reviews.length === 0) return undefined
  return rejectionBefore(continuedBy(world, run)[0] ?? run, { runs: ledger.runsOf(run.task), reviews })
}
