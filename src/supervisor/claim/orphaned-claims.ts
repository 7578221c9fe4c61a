import type { ActiveRuns } from '../run/active-runs.ts'
import type { World } from '../world.ts'

/** Claims of this name that no run has: a supervisor died between the two, or the queue did not live to answer. */
export async function releaseOrphanedClaims({ queue, ledger, name, log }: World, runs: ActiveRuns): Promise<void> {
  for (const claim of await queue.claimsOf(name)) {
    // Also one that has ended and could not be settled yet.
    if (ledger.openRunOf(claim.id)?.token === claim.token) continue
    if (runs.starting.some(({ task }) => task === claim.id)) continue
    await queue.settle(claim, { to: 'open' })
    log('orphaned-claim-released', { task: claim.id })
  }
}
