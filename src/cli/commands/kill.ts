import { type HomeStore, openHomeStore } from '../../app.ts'
import { nothingToKill } from '../../domain/steering.ts'
import { AppError } from '../../errors.ts'
import type { Command } from '../command.ts'
import { findTasks } from '../follow/find-task.ts'
import { askSupervisor } from '../steer/ask-supervisor.ts'
import { personFrom } from '../steer/person.ts'
import { refused } from '../steer/steer.ts'
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
    const asked = flags.on('all') ? undefined : await asksFor(store, args)
    const tasks = asked?.running ?? ledger.openRuns().map((run) => run.task)
    const idle = asked?.idle ?? []
    if (tasks.length === 0 && idle.length === 0) return void print('Nothing is running.')
    const code = idle.reduce((_, task) => refused(call, task.id, nothingToKill(task), args.length), 0)
    // Again for what a supervisor did not tell because it went away.
    for (let left: readonly string[] = tasks; left.length > 0; ) {
      const wish = { kind: 'kill', tasks: left, by } as const
      const answers = await withSupervisor(call, () => askSupervisor({ home, ledger, warn }, wish))
      for (const { task, answer } of answers) if (answer !== undefined) print(`${task}: ${answer}`)
      left = answers.flatMap(({ task, answer }) => (answer === undefined ? [task] : []))
    }
    return code
  },
}

/** A wrong id is told before any agent is ended; one that has just ended by itself does not save the others. */
async function asksFor({ queue, ledger }: HomeStore, texts: readonly string[]) {
  const tasks = await findTasks(queue, texts)
  const isRunning = ({ id }: { id: string }): boolean => ledger.openRunOf(id) !== undefined
  return {
    running: tasks.filter(isRunning).map(({ id }) => id),
    idle: tasks.filter((task) => !isRunning(task)),
  }
}
