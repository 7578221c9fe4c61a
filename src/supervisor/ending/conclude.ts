import type { Outcome } from '../../domain/run/outcome.ts'
import { afterRun } from '../../domain/run/retry.ts'
import type { Run } from '../../domain/run/run.ts'
import type { NextStep } from '../../domain/task/next-step.ts'
import { withoutNul } from '../../domain/text/nul.ts'
import { closeLane, laneOf } from '../lanes.ts'
import { claimOf, figuresOf, type LiveRun } from '../run/live-run.ts'
import { tell } from '../shared/travel.ts'
import type { World } from '../world.ts'

/**
 * The run's last word, in steps that may each fail and be done again: the ledger learns the outcome and what its task is
 * to become, the queue is settled, the ledger learns that it was. A supervisor that dies in between leaves a run that is
 * `ended`, and the next one settles it; the claim's token keeps that from happening twice.
 */
export function recordEnd(world: World, live: LiveRun, given: Outcome): RecordedEnd {
  const { ledger } = world
  const { record, said } = live
  const now = world.clock.now()
  const text = withoutNul(world.environment.redact(given.text))
  const outcome = { ...given, text }
  const figures = figuresOf(world, live)
  return ledger.together(() => {
    const { state, next, lane } = afterRun(ledger.stateOf(record.task), outcome, {
      maxAttempts: world.policy().maxAttempts,
      now,
      jitter: world.machine.chance(),
      session: figures.session,
      lane: laneOf(world, record.lane),
    })
    ledger.ended(record.id, { at: now, outcome, figures, state, next, ...(live.changed && { changed: live.changed }) })
    learnWindow(world, live)
    if (lane !== undefined) closeLane(world, { ...lane, name: record.lane }, record.startedAt)
    if (outcome.code === 'question' && said?.kind === 'ask') {
      const { options, suggestion } = said
      ledger.ask({ task: record.task, run: record.id, askedAt: now, text, options, suggestion: suggestion ?? null })
    }
    return {
      run: { ...record, phase: 'ended' as const, endedAt: now, outcome, next: next ?? null, figures },
      failures: state.failures,
    }
  })
}

/** For the next that asks the same model, from its first answer on. */
function learnWindow({ ledger }: World, { digest, learnt, record }: LiveRun): void {
  const { window, model } = digest
  if (window === undefined || model === undefined || learnt?.tokens === window) return
  ledger.saveContextWindow(record.coder, model, window)
}

/** Also where people and agents read it. The ledger has it already: a file that an agent made unwritable loses nothing. */
export function tellQuestion(world: World, { record, said }: LiveRun, { outcome, endedAt }: Run): void {
  if (outcome?.code !== 'question' || said?.kind !== 'ask') return
  const { options, suggestion } = said
  world.questions.asked(record.task, { text: outcome.text, options, suggestion: suggestion ?? null, at: endedAt ?? 0 })
}

export interface RecordedEnd {
  readonly run: Run
  /** Counted ones of the task. */
  readonly failures: number
}

export interface Settled {
  readonly next: NextStep | undefined
  /** false: the task was somebody else's by then, and nothing was written to it. */
  readonly ours: boolean
}

export async function settle(world: World, run: Run): Promise<Settled> {
  const next = run.next ?? undefined
  if (next === undefined) return { next, ours: false }
  const claim = claimOf(run)
  // Whoever claims it next looks there first. Alone with our queue we settle at once, in the ledger's own transaction.
  if (world.records !== undefined) await tell(world, claim, next)
  return { next, ours: await world.queue.settle(claim, next) }
}
