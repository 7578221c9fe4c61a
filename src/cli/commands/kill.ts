import { killAll, killTasks } from '../../actions/kill.ts'
import { AppError } from '../../errors.ts'
import { actionContext } from '../action-context.ts'
import type { Command } from '../command.ts'
import { thisProgram } from '../program.ts'
import { printRefused, throwFirst } from '../steered.ts'

export const kill: Command = {
  name: 'kill',
  summary: 'end the agents of tasks, and say how each ended',
  usage: '<id>...|--all',
  about: `Ends the agents of these tasks with everything they started, and returns when no process of them is left. The tasks
are blocked; fleet resume or fleet retry opens them again. Works without a supervisor, too. Where machines share the
queue, a task that runs on another is ended there, by that machine's supervisor; --all means this machine.`,
  flags: [{ name: 'all', kind: 'switch', help: 'every running agent of this machine' }],
  async run(call) {
    const { flags, args, env, print } = call
    if (flags.on('all') === args.length > 0) throw new AppError('usage', 'fleet kill takes task ids, or --all')
    const killing = { ...actionContext(call), env, program: thisProgram() }
    const { ended, refused, failed } = flags.on('all') ? await killAll(killing) : await killTasks(killing, args)
    if (flags.on('all') && ended.length === 0) print('Nothing is running.')
    let code = 0
    for (const each of refused) code = printRefused(call, each)
    for (const { task, machine, answer } of ended) {
      print(`${task}${machine === undefined ? '' : ` on ${machine}`}: ${answer}`)
    }
    throwFirst(call, failed)
    return code
  },
}
