import type { HomeStore } from '../app.ts'
import type { Landing } from '../domain/landing/landing.ts'
import type { Outcome } from '../domain/run/outcome.ts'
import { isCarriedOut, type Review } from '../domain/run/review.ts'
import type { Run, TaskState } from '../domain/run/run.ts'
import type { NextStep } from '../domain/task/next-step.ts'
import { AppError } from '../errors.ts'
import { changeState } from '../store/task-record.ts'

export interface ReviewDecision {
  readonly review: Review
  readonly run: Run
  readonly next: NextStep
  /** The label of the decision that the task waits for. */
  readonly waits: string
  /** Of work that is to land. */
  readonly landing: Landing | undefined
  /** Further labels that it takes away. */
  readonly takes?: readonly string[]
  /** The state of a task that is opened: a supervisor may claim it at once. Absent: it stays. */
  readonly state?: StateOfOpened
  /** The outcome that its run has by the decision; absent: it keeps its own. */
  readonly outcome?: Outcome
  /** Shows how the task stands. */
  readonly command: string
}

interface StateOfOpened {
  after(state: TaskState): TaskState
  /** For a decision that was not carried out. `before`: the state before it. */
  undone(state: TaskState, before: TaskState): TaskState
}

/**
 * Tells the queue, which carries the decision out or refuses it (false): the task has changed, or another person has decided.
 * All that has to be known before that is in the ledger first, and is taken back if the queue refuses.
 */
export async function carryOut(store: HomeStore, decision: ReviewDecision): Promise<boolean> {
  const { ledger, queue } = store
  const { review, run, next, landing, waits, takes = [], outcome } = decision
  const { task, by } = review
  const before = decision.state && (await changed(store, task, decision.state))
  const takeBack = async (): Promise<void> => {
    ledger.together(() => {
      ledger.reviews.remove(review)
      if (landing !== undefined) ledger.landings.notAccepted(landing)
      if (outcome !== undefined) ledger.reviews.amendEnd(run.id, run)
    })
    const { state } = decision
    if (state !== undefined && before !== undefined) await changeState(store, task, (now) => state.undone(now, before))
  }
  // The token of the run that was reviewed: it has had no other owner since. The person acts, not its claimer.
  const claim = { id: task, by, token: run.token }
  const ask = async (): Promise<boolean> =>
    await ledger.together(() => {
      ledger.reviews.add(review)
      if (landing !== undefined) ledger.landings.accepting(landing)
      if (outcome !== undefined) ledger.reviews.amendEnd(run.id, { outcome, next })
      return queue.settleBlocked(claim, next, { remove: [waits, ...takes] })
    })
  let done: boolean
  try {
    done = await ask()
  } catch (error) {
    // A connection may break after the server has carried it out.
    const found = await queue.get(task).catch(() => 'unknown' as const)
    if (found === 'unknown') throw undecided(decision, error)
    if (found !== undefined && isCarriedOut(found, { next, waits })) return true
    await takeBack()
    throw error
  }
  if (!done) await takeBack()
  return done
}

/** The state before. */
async function changed(store: HomeStore, task: string, { after }: StateOfOpened): Promise<TaskState> {
  let before: TaskState | undefined
  await changeState(store, task, (state) => {
    before ??= state
    return after(state)
  })
  return before ?? store.ledger.stateOf(task)
}

/** The written rows stay: a supervisor asks the queue about a landing, and a person may decide again. */
function undecided({ review: { task }, command }: ReviewDecision, cause: unknown): AppError {
  return new AppError('queue', `the queue did not say whether the decision about ${task} was carried out`, {
    hint: `${command} shows how it stands when the queue answers again`,
    cause,
  })
}
