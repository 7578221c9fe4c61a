import type { ActiveRuns } from '../run/active-runs.ts'
import type { World } from '../world.ts'

/**
 * Releases claims under this name that have no run: a supervisor died between claim and run, or the queue's answer to the
 * claim was lost.
 */
export async function releaseOrphanedClaims({ queue, ledger, name, log }: World, runs: ActiveRuns): Promise<void> {
  for (const claim of await queue.claimsOf(name)) {
    // A run that has ended and is not settled yet still has its claim.
    if (ledger.openRunOf(claim.id)?.token === claim.token) continue
    if (runs.starting.some(({ task }) => task === claim.id)) continue
    await queue.settle(claim, { to: 'open' })
    log('orphaned-claim-released', { task: claim.id })
  }
}
