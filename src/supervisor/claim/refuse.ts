import { RULES } from '../../domain/run/outcome.ts'
import { afterRun } from '../../domain/run/retry.ts'
import type { Claim, NextStep } from '../../ports/queue.ts'
import { closeLane } from '../lanes.ts'
import type { Planned } from '../run/launch.ts'
import { tell } from '../shared/travel.ts'
import type { World } from '../world.ts'

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
  log('task-refused', { task: claim.id, code: outcome.code, why: outcome.text })
  const next = { to: 'blocked', notes: outcome.text } as const
  await tell(world, claim, next)
  return await queue.settle(claim, next)
}

/**
 * A task that nobody can say what to do with: its plan met something unexpected. Counted like a failed attempt, or it would
 * be tried for ever. What is to become of it; the state of the task is written already.
 */
export function putOff({ ledger, clock, machine, policy, redact }: World, claim: Claim, why: string): NextStep {
  const outcome = { code: 'error', text: redact(`could not be begun: ${why}`) } as const
  const { state, next = { to: 'open' } } = afterRun(ledger.stateOf(claim.id), outcome, {
    maxAttempts: policy().maxAttempts,
    now: clock.now(),
    jitter: machine.chance(),
    session: undefined,
    lane: undefined,
  })
  // Blocked without a run that could say why.
  ledger.saveState(next.to === 'blocked' ? { ...state, waiting: outcome.text } : state)
  return next
}
