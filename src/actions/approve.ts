import { type HomeStore, openHomeStore } from '../app.ts'
import { isSameState, type Landing, NEEDS_LANDING } from '../domain/landing/landing.ts'
import { isPassed, type Outcome } from '../domain/run/outcome.ts'
import { afterRun } from '../domain/run/retry.ts'
import { NEEDS_REVIEW, type Review } from '../domain/run/review.ts'
import type { Run, TaskState } from '../domain/run/run.ts'
import { approvedReceipt, NEEDS_APPROVAL } from '../domain/scope/approval.ts'
import type { Breach } from '../domain/scope/breach.ts'
import type { NextStep } from '../domain/task/next-step.ts'
import { withoutNul } from '../domain/text/nul.ts'
import { AppError } from '../errors.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import { approvalIn } from '../views/approvals.ts'
import { policyInForce } from '../views/configuration.ts'
import { findTask } from '../views/find-task.ts'
import type { ActionContext } from './action-context.ts'
import { carryOut, type ReviewDecision } from './carry-out-review.ts'
import { changedMeanwhile, keepDecision, landingOf } from './keep-decision.ts'

export interface ApprovalWish {
  /** An id, an id without its prefix, or the beginning of one. */
  readonly task: string
  /** '': none. */
  readonly note: string
  /** The run whose changes the person has seen; undefined: its last one. */
  readonly run?: string | undefined
  /** Also where the record does not name every change. */
  readonly all: boolean
}

export interface Approved {
  readonly review: Review
  /** The outcome that its run has now. */
  readonly outcome: Outcome
  /** The changes that it let through, as far as the record names them, and how many. */
  readonly outside: readonly Breach[]
  readonly outsideCount: number
  /** `landing`: it is closed when its work is on its target branch. `review`: a person still has to look at the work. */
  readonly becomes: 'closed' | 'landing' | 'review' | 'open' | 'blocked'
}

/**
 * A person lets work through that left the bounds of its task. The task goes on with this work as it would have without them:
 * its checks have run already, so no other attempt is needed.
 */
export async function approveTask({ home, by }: ActionContext, wish: ApprovalWish): Promise<Approved> {
  await using store = await openHomeStore(home)
  const task = await findTask(store.queue, wish.task)
  const { standing, receipt } = await approvalIn(store, task)
  if (standing.kind === 'not') throw new AppError('conflict', `${task.id} ${standing.why}`, { hint: standing.hint })
  const { run } = standing
  if (wish.run !== undefined && wish.run !== run.id) {
    throw new AppError('conflict', `${task.id} has a later attempt than ${wish.run}: what waits now is of ${run.id}`, {
      hint: 'fleet approve lists what waits',
    })
  }
  const { outside = [], outside_count: outsideCount = 0 } = receipt?.scope ?? {}
  if (outsideCount > outside.length && !wish.all) {
    const named = `${task.id} left its scope with ${outsideCount} changes, and its receipt names ${outside.length}`
    throw new AppError('conflict', named, { hint: `fleet approve ${task.id} --all lets all of them through` })
  }
  const otherwise = run.outcome?.otherwise
  if (otherwise === undefined) throw new AppError('conflict', `${task.id} has no record of how its work ended`)
  const { policy, problem } = await policyInForce(home, supervisorAlive(home))
  if (policy === undefined) throw new AppError('config', problem)
  const review: Review = {
    ...{ task: task.id, run: run.id, decision: 'approved', by },
    ...{ at: Date.now(), note: withoutNul(wish.note.trim()) },
  }
  const sendBack = `fleet retry ${task.id} starts again`
  const landing = isPassed(otherwise.code)
    ? landingOf(store, { run, receipt, summary: otherwise.text, at: review.at, sendBack })
    : undefined
  const outcome: Outcome = landing === undefined ? otherwise : { ...otherwise, code: NEEDS_LANDING }
  const { state, next } = afterDecision(store, { outcome, run, maxAttempts: policy.maxAttempts, at: review.at })
  const decision: ReviewDecision = {
    ...{ review, run, landing, outcome, next, waits: NEEDS_APPROVAL, command: `fleet show ${task.id}` },
    state: { after: () => state, undone: (now, before) => (isSameState(now, state) ? before : now) },
  }
  if (!(await carryOut(store, decision))) throw changedMeanwhile(task.id, `fleet show ${task.id}`)
  keepDecision({ home, store }, { run, landing, decided: (receipt) => approvedReceipt(receipt, { review, outcome }) })
  return { review, outcome, outside, outsideCount, becomes: becomesOf(next, { landing, outcome }) }
}

/** As at the end of a run with this outcome. */
function afterDecision(
  { ledger }: HomeStore,
  { outcome, run, maxAttempts, at }: { outcome: Outcome; run: Run; maxAttempts: number; at: number },
): { state: TaskState; next: NextStep } {
  const before = ledger.stateOf(run.task)
  const { state, next } = afterRun(before, outcome, {
    ...{ maxAttempts, now: at, jitter: 0.5, session: before.session, lane: undefined },
  })
  if (next === undefined) throw new AppError('conflict', `nothing is to become of ${run.task}`)
  return { state, next }
}

function becomesOf(
  { to }: NextStep,
  { landing, outcome }: { landing: Landing | undefined; outcome: Outcome },
): Approved['becomes'] {
  if (to === 'closed' || to === 'open') return to
  if (landing !== undefined) return 'landing'
  return outcome.code === NEEDS_REVIEW ? 'review' : 'blocked'
}
