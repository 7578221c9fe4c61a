import { openLedger, openQueue } from '../app.ts'
import { type Elsewhere, runningElsewhere } from '../domain/fleet/claimer.ts'
import { nothingToKill } from '../domain/fleet/steering.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Orders } from '../ports/orders.ts'
import type { TaskStore } from '../ports/task-store.ts'
import { findTasks } from '../views/find-task.ts'
import type { ActionContext, Program } from './action-context.ts'
import { askSupervisor } from './ask-supervisor.ts'
import { orderAll, orderMachine } from './order-machine.ts'
import { withSupervisor } from './with-supervisor.ts'

export interface Killing extends ActionContext {
  readonly env: NodeJS.ProcessEnv
  /** Without a supervisor this process stands in for one. */
  readonly program: Program
}

export interface Killed {
  readonly ended: readonly EndedTask[]
  /** Tasks without an agent. */
  readonly refused: readonly RefusedTask[]
  /** Other machines that did not answer. */
  readonly failed: readonly AppError[]
}

export interface EndedTask {
  readonly task: string
  /** undefined: this machine. */
  readonly machine?: string
  /** How it ended, in the words of its supervisor. */
  readonly answer: string
}

export interface RefusedTask {
  readonly task: string
  readonly why: string
  readonly hint: string
}

/** Ends every agent of this machine with all its processes. */
export async function killAll(killing: Killing): Promise<Killed> {
  using ledger = openLedger(killing.home)
  const tasks = ledger.openRuns().map((run) => run.task)
  return { ended: await endHere({ ...killing, ledger }, tasks), refused: [], failed: [] }
}

/** Ends the agents of these tasks, on whichever machine they run. Throws if an id is wrong; then no agent was ended. */
export async function killTasks(killing: Killing, texts: readonly string[]): Promise<Killed> {
  const { home, by } = killing
  using ledger = openLedger(home)
  await using queue = await queueIfReachable(home, ledger, texts)
  if (queue === undefined) {
    return { ended: await endHere({ ...killing, ledger }, openHere(ledger, texts) ?? []), refused: [], failed: [] }
  }
  const { running, elsewhere, refused } = await wherever({ queue, ledger }, texts)
  const ended = await endHere({ ...killing, ledger }, running)
  const { done, failed } = await orderAll(elsewhere, async ({ id, at, orders }) => {
    const answer = await orderMachine({ ...killing, orders }, { kind: 'kill', task: id, by }, at)
    return { task: id, machine: at.machine, answer }
  })
  return { ended: [...ended, ...done], refused, failed }
}

async function endHere(killing: Killing & { ledger: Ledger }, tasks: readonly string[]): Promise<EndedTask[]> {
  const ended: EndedTask[] = []
  // Repeated for tasks whose supervisor ended before it answered.
  for (let left = tasks; left.length > 0; ) {
    const answers = await withSupervisor(killing, () => askSupervisor(killing, { kind: 'kill', tasks: left }))
    left = []
    for (const { task, answer } of answers) {
      if (answer === undefined) left = [...left, task]
      else ended.push({ task, answer })
    }
  }
  return ended
}

/** undefined: the queue cannot be reached, and all these tasks run here. */
async function queueIfReachable(home: Home, ledger: Ledger, texts: readonly string[]): Promise<TaskStore | undefined> {
  try {
    return await openQueue(home)
  } catch (error) {
    if (error instanceof AppError && error.code === 'queue' && openHere(ledger, texts) !== undefined) return undefined
    throw error
  }
}

/** Tasks that run here, by whole ids or ids without their prefix; undefined: not all of them run here. */
function openHere(ledger: Ledger, texts: readonly string[]): readonly string[] | undefined {
  const open = ledger.openRuns().map(({ task }) => task)
  const found = texts.map((text) => open.find((task) => task === text || task.endsWith(`-${text}`)))
  return found.every((task) => task !== undefined) ? [...new Set(found)] : undefined
}

interface TaskElsewhere {
  readonly id: string
  readonly at: Elsewhere
  readonly orders: Orders
}

/** Sorts the tasks by where they run. A task without an agent does not keep the others from being ended. */
async function wherever({ queue, ledger }: { queue: TaskStore; ledger: Ledger }, texts: readonly string[]) {
  const tasks = await findTasks(queue, texts)
  const { orders } = queue
  const hosts = (await queue.hosts?.all()) ?? []
  const running: string[] = []
  const elsewhere: TaskElsewhere[] = []
  const refused: RefusedTask[] = []
  for (const task of tasks) {
    const run = ledger.openRunOf(task.id)
    const at = runningElsewhere(task, hosts, run?.claimedBy)
    if (run !== undefined) running.push(task.id)
    if (at !== undefined && orders !== undefined) elsewhere.push({ id: task.id, at, orders })
    else if (run === undefined) refused.push({ task: task.id, ...nothingToKill(task) })
  }
  return { running, elsewhere, refused }
}
