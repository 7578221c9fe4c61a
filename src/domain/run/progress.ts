import { type RecordedChanges, showsWork } from './changes.ts'
import type { Outcome, OutcomeCode } from './outcome.ts'

/** The attempt ended by itself, without a claim or without enough evidence. */
const FELL_SHORT: ReadonlySet<OutcomeCode> = new Set(['no-claim', 'no-evidence', 'no-progress'])

/** How an attempt ended, and its changes; undefined if there are none. */
export interface Step {
  readonly outcome: Outcome | null
  readonly changed: RecordedChanges | undefined
}

/**
 * Two attempts in a row without a new file, diff or commit become `no-progress`: this session leads nowhere, so the next
 * attempt learns the reason and starts a new one. Other outcomes stay as they are. `before`: the previous attempt.
 */
export function judgedByProgress(
  outcome: Outcome,
  changed: RecordedChanges | undefined,
  before: Step | undefined,
): Outcome {
  const isIdle = ({ outcome, changed }: Step) =>
    outcome !== null && FELL_SHORT.has(outcome.code) && (changed === undefined || !showsWork(changed))
  if (before === undefined || !isIdle({ outcome, changed }) || !isIdle(before)) return outcome
  return { code: 'no-progress', text: `no progress in two attempts: ${outcome.text}` }
}
