import type { Outcome } from '../../domain/run/outcome.ts'
import type { Receipt } from '../../domain/run/receipt.ts'
import { afterRun } from '../../domain/run/retry.ts'
import type { Run } from '../../domain/run/run.ts'
import { withoutNul } from '../../domain/text/nul.ts'
import { enterLandingQueue } from '../landing/enter.ts'
import { closeLane, laneOf } from '../lanes.ts'
import { refuseModel } from '../refused-models.ts'
import { figuresOf } from '../run/figures.ts'
import { tracesOf } from '../run/follow.ts'
import type { LiveRun } from '../run/live-run.ts'
import { unlessUnread } from '../run/messages.ts'
import type { World } from '../world.ts'

export interface RecordedEnd {
  readonly run: Run
  /** Failures of the task that count. */
  readonly failures: number
  /** Its receipt, where that has another outcome in its file. */
  readonly amended?: Receipt
}

/** Writes the outcome to the ledger, with what the task and its lane become. */
export function recordEnd(world: World, live: LiveRun, given: Outcome): RecordedEnd {
  const { ledger } = world
  const { record } = live
  const now = world.clock.now()
  const clean = (words: string): string => withoutNul(world.environment.redact(words))
  const figures = figuresOf(world, live)
  const { own: changed, touched = [] } = live.ending.findings?.changes ?? {}
  return ledger.together(() => {
    const outcome = cleaned(unlessUnread(world, live, given), clean)
    const { text } = outcome
    const { receipt, isAmended } = receiptWith(live, outcome)
    const { state, next, lane, refusedModel } = afterRun(ledger.stateOf(record.task), outcome, {
      maxAttempts: world.policy().maxAttempts,
      now,
      jitter: world.machine.chance(),
      session: figures.session,
      lane: laneOf(world, record.lane),
    })
    ledger.ended(record.id, {
      at: now,
      outcome,
      figures,
      state,
      next,
      ...(changed && { changed }),
      ...(touched.length > 0 && { touched }),
      traces: tracesOf(live),
      ...(receipt && { receipt }),
    })
    enterLandingQueue(world, live, outcome)
    learnWindow(world, live)
    if (refusedModel !== undefined) refuseModel(world, record, refusedModel)
    if (lane !== undefined) closeLane(world, { ...lane, name: record.lane }, record.startedAt)
    const asked = askedBy(live, outcome)
    if (asked !== undefined) {
      const { options, suggestion } = asked
      // The redacted text of a question that the task waits for is its outcome's.
      const question = outcome.code === 'question' ? text : withoutNul(asked.text)
      ledger.ask({
        task: record.task,
        run: record.id,
        askedAt: now,
        text: question,
        options,
        suggestion: suggestion ?? null,
      })
    }
    return {
      run: { ...record, phase: 'ended' as const, endedAt: now, outcome, next: next ?? null, figures },
      failures: state.failures,
      ...(isAmended && { amended: receipt }),
    }
  })
}

/** A person may have told it something since its receipt was written. */
function receiptWith({ ending: { receipt } }: LiveRun, outcome: Outcome) {
  const isAmended = receipt !== undefined && receipt.outcome.code !== outcome.code
  return isAmended ? { receipt: { ...receipt, outcome }, isAmended } : { receipt, isAmended }
}

/** An agent chooses the names of files, too. */
function cleaned(given: Outcome, clean: (words: string) => string): Outcome {
  const { text, details, stall, sequence, otherwise } = given
  return {
    ...given,
    text: clean(text),
    ...(details !== undefined && { details: clean(details) }),
    ...(stall !== undefined && { stall: { ...stall, evidence: stall.evidence.map(clean) } }),
    ...(sequence !== undefined && { sequence: sequence.map(clean) }),
    ...(otherwise !== undefined && { otherwise: cleaned(otherwise, clean) }),
  }
}

/** The question to keep: one that the task waits for now, or one that its agent asked and then finished without. */
export function askedBy({ letters }: LiveRun, outcome: Outcome): LiveRun['letters']['asked'] {
  const { said, asked } = letters
  if (outcome.code === 'question') return said?.kind === 'ask' ? said : undefined
  return said?.kind === 'done' && !NOT_OURS.has(outcome.code) ? asked : undefined
}

/** Another machine may have the task by now. */
const NOT_OURS: ReadonlySet<Outcome['code']> = new Set(['taken-away', 'cut-off'])

/** The end that an earlier try has written already, if its commit went through. */
export function endInLedger({ ledger }: World, { record }: LiveRun): RecordedEnd | undefined {
  const run = ledger.run(record.id)
  if (run?.phase !== 'ended' && run?.phase !== 'settled') return undefined
  return { run, failures: ledger.stateOf(record.task).failures }
}

/** So that the next run with this model knows its window from the first answer on. */
function learnWindow({ ledger }: World, { digest, accounting, record }: LiveRun): void {
  const { window, model } = digest
  if (window === undefined || model === undefined || accounting.window?.tokens === window) return
  ledger.saveContextWindow(record.coder, model, window)
}
