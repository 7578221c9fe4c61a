import type { RecordedChanges } from './changes.ts'
import type { Outcome, OutcomeCode } from './outcome.ts'

/** An attempt that ended by itself, and short of its claim or its evidence. */
const FELL_SHORT: ReadonlySet<OutcomeCode> = new Set(['no-claim', 'no-evidence', 'no-progress'])

/** How an attempt ended, and what it changed; undefined: nothing. */
export interface Step {
  readonly outcome: Outcome | null
  readonly changed: RecordedChanges | undefined
}

/**
 * Twice in a row with no new file, diff or commit: whatever this session tries leads nowhere, so the next attempt is told
 * so and begins without it. Trouble of another kind has reasons of its own, and keeps them. `before`: the attempt before.
 */
export function judgedByProgress(
  outcome: Outcome,
  changed: RecordedChanges | undefined,
  before: Step | undefined,
): Outcome {
  const isIdle = ({ outcome, changed }: Step) =>
    outcome !== null && FELL_SHORT.has(outcome.code) && changed === undefined
  if (before === undefined || !isIdle({ outcome, changed }) || !isIdle(before)) return outcome
  return { code: 'no-progress', text: `no progress in two attempts: ${outcome.text}` }
}
