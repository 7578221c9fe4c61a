import type { Outcome } from './outcome.ts'

/** The result of one check of a run that was judged done. */
export type CheckVerdict =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly outcome: Outcome }
  /** Nothing is wrong, but only a person can say that the task is done. */
  | { readonly kind: 'needs-person'; readonly text: string }

export interface CheckResult {
  /** Of the check. */
  readonly name: string
  readonly verdict: CheckVerdict
}

/** A failed check decides; after it, one that needs a person. */
export function outcomeAfterChecks(judged: Outcome, results: readonly CheckResult[]): Outcome {
  const verdicts = results.map(({ verdict }) => verdict)
  const failed = verdicts.find((each) => each.kind === 'failed')
  if (failed !== undefined) return failed.outcome
  const needing = verdicts.find((each) => each.kind === 'needs-person')
  return needing === undefined ? judged : { code: 'needs-review', text: needing.text }
}
