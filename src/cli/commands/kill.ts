import { askSupervisor } from '../../actions/ask-supervisor.ts'
import { allOrThrow, orderMachine } from '../../actions/order-machine.ts'
import { refused } from '../../actions/steer.ts'
import { withSupervisor } from '../../actions/with-supervisor.ts'
import { actorFrom, openLedger, openQueue } from '../../app.ts'
import { type Elsewhere, runningElsewhere } from '../../domain/fleet/claimer.ts'
import { nothingToKill } from '../../domain/fleet/steering.ts'
import type { Task } from '../../domain/task/task.ts'
import { AppError } from '../../errors.ts'
import type { Home } from '../../platform/files/home.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { Orders } from '../../ports/orders.ts'
import type { TaskStore } from '../../ports/task-store.ts'
import { findTasks } from '../../views/find-task.ts'
import type { Call, Command } from '../command.ts'

export const kill: Command = {
  name: 'kill',
  summary: 'end the agents of tasks, and say what it took',
  usage: '<id>...|--all',
  about: `Ends the agents of these tasks with everything they started, and comes back when no process of them is left. The tasks
are blocked; fleet resume or fleet retry opens them again. Works without a supervisor, too. Where machines share the
queue, a task that runs on another is ended there, by that machine's supervisor; --all means this machine.`,
  flags: [{ name: 'all', kind: 'switch', help: 'every running agent of this machine' }],
  async run(call) {
    const { home, flags, args, env, print, warn } = call
    if (flags.on('all') === args.length > 0) throw new AppError('usage', 'fleet kill takes task ids, or --all')
    const by = actorFrom(env, undefined)
    using ledger = openLedger(home)
    if (flags.on('all')) {
      const tasks = ledger.openRuns().map((run) => run.task)
      if (tasks.length === 0) print('Nothing is running.')
      return await endHere(call, { ledger, tasks, by })
    }
    await using queue = await queueUnlessAway(home, ledger, args)
    if (queue === undefined) return await endHere(call, { ledger, tasks: openHere(ledger, args) ?? [], by })
    const { running, elsewhere, idle } = await asksFor({ queue, ledger }, args)
    const code = idle.reduce((_, task) => refused(call, task.id, nothingToKill(task), args.length), 0)
    await endHere(call, { ledger, tasks: running, by })
    await allOrThrow({ warn }, elsewhere, async ({ id, at, orders }) => {
      const answer = await orderMachine({ orders, warn }, { kind: 'kill', task: id, by }, at)
      print(`${id} on ${at.machine}: ${answer}`)
    })
    return code
  },
}

interface EndingHere {
  readonly ledger: Ledger
  readonly tasks: readonly string[]
  readonly by: string
}

async function endHere(call: Call, { ledger, tasks, by }: EndingHere): Promise<undefined> {
  const { home, print, warn } = call
  // Again for what a supervisor did not tell because it went away.
  for (let left = tasks; left.length > 0; ) {
    const wish = { kind: 'kill', tasks: left, by } as const
    const answers = await withSupervisor(call, () => askSupervisor({ home, ledger, warn }, wish))
    for (const { task, answer } of answers) if (answer !== undefined) print(`${task}: ${answer}`)
    left = answers.flatMap(({ task, answer }) => (answer === undefined ? [task] : []))
  }
}

/** undefined: it is away, and all that is asked for runs here. */
async function queueUnlessAway(home: Home, ledger: Ledger, texts: readonly string[]): Promise<TaskStore | undefined> {
  try {
    return await openQueue(home)
  } catch (error) {
    if (error instanceof AppError && error.code === 'queue' && openHere(ledger, texts) !== undefined) return undefined
    throw error
  }
}

/** Tasks with an agent here, by whole ids or ids without their prefix; undefined: not all of them are. */
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

/** A wrong id is told before any agent is ended; one that has just ended by itself does not save the others. */
async function asksFor({ queue, ledger }: { queue: TaskStore; ledger: Ledger }, texts: readonly string[]) {
  const tasks = await findTasks(queue, texts)
  const { orders } = queue
  const hosts = (await queue.hosts?.all()) ?? []
  const running: string[] = []
  const elsewhere: TaskElsewhere[] = []
  const idle: Task[] = []
  for (const task of tasks) {
    const run = ledger.openRunOf(task.id)
    const at = runningElsewhere(task, hosts, run?.claimedBy)
    if (run !== undefined) running.push(task.id)
    if (at !== undefined && orders !== undefined) elsewhere.push({ id: task.id, at, orders })
    else if (run === undefined) idle.push(task)
  }
  return { running, elsewhere, idle }
}
