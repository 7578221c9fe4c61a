import { RULES } from '../domain/outcome.ts'
import type { Claim } from '../ports/queue.ts'
import { closeLane } from './lanes.ts'
import type { Planned } from './launch.ts'
import { tell } from './travel.ts'
import type { World } from './world.ts'

/**
 * A task that cannot be begun: no attempt was made, so none is counted. What is wrong with its lane takes the lane down,
 * once, instead of one task after another. True: the task is blocked now.
 */
export async function refuse(
  world: World,
  claim: Claim,
  { outcome, lane }: Extract<Planned, { kind: 'refused' }>,
): Promise<boolean> {
  const { ledger, queue, clock, log } = world
  const now = clock.now()
  if (lane !== undefined) {
    const { code, text } = outcome
    closeLane(world, { name: lane, state: 'down', until: null, code, reason: text, since: now }, now)
    await queue.settle(claim, { to: 'open' })
    return false
  }
  if (RULES[outcome.code].fate === 'nothing') return false
  ledger.saveState({ ...ledger.stateOf(claim.id), lastOutcome: outcome, waiting: outcome.text, waitingUntil: null })
  log('task refused', { task: claim.id, code: outcome.code, why: outcome.text })
  const next = { to: 'blocked', notes: outcome.text } as const
  await tell(world, claim, next)
  return await queue.settle(claim, next)
}
