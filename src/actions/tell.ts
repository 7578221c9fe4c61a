import { type HomeStore, openHomeStore } from '../app.ts'
import { coderFor } from '../coders/registry.ts'
import { HOOK_PART } from '../domain/agent/hook-order.ts'
import { MESSAGE_LIMIT, type Message } from '../domain/agent/message.ts'
import { type Way, wayOf } from '../domain/fleet/attention.ts'
import { type Elsewhere, runningElsewhere } from '../domain/fleet/claimer.ts'
import { type Reach, reachAfter, telling, tooLate } from '../domain/fleet/telling.ts'
import type { Run } from '../domain/run/run.ts'
import { settingsOf } from '../domain/task/settings.ts'
import type { Task } from '../domain/task/task.ts'
import { AppError } from '../errors.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import { homeAttempts } from '../store/attempts.ts'
import { findTask } from '../views/find-task.ts'
import { awaitedQuestion, knownOf } from '../views/task-knowledge.ts'
import type { ActionContext } from './action-context.ts'
import { askSupervisor } from './ask-supervisor.ts'
import { orderMachine } from './order-machine.ts'

export interface Telling {
  readonly task: string
  readonly text: string
  /** Interrupt the turn of a working agent for it. */
  readonly now: boolean
}

export interface Told {
  readonly message: Message
  readonly reach: Reach
  /** Nothing runs, and a person has to do something before it does. */
  readonly blocked?: Way | 'question'
  /** No run of it is under way. */
  readonly idle?: true
  /** The machine that runs it, where that is another one. */
  readonly machine?: string
  /** The end of the run that was to be interrupted for it, in the words of its supervisor. */
  readonly ended?: string
  /** No supervisor is running, which would hand it over. */
  readonly unattended?: true
}

/** Tells the agent of a task something. The message is a comment first, so it is in the next prompt whatever happens. */
export async function tell(acting: ActionContext, { task: text, text: said, now }: Telling): Promise<Told> {
  const words = said.trim()
  if (words === '') throw new AppError('usage', 'there is no text', { hint: 'fleet tell <id> "<what it should know>"' })
  if (words.length > MESSAGE_LIMIT) {
    throw new AppError('usage', `the text has ${words.length} characters of at most ${MESSAGE_LIMIT}`, {
      hint: 'put it into a file, and tell the agent the path',
    })
  }
  await using store = await openHomeStore(acting.home)
  const task = await findTask(store.queue, text)
  const run = store.ledger.openRunOf(task.id)
  const elsewhere = runningElsewhere(task, (await store.queue.hosts?.all()) ?? [], run?.claimedBy)
  const decided = telling({ task, isScript: await isScript(store, task), running: runningWith(acting, run, elsewhere) })
  if (decided.step === 'refuse') throw new AppError('conflict', `${task.id} ${decided.why}`, { hint: decided.hint })
  const message = await keep({ acting, store }, task, words)
  const at = elsewhere !== undefined && store.queue.orders !== undefined ? elsewhere : undefined
  const told = { message, reach: decided.reach }
  if (at !== undefined) return { ...told, ...(await tellMachine({ acting, store }, message, { at, now })) }
  const isAttended = supervisorAlive(acting.home) !== undefined
  const ended = run !== undefined && isAttended && now ? await interrupt({ acting, store }, task.id) : undefined
  const current = await unlessLate(store, message)
  if (run === undefined) return { ...told, idle: true, ...(await blockedBy(store, current)) }
  if (ended === undefined) return isAttended ? told : { ...told, unattended: true }
  const reach = reachAfter(store.ledger.run(run.id)?.outcome)
  return { message, reach, ended, ...(await blockedBy(store, current)) }
}

interface Doing {
  readonly acting: ActionContext
  readonly store: HomeStore
}

async function keep({ acting: { by }, store: { queue, ledger } }: Doing, task: Task, text: string): Promise<Message> {
  await queue.comment(task.id, text, by)
  const comment = (await queue.comments(task.id)).findLast((each) => each.author === by && each.text === text)
  if (comment === undefined) {
    throw new AppError('conflict', `${task.id} was deleted or changed meanwhile`, {
      hint: 'look at it, and tell it again',
    })
  }
  return ledger.messages.add({ task: task.id, comment: comment.id, by, at: Date.now(), text })
}

/** The machine that runs the task finds the comment in the shared queue. */
async function tellMachine({ acting, store }: Doing, message: Message, { at, now }: { at: Elsewhere; now: boolean }) {
  const { orders } = store.queue
  if (orders === undefined) return {}
  const wish = { kind: now ? 'tell-now' : 'tell', task: message.task, by: acting.by, about: message.comment } as const
  const answer = await orderMachine({ ...acting, orders }, wish, at)
  if (!now) return { machine: at.machine }
  const { state } = (await knownOf(store, [message.task]))(message.task)
  return { machine: at.machine, ended: answer, reach: reachAfter(state.lastOutcome) }
}

async function interrupt({ acting, store }: Doing, task: string): Promise<string> {
  const [answered] = await askSupervisor({ ...acting, ledger: store.ledger }, { kind: 'tell-now', tasks: [task] })
  if (answered?.answer !== undefined) return answered.answer
  throw new AppError('not-running', `the supervisor ended before ${task} was interrupted`, {
    hint: 'the message is kept; the next supervisor hands it over',
  })
}

/** Its run may have begun and ended, and its outcome may have been decided, before the message was kept. */
async function unlessLate({ ledger, queue }: HomeStore, { id, task }: Message): Promise<Task | undefined> {
  // The ledger first: it knows the end of a run before the queue does.
  const last = ledger.runsOf(task).at(-1)
  const current = await queue.get(task)
  const late = tooLate(task, { last, task: current })
  const isRead = ledger.messages.of(task).some((each) => each.id === id && each.delivery !== null)
  if (late !== undefined && !isRead) throw new AppError('conflict', `${task} ${late.why}`, { hint: late.hint })
  return current
}

async function blockedBy(store: HomeStore, task: Task | undefined): Promise<Pick<Told, 'blocked'>> {
  if (task?.status !== 'blocked') return {}
  const known = (await knownOf(store, [task.id]))(task.id)
  const isAsked = awaitedQuestion(task, known) !== undefined
  return { blocked: isAsked ? 'question' : wayOf({ state: known.state, lastRun: known.last, labels: task.labels }) }
}

/** As its run began; the task itself may have been edited since. */
function runningWith({ home }: ActionContext, run: Run | undefined, elsewhere: Elsewhere | undefined) {
  if (elsewhere !== undefined) return 'with-hooks'
  if (run === undefined) return undefined
  return homeAttempts(home).isPart(run.task, run.attempt, HOOK_PART) ? 'with-hooks' : 'without-hooks'
}

async function isScript({ ledger }: HomeStore, task: Task): Promise<boolean> {
  const name = ledger.openRunOf(task.id)?.coder ?? settingsOf(task.metadata).coder ?? ledger.stateOf(task.id).coder
  const coder = name == null ? undefined : await coderFor(name)
  return coder?.traits.evidence === 'exit'
}
