import { type HomeStore, openHomeStore } from '../app.ts'
import { type Elsewhere, runningElsewhere } from '../domain/fleet/claimer.ts'
import type { Steering, SteeringFacts } from '../domain/fleet/steering.ts'
import { NEEDS_LANDING } from '../domain/landing/landing.ts'
import type { Receipt } from '../domain/run/receipt.ts'
import { NEEDS_REVIEW, type Review, rejectedState, reviewedReceipt } from '../domain/run/review.ts'
import type { Run, TaskState } from '../domain/run/run.ts'
import { NEEDS_APPROVAL } from '../domain/scope/approval.ts'
import type { Task } from '../domain/task/task.ts'
import { AppError } from '../errors.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import type { TaskChange } from '../ports/task-store.ts'
import { tryModelOf } from '../store/resume.ts'
import { changeState } from '../store/task-record.ts'
import { findTasks } from '../views/find-task.ts'
import { awaitedQuestion, knownOf } from '../views/task-knowledge.ts'
import type { ActionContext } from './action-context.ts'
import { askSupervisor } from './ask-supervisor.ts'
import { keepDecision } from './keep-decision.ts'
import { orderMachine } from './order-machine.ts'

export interface Steer {
  decide(facts: SteeringFacts): Steering
  /** The state of the task afterwards. */
  state(before: TaskState, by: string): TaskState
  /** The note on a task that becomes blocked. */
  note?(by: string): string
  /** A comment on a task that is opened. It stands there before the task can be claimed, so its next prompt has it. */
  readonly comment?: string | undefined
  /** The decision about work that waits for a person, which opening the task means. */
  sendsBack?(store: HomeStore, of: { readonly task: Task; readonly by: string }): SentBack | undefined
}

export interface SentBack {
  readonly run: Run
  readonly review: Review
}

/** The result for one task. */
export type Steered =
  | { readonly kind: 'changed'; readonly task: string }
  /** The task was in the wanted state already. */
  | { readonly kind: 'unchanged'; readonly task: string; readonly why: string }
  /** Its agent was stopped, on another machine where one is named. */
  | { readonly kind: 'interrupted'; readonly task: string; readonly machine?: string; readonly answer: string }
  | { readonly kind: 'refused'; readonly task: string; readonly why: string; readonly hint: string }
  /** The change did not succeed. The tasks after this one were not touched. */
  | { readonly kind: 'failed'; readonly task: string; readonly error: AppError }

/** Steers each task, in order. Throws if an id is wrong; then no task was touched. */
export async function steer(acting: ActionContext, texts: readonly string[], how: Steer): Promise<readonly Steered[]> {
  await using store = await openHomeStore(acting.home)
  const steered: Steered[] = []
  for (const { id } of await findTasks(store.queue, texts)) {
    try {
      steered.push(await steerOne({ acting, store, how }, id))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return [...steered, { kind: 'failed', task: id, error }]
    }
  }
  return steered
}

interface Doing {
  readonly acting: ActionContext
  readonly store: HomeStore
  readonly how: Steer
}

async function steerOne(doing: Doing, id: string): Promise<Steered> {
  const { acting, store, how } = doing
  const { steering, elsewhere, labels, sentBack } = await decided(doing, id)
  switch (steering.step) {
    case 'refuse':
      return { kind: 'refused', task: id, why: steering.why, hint: steering.hint }
    case 'nothing':
      return { kind: 'unchanged', task: id, why: steering.why }
    case 'interrupt':
      return await interrupt(doing, id, elsewhere)
    case 'block':
      await change(doing, id, { from: 'open', to: { status: 'blocked', ...noteOf(doing) } })
      await remember(doing, id)
      return { kind: 'changed', task: id }
    case 'open':
      if (how.comment !== undefined) await store.queue.comment(id, how.comment, acting.by)
      // The state first: a supervisor may claim the task as soon as it is open.
      await remember(doing, id, sentBack)
      tryModelOf(id, { ledger: doing.store.ledger, now: Date.now() })
      await opened(doing, sentBack, () =>
        change(doing, id, { from: steering.from, to: { status: 'open', assignee: '', ...withoutWaits(labels) } }),
      )
      return { kind: 'changed', task: id }
  }
}

/** The labels of the decision that the earlier attempt waits for. A person who accepts its work at this moment replaces one by the other. */
const WAITS: readonly string[] = [NEEDS_REVIEW, NEEDS_APPROVAL, NEEDS_LANDING]

function withoutWaits(labels: readonly string[]): TaskChange {
  return labels.some((label) => WAITS.includes(label)) ? { removeLabels: WAITS } : {}
}

interface Decided {
  readonly steering: Steering
  readonly labels: readonly string[]
  /** The other machine that runs it. */
  readonly elsewhere?: Elsewhere | undefined
  readonly sentBack?: SentBack | undefined
}

/** The decision is there before the next attempt can begin, and is taken back with a change that was refused. */
async function opened(
  { acting, store }: Doing,
  sentBack: SentBack | undefined,
  open: () => Promise<void>,
): Promise<void> {
  if (sentBack === undefined) return await open()
  const { run, review } = sentBack
  store.ledger.reviews.add(review)
  try {
    await open()
  } catch (error) {
    store.ledger.reviews.remove(review)
    throw error
  }
  const decided = (receipt: Receipt): Receipt => reviewedReceipt(receipt, review)
  keepDecision({ home: acting.home, store }, { run, landing: undefined, decided })
}

async function decided({ acting, store, how }: Doing, id: string): Promise<Decided> {
  const task = await store.queue.get(id)
  if (task === undefined) {
    return { steering: { step: 'refuse', why: 'is gone', hint: 'it was deleted in the meantime' }, labels: [] }
  }
  const run = store.ledger.openRunOf(id)
  const elsewhere = runningElsewhere(task, (await store.queue.hosts?.all()) ?? [], run?.claimedBy)
  const asked = awaitedQuestion(task, (await knownOf(store, [id]))(id)) !== undefined
  const steering = how.decide({ task, running: run !== undefined || elsewhere !== undefined, asked })
  const sentBack = steering.step === 'open' ? how.sendsBack?.(store, { task, by: acting.by }) : undefined
  return { steering, elsewhere, labels: task.labels, sentBack }
}

async function interrupt({ acting, store }: Doing, id: string, elsewhere: Elsewhere | undefined): Promise<Steered> {
  const { orders } = store.queue
  if (elsewhere !== undefined && orders !== undefined) {
    const wish = { kind: 'pause-task', task: id, by: acting.by } as const
    const answer = await orderMachine({ ...acting, orders }, wish, elsewhere)
    return { kind: 'interrupted', task: id, machine: elsewhere.machine, answer }
  }
  if (supervisorAlive(acting.home) === undefined) {
    throw new AppError('not-running', `${id} is running, and no supervisor is running to interrupt it`, {
      hint: `fleet run start takes it over; fleet kill ${id} ends it`,
    })
  }
  const wish = { kind: 'pause-task', tasks: [id] } as const
  const [answered] = await askSupervisor({ ...acting, ledger: store.ledger }, wish)
  if (answered?.answer !== undefined) return { kind: 'interrupted', task: id, answer: answered.answer }
  throw new AppError('not-running', `the supervisor ended before ${id} was interrupted`, { hint: 'run it again' })
}

/** Only while the task is still as it was read: a supervisor or a person may have been faster. */
async function change({ acting, store }: Doing, id: string, step: { from: string; to: TaskChange }): Promise<void> {
  const amendment = { change: step.to, expect: { status: step.from }, force: true }
  const result = await store.queue.amend(id, amendment, acting.by)
  if (result.kind === 'amended') return
  throw new AppError('conflict', `${id} was changed meanwhile; it was left as it is`, {
    hint: `fleet show ${id} says how it stands`,
  })
}

function noteOf({ acting, how }: Doing): TaskChange {
  return how.note === undefined ? {} : { appendNotes: how.note(acting.by) }
}

async function remember({ acting, store, how }: Doing, id: string, sentBack?: SentBack): Promise<void> {
  await changeState(store, id, (before) => {
    const state = how.state(before, acting.by)
    return sentBack === undefined ? state : rejectedState(state, sentBack.review)
  })
}
