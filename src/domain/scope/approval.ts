import type { Outcome } from '../run/outcome.ts'
import type { Receipt } from '../run/receipt.ts'
import { type AwaitedDecision, type Review, reviewOnReceipt } from '../run/review.ts'
import type { Breach, BreachKind } from './breach.ts'

/** Of a task that waits until a person lets its work through. */
export const NEEDS_APPROVAL = 'needs-approval'

/**
 * The changes that people have let through for a task, which its later attempts have, too. A push, a deletion and changes that
 * nobody saw were let through once: done again, they are others. `receiptOf`: of a run, if there is one.
 */
export function approvedChanges(
  reviews: readonly Review[],
  receiptOf: (run: string) => Receipt | undefined,
): readonly Breach[] {
  const approved = reviews.filter(({ decision }) => decision === 'approved')
  return approved.flatMap(({ run }) => receiptOf(run)?.scope?.outside.filter(({ why }) => LASTING.has(why)) ?? [])
}

const LASTING: ReadonlySet<BreachKind> = new Set(['scope', 'read-only', 'protected'])

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
