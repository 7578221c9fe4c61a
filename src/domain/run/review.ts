import type { NextStep } from '../task/next-step.ts'
import type { Outcome, OutcomeCode } from './outcome.ts'
import type { Receipt } from './receipt.ts'
import { withFreshAttempts } from './retry.ts'
import type { Run, TaskState } from './run.ts'

/** A person's decision about the work of one run. */
export interface Review {
  readonly task: string
  readonly run: string
  /** `approved`: a person let through what left the bounds of its task. */
  readonly decision: 'accepted' | 'rejected' | 'approved'
  readonly by: string
  readonly at: number
  /** '': none. */
  readonly note: string
}

/** On a receipt. */
export interface ReviewOnReceipt {
  readonly decision: Review['decision']
  readonly by: string
  readonly at: string
  readonly note: string | null
}

/** Of a task that waits until a person has looked at its work. */
export const NEEDS_REVIEW = 'needs-review'

export type Reviewable =
  | { readonly kind: 'waits'; readonly run: Run }
  /** Its work has passed; a person looks at the hooks, filters or configuration of its repository before it lands. */
  | { readonly kind: 'programs'; readonly run: Run; readonly why: string }
  | { readonly kind: 'not'; readonly why: string; readonly hint: string }

/** A decision that a task may wait for: its label, the outcome of its last attempt, and the command for it. */
export interface AwaitedDecision {
  readonly label: string
  readonly code: OutcomeCode
  readonly command: string
  readonly noun: string
  /** What a person does with the work. */
  readonly verb: string
}

const REVIEW: AwaitedDecision = {
  label: NEEDS_REVIEW,
  code: NEEDS_REVIEW,
  command: 'fleet review',
  noun: 'a review',
  verb: 'accept',
}

interface Deciding {
  readonly id: string
  readonly status: string
  readonly labels: readonly string[]
}

interface LastAttempt {
  readonly last: Run | undefined
  readonly machine: string | undefined
  /** Its landing is stopped by changed hooks, filters or configuration: a sentence about them. */
  readonly stopped?: string | undefined
}

export function reviewable(task: Deciding, attempt: LastAttempt): Reviewable {
  return decidable(REVIEW, task, attempt)
}

/** Whether a person can decide about a task now. `last`: its last attempt on this machine. */
export function decidable(
  { label, code, command, noun, verb }: AwaitedDecision,
  { id, status, labels }: Deciding,
  { last, machine, stopped }: LastAttempt,
): Reviewable {
  const not = (why: string, hint: string): Reviewable => ({ kind: 'not', why, hint })
  if (status !== 'blocked' || !labels.includes(label)) {
    return not(
      status === 'blocked'
        ? `is blocked, but not for ${noun}`
        : `is ${status}, and waits for ${noun.replace(/^an? /, 'no ')}`,
      `fleet show ${id} says how it stands; ${command} lists what waits`,
    )
  }
  if (machine !== undefined) return not(`ran on ${machine}, where its work is`, `${command} ${id} on that machine`)
  if (last?.outcome == null) {
    return not('has no attempt on this machine', `fleet bd close ${id} closes it; fleet retry ${id} starts it`)
  }
  if (stopped !== undefined) return { kind: 'programs', run: last, why: stopped }
  // The label may be left from an earlier attempt, or stand there by hand.
  if (last.outcome.code !== code) {
    return not(
      `ended as ${last.outcome.code}, so there is nothing to ${verb}`,
      `fleet show ${id} says why; fleet retry ${id}`,
    )
  }
  return { kind: 'waits', run: last }
}

/** Only `fleet retry` sends work back without a note. */
export function rejectionText({ by, note }: Pick<Review, 'by' | 'note'>): string {
  return note === '' ? `${by} sent it back with fleet retry` : `${by} reviewed it and sent it back: ${note}`
}

/**
 * A check needs a person only because it found out nothing about the work, as of a command that cannot be run. Another try
 * then takes nothing from it.
 */
export function isUnjudged(receipt: Pick<Receipt, 'checks'> | undefined): boolean {
  const checks = receipt?.checks ?? []
  return checks.some(({ verdict, guarded }) => verdict === 'needs-person' && guarded === undefined)
}

/** The next attempt continues the session, has the note in its prompt, and gets a fresh set of attempts. */
export function rejectedState(state: TaskState, review: Pick<Review, 'by' | 'note'>): TaskState {
  const lastOutcome: Outcome = { code: 'review-rejected', text: rejectionText(review) }
  return { ...withFreshAttempts(state), lastOutcome }
}

/** For a rejection that was not carried out. `before`: the state before it. An attempt since may have written another one. */
export function unrejectedState(
  state: TaskState,
  { review, before }: { readonly review: Pick<Review, 'by' | 'note'>; readonly before: TaskState },
): TaskState {
  const own = rejectedState(before, review).lastOutcome
  if (state.lastOutcome?.code !== own?.code || state.lastOutcome?.text !== own?.text) return state
  const { failures, stalls, handOvers, lastOutcome } = before
  return { ...state, failures, stalls, handOvers, lastOutcome }
}

/** How a rejection changes the state of its task, and how that is taken back. */
export function stateOfRejected(review: Pick<Review, 'by' | 'note'>) {
  return {
    after: (state: TaskState) => rejectedState(state, review),
    undone: (state: TaskState, before: TaskState) => unrejectedState(state, { review, before }),
  }
}

/** Whether a task stands as a decision leaves it. */
export function isCarriedOut(
  { status, labels }: { readonly status: string; readonly labels: readonly string[] },
  { next: { to }, waits }: { readonly next: NextStep; readonly waits: string },
): boolean {
  if (labels.includes(waits)) return false
  return status === to || (to === 'open' && status === 'in_progress')
}

export function reviewedReceipt(receipt: Receipt, given: Review): Receipt {
  const review = reviewOnReceipt(given)
  return { ...receipt, ...(given.decision === 'accepted' && { level: 'reviewed' }), review }
}

export function reviewOnReceipt({ decision, by, at, note }: Review): ReviewOnReceipt {
  return { decision, by, at: new Date(at).toISOString(), note: note === '' ? null : note }
}
