import { type HomeStore, openHomeStore } from '../app.ts'
import { type Landing, NEEDS_LANDING } from '../domain/landing/landing.ts'
import { NEEDS_REVIEW, type Review, reviewedReceipt, stateOfRejected } from '../domain/run/review.ts'
import type { Run, TaskState } from '../domain/run/run.ts'
import type { NextStep } from '../domain/task/next-step.ts'
import { withoutNul } from '../domain/text/nul.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { changeState } from '../store/task-record.ts'
import { findTask } from '../views/find-task.ts'
import { reviewIn } from '../views/review/reviews.ts'
import type { ActionContext } from './action-context.ts'
import { carryOut, type ReviewDecision } from './carry-out-review.ts'
import { changedMeanwhile, keepDecision, landingOf } from './keep-decision.ts'
import { letProgramsRun } from './land.ts'

export interface ReviewWish {
  /** An id, an id without its prefix, or the beginning of one. */
  readonly task: string
  readonly decision: 'accepted' | 'rejected'
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
  const isOfPrograms = standing.kind === 'programs'
  if (wish.run !== undefined && wish.run !== run.id) throw changedMeanwhile(task.id, `fleet review ${task.id}`)
  const review: Review = { task: task.id, run: run.id, decision: wish.decision, by, at: Date.now(), note }
  if (isOfPrograms && review.decision === 'accepted') {
    if (note !== '') throw noNote(task.id)
    await letProgramsRun({ home, store, by }, task.id)
    return { review, becomes: 'landing' }
  }
  const summary = receipt?.claim?.summary ?? run.outcome?.text ?? ''
  const landing =
    review.decision === 'accepted'
      ? landingOf(store, { run, receipt, summary, at: review.at, sendBack: sendingBack(task.id) })
      : undefined
  const decision: ReviewDecision = {
    review,
    run,
    landing,
    next: nextStep(review, { landing, summary }),
    waits: NEEDS_REVIEW,
    ...(isOfPrograms && { takes: [NEEDS_LANDING] }),
    command: `fleet review ${task.id}`,
    ...(review.decision === 'rejected' && { state: stateOfRejected(review) }),
  }
  if (!(await carryOut(store, decision))) {
    throw changedMeanwhile(task.id, `fleet review ${task.id}`)
  }
  await keep({ home, store }, { review, run, landing, summary })
  return { review, becomes: review.decision === 'rejected' ? 'open' : landing === undefined ? 'closed' : 'landing' }
}

function sendingBack(task: string): string {
  return `fleet review ${task} --reject "<note>" sends it back, fleet retry ${task} starts again`
}

function nextStep(
  { decision }: Review,
  { landing, summary }: { landing: Landing | undefined; summary: string },
): NextStep {
  if (decision === 'rejected') return { to: 'open' }
  return landing === undefined ? { to: 'closed', reason: summary } : { to: 'blocked', addLabels: [NEEDS_LANDING] }
}

/** The consequences of a decision that the queue has confirmed. */
async function keep(
  { home, store }: { home: Home; store: HomeStore },
  { review, run, landing, summary }: { review: Review; run: Run; landing: Landing | undefined; summary: string },
): Promise<void> {
  keepDecision({ home, store }, { run, landing, decided: (receipt) => reviewedReceipt(receipt, review) })
  if (review.decision === 'rejected') return
  // A task that waits for a review is found by its last outcome.
  const lastOutcome = { code: landing === undefined ? 'done' : NEEDS_LANDING, text: summary } as const
  await changeState(store, review.task, (state) => (isReviewed(state) ? { ...state, lastOutcome } : state))
}

/** A supervisor may have landed the work by now, or sent it back. */
function isReviewed({ lastOutcome }: TaskState): boolean {
  // Another person's rejection that came too late may be about to be taken back.
  return lastOutcome?.code === NEEDS_REVIEW || lastOutcome?.code === 'review-rejected'
}

function noNote(task: string): AppError {
  return new AppError(
    'usage',
    `hooks, filters and configuration of the repository of ${task} are accepted without a note`,
    {
      hint: `fleet review ${task} --accept`,
    },
  )
}
