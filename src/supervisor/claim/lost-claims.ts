import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'

/** The runs whose claim is no longer in the queue: a person closed, reopened, reassigned or deleted the task. */
export async function lostClaims({ queue }: World, live: readonly LiveRun[]): Promise<readonly LiveRun[]> {
  const held = new Set<string>()
  // This machine may have had another name when an adopted run was claimed.
  for (const by of new Set(live.map(({ claim }) => claim.by))) {
    for (const { id, token } of await queue.claimsOf(by)) held.add(`${id} ${token}`)
  }
  return live.filter(({ state, claim }) => state.phase !== 'ended' && !held.has(`${claim.id} ${claim.token}`))
}
