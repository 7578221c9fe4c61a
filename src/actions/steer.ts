import { actorFrom, type HomeStore, openHomeStore } from '../app.ts'
import type { Call } from '../cli/command.ts'
import { type Elsewhere, runningElsewhere } from '../domain/fleet/claimer.ts'
import type { Steering, SteeringFacts } from '../domain/fleet/steering.ts'
import type { TaskState } from '../domain/run/run.ts'
import { AppError } from '../errors.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { TaskChange, TaskStore } from '../ports/task-store.ts'
import { findTasks } from '../views/find-task.ts'
import { awaitedQuestion, changeState, knownOf } from '../views/known.ts'
import { askSupervisor } from './ask-supervisor.ts'
import { orderMachine } from './order-machine.ts'

export interface Steer {
  decide(facts: SteeringFacts): Steering
  /** What the ledger remembers of the task once it is done. */
  state(before: TaskState, by: string): TaskState
  /** The note on a task that is blocked. */
  note?(by: string): string
  /** For `fleet-a1b <done>`. */
  readonly done: string
}

/** Does it to each task; exit 5 if one of them refused, after the others were served. */
export async function steer(call: Call, texts: readonly string[], how: Steer): Promise<number> {
  const by = actorFrom(call.env, undefined)
  await using local = await openHomeStore(call.home)
  const { queue: store, ledger } = local
  const tasks = await findTasks(store, texts)
  let code = 0
  for (const { id } of tasks) {
    const { steering, elsewhere } = await decided(local, id, how)
    if (steering.step === 'refuse') {
      code = refused(call, id, steering, tasks.length)
      continue
    }
    call.print(`${id}${await carryOut({ call, store, ledger, by, how, elsewhere }, id, steering)}`)
  }
  return code
}

interface Decided {
  readonly steering: Steering
  /** Where its agent is, if that is another machine. */
  readonly elsewhere?: Elsewhere | undefined
}

async function decided(stores: HomeStore, id: string, how: Steer): Promise<Decided> {
  const task = await stores.queue.get(id)
  if (task === undefined) {
    return { steering: { step: 'refuse', why: 'is gone', hint: 'somebody deleted it meanwhile' } }
  }
  const run = stores.ledger.openRunOf(id)
  const elsewhere = runningElsewhere(task, (await stores.queue.hosts?.all()) ?? [], run?.claimedBy)
  const asked = awaitedQuestion(task, (await knownOf(stores, [id]))(id)) !== undefined
  return { steering: how.decide({ task, running: run !== undefined || elsewhere !== undefined, asked }), elsewhere }
}

interface Doing {
  readonly call: Call
  readonly store: TaskStore
  readonly ledger: Ledger
  readonly by: string
  readonly how: Steer
  readonly elsewhere: Elsewhere | undefined
}

async function carryOut(doing: Doing, id: string, steering: Exclude<Steering, { step: 'refuse' }>): Promise<string> {
  switch (steering.step) {
    case 'nothing':
      return ` ${steering.why}`
    case 'interrupt':
      return await interrupt(doing, id)
    case 'block':
      await change(doing, id, { from: 'open', to: { status: 'blocked', ...noteOf(doing) } })
      await remember(doing, id)
      return ` ${doing.how.done}`
    case 'open':
      // First what is remembered: a supervisor may claim it the moment it is open.
      await remember(doing, id)
      await change(doing, id, { from: steering.from, to: { status: 'open', assignee: '' } })
      return ` ${doing.how.done}`
  }
}

async function interrupt({ call, store, ledger, by, elsewhere }: Doing, id: string): Promise<string> {
  if (elsewhere !== undefined && store.orders !== undefined) {
    const wish = { kind: 'pause-task', task: id, by } as const
    const answer = await orderMachine({ orders: store.orders, warn: call.warn }, wish, elsewhere)
    return ` on ${elsewhere.machine}: ${answer}`
  }
  if (supervisorAlive(call.home) === undefined) {
    throw new AppError('not-running', `${id} is running, and no supervisor is there to interrupt it`, {
      hint: `fleet run start takes it over; fleet kill ${id} ends it`,
    })
  }
  const [answered] = await askSupervisor(
    { home: call.home, ledger, warn: call.warn },
    { kind: 'pause-task', tasks: [id], by },
  )
  if (answered?.answer !== undefined) return `: ${answered.answer}`
  throw new AppError('not-running', `the supervisor went away before ${id} was interrupted`, { hint: 'run it again' })
}

/** Only while it is as we saw it: a supervisor or a person may have been quicker. */
async function change({ store, by }: Doing, id: string, step: { from: string; to: TaskChange }): Promise<void> {
  const result = await store.amend(id, { change: step.to, expect: { status: step.from }, force: true }, by)
  if (result.kind === 'amended') return
  throw new AppError('conflict', `${id} was changed by somebody else meanwhile; it was left as it is`, {
    hint: `fleet show ${id} says how it stands`,
  })
}

function noteOf({ how, by }: Doing): TaskChange {
  return how.note === undefined ? {} : { appendNotes: how.note(by) }
}

async function remember({ store, ledger, by, how }: Doing, id: string): Promise<void> {
  await changeState({ queue: store, ledger }, id, (before) => how.state(before, by))
}

/** Thrown where it is the only one; otherwise told, and the exit code is the answer. */
export function refused(call: Call, id: string, { why, hint }: { why: string; hint: string }, among: number): number {
  const error = new AppError('conflict', `${id} ${why}`, { hint })
  if (among === 1) throw error
  call.warn(`fleet: ${error.message}\n  ${hint}`)
  return error.exitCode
}
