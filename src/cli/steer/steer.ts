import { openHomeStore } from '../../app.ts'
import type { TaskState } from '../../domain/run.ts'
import type { Steering, SteeringFacts } from '../../domain/steering.ts'
import { AppError } from '../../errors.ts'
import { supervisorAlive } from '../../platform/supervisor-lock.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { TaskChange, TaskStore } from '../../ports/task-store.ts'
import type { Call } from '../command.ts'
import { findTasks } from '../follow/find-task.ts'
import { askSupervisor } from './ask-supervisor.ts'
import { personFrom } from './person.ts'

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
  const by = personFrom(call.env)
  await using local = await openHomeStore(call.home)
  const { queue: store, ledger } = local
  const tasks = await findTasks(store, texts)
  let code = 0
  for (const { id } of tasks) {
    const steering = await decided(store, ledger, id, how)
    if (steering.step === 'refuse') {
      code = refused(call, id, steering, tasks.length)
      continue
    }
    call.print(`${id}${await carryOut({ call, store, ledger, by, how }, id, steering)}`)
  }
  return code
}

async function decided(store: TaskStore, ledger: Ledger, id: string, how: Steer): Promise<Steering> {
  const task = await store.get(id)
  if (task === undefined) return { step: 'refuse', why: 'is gone', hint: 'somebody deleted it meanwhile' }
  const running = ledger.openRunOf(id) !== undefined
  const asked = ledger.questionsOf(id).some((question) => question.answeredAt === null)
  return how.decide({ task, running, asked })
}

interface Doing {
  readonly call: Call
  readonly store: TaskStore
  readonly ledger: Ledger
  readonly by: string
  readonly how: Steer
}

async function carryOut(doing: Doing, id: string, steering: Exclude<Steering, { step: 'refuse' }>): Promise<string> {
  switch (steering.step) {
    case 'nothing':
      return ` ${steering.why}`
    case 'interrupt':
      return await interrupt(doing, id)
    case 'block':
      await change(doing, id, { from: 'open', to: { status: 'blocked', ...noteOf(doing) } })
      remember(doing, id)
      return ` ${doing.how.done}`
    case 'open':
      // First what is remembered: a supervisor may claim it the moment it is open.
      remember(doing, id)
      await change(doing, id, { from: steering.from, to: { status: 'open', assignee: '' } })
      return ` ${doing.how.done}`
  }
}

async function interrupt({ call, ledger, by }: Doing, id: string): Promise<string> {
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

function remember({ ledger, by, how }: Doing, id: string): void {
  ledger.together(() => ledger.saveState(how.state(ledger.stateOf(id), by)))
}

/** One that stands alone is an ordinary error; among others it is told, and the others are still served. */
/** Thrown where it is the only one; otherwise told, and the exit code is the answer. */
export function refused(call: Call, id: string, { why, hint }: { why: string; hint: string }, among: number): number {
  const error = new AppError('conflict', `${id} ${why}`, { hint })
  if (among === 1) throw error
  call.warn(`fleet: ${error.message}\n  ${hint}`)
  return error.exitCode
}
