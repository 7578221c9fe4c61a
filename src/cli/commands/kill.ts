import { type HomeStore, openHomeStore } from '../../app.ts'
import { type Elsewhere, runningElsewhere } from '../../domain/claimer.ts'
import { nothingToKill } from '../../domain/steering.ts'
import type { Task } from '../../domain/task.ts'
import { AppError } from '../../errors.ts'
import type { Orders } from '../../ports/orders.ts'
import type { Call, Command } from '../command.ts'
import { findTasks } from '../follow/find-task.ts'
import { askSupervisor } from '../steer/ask-supervisor.ts'
import { orderMachine } from '../steer/order-machine.ts'
import { personFrom } from '../steer/person.ts'
import { refused } from '../steer/steer.ts'
import { withSupervisor } from '../steer/with-supervisor.ts'

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
    const by = personFrom(env)
    await using store = await openHomeStore(home)
    const { ledger } = store
    const asked = flags.on('all') ? undefined : await asksFor(store, args)
    const elsewhere = asked?.elsewhere ?? []
    const tasks = asked?.running ?? ledger.openRuns().map((run) => run.task)
    const idle = asked?.idle ?? []
    if (tasks.length + elsewhere.length + idle.length === 0) return void print('Nothing is running.')
    const code = idle.reduce((_, task) => refused(call, task.id, nothingToKill(task), args.length), 0)
    // Again for what a supervisor did not tell because it went away.
    for (let left: readonly string[] = tasks; left.length > 0; ) {
      const wish = { kind: 'kill', tasks: left, by } as const
      const answers = await withSupervisor(call, () => askSupervisor({ home, ledger, warn }, wish))
      for (const { task, answer } of answers) if (answer !== undefined) print(`${task}: ${answer}`)
      left = answers.flatMap(({ task, answer }) => (answer === undefined ? [task] : []))
    }
    await endElsewhere(call, elsewhere, by)
    return code
  },
}

/** All at once: a machine that does not answer keeps no other from being asked. */
async function endElsewhere({ print, warn }: Call, tasks: readonly TaskElsewhere[], by: string): Promise<void> {
  const ended = await Promise.allSettled(
    tasks.map(async ({ id, at, orders }) => {
      const answer = await orderMachine({ orders, warn }, { kind: 'kill', task: id, by }, at)
      print(`${id} on ${at.machine}: ${answer}`)
    }),
  )
  const [first, ...more] = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []))
  for (const { message } of more) warn(`fleet: ${message}`)
  if (first !== undefined) throw first
}

interface TaskElsewhere {
  readonly id: string
  readonly at: Elsewhere
  readonly orders: Orders
}

/** A wrong id is told before any agent is ended; one that has just ended by itself does not save the others. */
async function asksFor({ queue, ledger }: HomeStore, texts: readonly string[]) {
  const tasks = await findTasks(queue, texts)
  const { orders } = queue
  const running: string[] = []
  const elsewhere: TaskElsewhere[] = []
  const idle: Task[] = []
  for (const task of tasks) {
    const at = runningElsewhere(task)
    if (ledger.openRunOf(task.id) !== undefined) running.push(task.id)
    else if (at !== undefined && orders !== undefined) elsewhere.push({ id: task.id, at, orders })
    else idle.push(task)
  }
  return { running, elsewhere, idle }
}
