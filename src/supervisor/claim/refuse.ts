import { RULES } from '../../domain/run/outcome.ts'
import { afterRun } from '../../domain/run/retry.ts'
import type { Claim, NextStep } from '../../ports/queue.ts'
import { closeLane } from '../lanes.ts'
import type { Planned } from '../run/launch.ts'
import { tell } from '../shared/task-records.ts'
import type { World } from '../world.ts'

/**
 * Settles a task that cannot be begun. No attempt was made, so none is counted. Trouble of the lane takes the lane down once,
 * instead of blocking one task after another. True: the task is blocked now.
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
  const refused = { waiting: outcome.text, waitingKind: 'refused', waitingUntil: null } as const
  ledger.saveState({ ...ledger.stateOf(claim.id), lastOutcome: outcome, ...refused })
  log('task-refused', { task: claim.id, code: outcome.code, why: outcome.text })
  const next = { to: 'blocked', notes: outcome.text } as const
  await tell(world, claim, next)
  return await queue.settle(claim, next)
}

/**
 * Saves the state of a task whose planning failed unexpectedly, and returns its next step. Counted as a failed attempt, or it
 * would be tried for ever.
 */
export function putOff({ ledger, clock, machine, policy, environment }: World, claim: Claim, why: string): NextStep {
  const outcome = { code: 'error', text: environment.redact(`could not be begun: ${why}`) } as const
  const { state, next = { to: 'open' } } = afterRun(ledger.stateOf(claim.id), outcome, {
    maxAttempts: policy().maxAttempts,
    now: clock.now(),
    jitter: machine.chance(),
    session: undefined,
    lane: undefined,
  })
  // Blocked, and no run can say why.
  ledger.saveState(next.to === 'blocked' ? { ...state, waiting: outcome.text, waitingKind: 'refused' } : state)
  return next
}
