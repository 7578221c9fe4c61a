import type { OutcomeCode } from './outcome.ts'
import type { Run } from './run.ts'

/** After these somebody else decides, and what comes next is new work. */
const ENDS_CHAIN: ReadonlySet<OutcomeCode> = new Set(['done', 'needs-review', 'taken-away'])

/** Whether no later attempt goes on from one that ended so. */
export function endsChain(code: OutcomeCode): boolean {
  return ENDS_CHAIN.has(code)
}

/**
 * The attempts whose work a run goes on with, oldest first, itself last. One that was stopped, limited or said no word may
 * have done all there was to do: who goes on from it need not change anything any more. `runs`: of its task, oldest first.
 */
export function attemptChain(runs: readonly Run[], run: Run): readonly Run[] {
  const found = [run]
  for (const earlier of runs.toReversed()) {
    if (earlier.attempt >= run.attempt) continue
    if (earlier.cwd !== run.cwd || earlier.outcome === null || endsChain(earlier.outcome.code)) break
    found.unshift(earlier)
  }
  return found
}
