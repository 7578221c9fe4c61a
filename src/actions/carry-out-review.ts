import type { HomeStore } from '../app.ts'
import type { Landing } from '../domain/landing/landing.ts'
import { isCarriedOut, NEEDS_REVIEW, type Review, rejectedState, unrejectedState } from '../domain/run/review.ts'
import type { Run, TaskState } from '../domain/run/run.ts'
import type { NextStep } from '../domain/task/next-step.ts'
import { AppError } from '../errors.ts'
import { changeState } from '../store/task-record.ts'

export interface ReviewDecision {
  readonly review: Review
  readonly run: Run
  readonly next: NextStep
  /** Of accepted work that is to land. */
  readonly landing: Landing | undefined
}

/**
 * Tells the queue, which carries the decision out or refuses it (false): the task has changed, or another person has decided.
 * All that has to be known before that is in the ledger first, and is taken back if the queue refuses.
 */
export async function carryOut(store: HomeStore, decision: ReviewDecision): Promise<boolean> {
  const { ledger, queue } = store
  const { review, run, next, landing } = decision
  const { task, by } = review
  // A supervisor may claim the task as soon as it is open.
  const before = review.decision === 'rejected' ? await reject(store, review) : undefined
  const takeBack = async (): Promise<void> => {
    ledger.together(() => {
      ledger.reviews.remove(review)
      if (landing !== undefined) ledger.landings.notAccepted(landing)
    })
    if (before !== undefined) await changeState(store, task, (state) => unrejectedState(state, { review, before }))
  }
  // The token of the run that was reviewed: it has had no other owner since. The person acts, not its claimer.
  const claim = { id: task, by, token: run.token }
  const ask = async (): Promise<boolean> =>
    await ledger.together(() => {
      ledger.reviews.add(review)
      if (landing !== undefined) ledger.landings.accepting(landing)
      return queue.settleBlocked(claim, next, { remove: [NEEDS_REVIEW] })
    })
  let done: boolean
  try {
    done = await ask()
  } catch (error) {
    // A connection may break after the server has carried it out.
    const found = await queue.get(task).catch(() => 'unknown' as const)
    if (found === 'unknown') throw undecided(task, error)
    if (found !== undefined && isCarriedOut(found, next)) return true
    await takeBack()
    throw error
  }
  if (!done) await takeBack()
  return done
}

/** The state before. */
async function reject(store: HomeStore, review: Review): Promise<TaskState> {
  let before: TaskState | undefined
  await changeState(store, review.task, (state) => {
    before ??= state
    return rejectedState(state, review)
  })
  return before ?? store.ledger.stateOf(review.task)
}

/** The written rows stay: a supervisor asks the queue about a landing, and a person may decide again. */
function undecided(task: string, cause: unknown): AppError {
  return new AppError('queue', `the queue did not say whether the decision about ${task} was carried out`, {
    hint: `fleet review ${task} shows how it stands when the queue answers again`,
    cause,
  })
}
