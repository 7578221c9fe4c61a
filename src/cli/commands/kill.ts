import { type HomeStore, openHomeStore } from '../../app.ts'
import { nothingToKill } from '../../domain/steering.ts'
import { AppError } from '../../errors.ts'
import type { Command } from '../command.ts'
import { findTasks } from '../follow/find-task.ts'
import { askSupervisor } from '../steer/ask-supervisor.ts'
import { personFrom } from '../steer/person.ts'
import { withSupervisor } from '../steer/with-supervisor.ts'

export const kill: Command = {
  name: 'kill',
  summary: 'end the agents of tasks, and say what it took',
  usage: '<id>...|--all',
  about: `Ends the agents of these tasks with everything they started, and comes back when no process of them is left. The tasks
are blocked; fleet resume or fleet retry opens them again. Works without a supervisor, too.`,
  flags: [{ name: 'all', kind: 'switch', help: 'every running agent' }],
  async run(call) {
    const { home, flags, args, env, print, warn } = call
    if (flags.on('all') === args.length > 0) throw new AppError('usage', 'fleet kill takes task ids, or --all')
    const by = personFrom(env)
    await using store = await openHomeStore(home)
    const { ledger } = store
    const tasks = flags.on('all') ? ledger.openRuns().map((run) => run.task) : await runningOf(store, args)
    if (tasks.length === 0) return void print('Nothing is running.')
    // Again for what a supervisor did not tell because it went away.
    for (let left: readonly string[] = tasks; left.length > 0; ) {
      const wish = { kind: 'kill', tasks: left, by } as const
      const answers = await withSupervisor(call, () => askSupervisor({ home, ledger, warn }, wish))
      for (const { task, answer } of answers) if (answer !== undefined) print(`${task}: ${answer}`)
      left = answers.flatMap(({ task, answer }) => (answer === undefined ? [task] : []))
    }
  },
}

/** All of them must be running: a wrong id among several is better told before any agent is ended. */
async function runningOf({ queue, ledger }: HomeStore, texts: readonly string[]): Promise<string[]> {
  const tasks = await findTasks(queue, texts)
  const idle = tasks
    .filter(({ id }) => ledger.openRunOf(id) === undefined)
    .map((task) => ({ task, ...nothingToKill(task) }))
  const [first] = idle
  if (first === undefined) return tasks.map(({ id }) => id)
  const which = idle.map(({ task, why }) => `${task.id} ${why}`).join(', ')
  throw new AppError('conflict', `${which}; nothing was ended`, { hint: first.hint })
}
