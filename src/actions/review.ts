import { type HomeStore, openHomeStore } from '../app.ts'
import { type Landing, NEEDS_LANDING } from '../domain/landing/landing.ts'
import { landingOfReviewed } from '../domain/landing/reviewed.ts'
import { type Receipt, receiptText } from '../domain/run/receipt.ts'
import { NEEDS_REVIEW, type Review, rejectedState, reviewedReceipt } from '../domain/run/review.ts'
import type { Run } from '../domain/run/run.ts'
import type { NextStep } from '../domain/task/next-step.ts'
import { withoutNul } from '../domain/text/nul.ts'
import { AppError } from '../errors.ts'
import { replacePrivate } from '../platform/files/attempt-folder.ts'
import type { Home } from '../platform/files/home.ts'
import { changeState } from '../store/task-record.ts'
import { findTask } from '../views/find-task.ts'
import { reviewIn } from '../views/review/reviews.ts'
import { attemptFolder } from '../views/task-file.ts'
import type { ActionContext } from './action-context.ts'

export interface ReviewWish {
  /** An id, an id without its prefix, or the beginning of one. */
  readonly task: string
  readonly decision: Review['decision']
  /** For a rejected task it is required: the agent continues with it. */
  readonly note: string
  /** The run whose work the person has seen; absent: the last one. */
  readonly run?: string
}

export interface Reviewed {
  readonly review: Review
  /** `landing`: it is closed when its work is on its target branch. */
  readonly becomes: 'closed' | 'landing' | 'open'
}

/** A person accepts the work of a task, or sends it back to its agent. Nothing happens if the task has changed meanwhile. */
export async function reviewTask({ home, by }: ActionContext, wish: ReviewWish): Promise<Reviewed> {
  const note = withoutNul(wish.note.trim())
  if (wish.decision === 'rejected' && note === '') {
    throw new AppError('usage', 'a rejection needs a note: the agent continues with it', {
      hint: `fleet review ${wish.task} --reject "<what to change>"`,
    })
  }
  await using store = await openHomeStore(home)
  const task = await findTask(store.queue, wish.task)
  const { standing, receipt } = await reviewIn(store, task)
  if (standing.kind === 'not') throw new AppError('conflict', `${task.id} ${standing.why}`, { hint: standing.hint })
  const { run } = standing
  if (wish.run !== undefined && wish.run !== run.id) throw changedMeanwhile(task.id)
  const review: Review = { task: task.id, run: run.id, decision: wish.decision, by, at: Date.now(), note }
  const summary = receipt?.claim?.summary ?? run.outcome?.text ?? ''
  const landing = review.decision === 'accepted' ? landingOf(store, { run, receipt, summary }) : undefined
  await carryOut(store, { review, run, next: nextStep(review, { landing, summary }), landing })
  // A task that waits for a review is found by its last outcome.
  if (review.decision === 'accepted') {
    const lastOutcome = { code: landing === undefined ? 'done' : NEEDS_LANDING, text: summary } as const
    await changeState(store, task.id, (state) => ({ ...state, lastOutcome }))
  }
  if (receipt !== undefined) keepOnReceipt({ home, store }, { review, run, receipt })
  return { review, becomes: review.decision === 'rejected' ? 'open' : landing === undefined ? 'closed' : 'landing' }
}

function landingOf(
  { ledger }: HomeStore,
  { run, ...more }: { run: Run; receipt: Receipt | undefined; summary: string },
): Landing | undefined {
  const worktree = ledger.worktreeOf(run.task)
  return landingOfReviewed(run, { ...more, worktree, now: Date.now(), before: ledger.landings.of(run.task) })
}

function nextStep(
  { decision }: Review,
  { landing, summary }: { landing: Landing | undefined; summary: string },
): NextStep {
  if (decision === 'rejected') return { to: 'open' }
  return landing === undefined ? { to: 'closed', reason: summary } : { to: 'blocked', addLabels: [NEEDS_LANDING] }
}

/** The state first: a supervisor may claim the task as soon as it is open. */
async function carryOut(
  store: HomeStore,
  { review, run, next, landing }: { review: Review; run: Run; next: NextStep; landing: Landing | undefined },
): Promise<void> {
  const { task, by } = review
  const before = store.ledger.stateOf(task)
  if (review.decision === 'rejected') await changeState(store, task, (state) => rejectedState(state, review))
  // The token of the run that was reviewed: nothing else may have happened to the task. The person acts, not its claimer.
  const claim = { id: task, by, token: run.token }
  const settled = store.ledger.together(() => {
    store.ledger.reviews.add(review)
    if (landing !== undefined) store.ledger.landings.save(landing)
    return store.queue.settleBlocked(claim, next, { remove: [NEEDS_REVIEW] })
  })
  const undo = async (): Promise<void> => {
    store.ledger.reviews.remove(review)
    if (landing !== undefined) store.ledger.landings.save({ ...landing, state: { at: 'over', landed: null } })
    if (review.decision === 'rejected') await changeState(store, task, () => before)
  }
  if (!(await undoing(settled, undo))) throw changedMeanwhile(task)
}

/** Undoes the writes for a step that did not happen. */
async function undoing(step: Promise<boolean>, undo: () => Promise<void>): Promise<boolean> {
  try {
    const happened = await step
    if (!happened) await undo()
    return happened
  } catch (error) {
    await undo()
    throw error
  }
}

function changedMeanwhile(task: string): AppError {
  return new AppError('conflict', `${task} was changed meanwhile, and was left as it is`, {
    hint: `fleet review ${task} shows how it stands now`,
  })
}

/** The ledger's copy counts; a file that cannot be written takes nothing from the decision. */
function keepOnReceipt(
  { home, store }: { home: Home; store: HomeStore },
  { review, run, receipt }: { review: Review; run: Run; receipt: Receipt },
): void {
  const reviewed = reviewedReceipt(receipt, review)
  store.ledger.amendReceipt(run.id, reviewed)
  try {
    replacePrivate(`${attemptFolder(home.task(run.task), run.attempt)}/receipt.json`, receiptText(reviewed))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
  }
}
