import type { Outcome } from '../run/outcome.ts'
import type { Receipt } from '../run/receipt.ts'
import { type AwaitedDecision, type Review, reviewOnReceipt } from '../run/review.ts'

/** Of a task that waits until a person lets its work through. */
export const NEEDS_APPROVAL = 'needs-approval'

/** The paths that people have let through for a task. `receiptOf`: of a run, if there is one. */
export function approvedPaths(
  reviews: readonly Review[],
  receiptOf: (run: string) => Receipt | undefined,
): ReadonlySet<string> {
  const approved = reviews.filter(({ decision }) => decision === 'approved')
  return new Set(approved.flatMap(({ run }) => receiptOf(run)?.scope?.outside.map(({ path }) => path) ?? []))
}

export const APPROVAL: AwaitedDecision = {
  label: NEEDS_APPROVAL,
  code: 'out-of-scope',
  command: 'fleet approve',
  noun: 'an approval',
  verb: 'approve',
}

/** What left the bounds stays on the receipt, with the decision about it. */
export function approvedReceipt(
  receipt: Receipt,
  { review, outcome }: { readonly review: Review; readonly outcome: Outcome },
): Receipt {
  const { scope } = receipt
  return { ...receipt, outcome, ...(scope && { scope: { ...scope, approved: reviewOnReceipt(review) } }) }
}
