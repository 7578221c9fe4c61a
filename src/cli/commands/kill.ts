import { killAll, killTasks } from '../../actions/kill.ts'
import { pauseClaiming } from '../../actions/pause.ts'
import { plainLine } from '../../domain/text/plain.ts'
import { AppError } from '../../errors.ts'
import { leavingSoon } from '../../platform/process/leaving.ts'
import { type NextUp, nextUp } from '../../views/next-up.ts'
import { actionContext } from '../action-context.ts'
import type { Command } from '../command.ts'
import { thisProgram } from '../program.ts'
import { printRefused, throwFirst } from '../steered.ts'

export const kill: Command = {
  name: 'kill',
  summary: 'end the agents of tasks, and say how each ended',
  usage: '<id>...|--all [--pause]',
  about: `Ends the agents of these tasks with everything they started, and returns when no process of them is left. The tasks
are blocked; fleet resume or fleet retry opens them again. Works without a supervisor, too. Where machines share the
queue, a task that runs on another is ended there, by that machine's supervisor; --all means this machine. The slots are
free then, and the supervisor starts the next ready tasks at once; --pause stops claiming first, as fleet pause does.`,
  flags: [
    { name: 'all', kind: 'switch', help: 'every running agent of this machine' },
    { name: 'pause', kind: 'switch', help: 'with --all: stop claiming first, so that nothing new is started' },
  ],
  async run(call) {
    const { flags, args, env, print } = call
    if (flags.on('all') === args.length > 0) throw new AppError('usage', 'fleet kill takes task ids, or --all')
    if (flags.on('pause') && !flags.on('all')) {
      throw new AppError('usage', '--pause goes with --all: the other agents would keep running', {
        hint: 'fleet pause stops claiming; fleet pause <id> interrupts one task',
      })
    }
    using _leaving = leavingSoon()
    const killing = { ...actionContext(call), env, program: thisProgram() }
    if (flags.on('pause')) pauseClaiming(killing)
    const { ended, refused, failed } = flags.on('all') ? await killAll(killing) : await killTasks(killing, args)
    if (flags.on('all') && ended.length === 0) print('Nothing is running.')
    let code = 0
    for (const each of refused) code = printRefused(call, each)
    for (const { task, machine, answer } of ended) {
      print(`${task}${machine === undefined ? '' : ` on ${machine}`}: ${answer}`)
    }
    if (flags.on('pause')) print('Paused: nothing new is started. Continue with: fleet resume')
    const next = flags.on('all') ? await nextUp(call.home, new Set(ended.map(({ task }) => task))) : undefined
    if (next !== undefined) print(nextText(next))
    throwFirst(call, failed)
    return code
  },
}

function nextText({ first, more }: NextUp): string {
  const named = first.map(({ id, title }) => `${id} (${plainLine(title)})`).join(', ')
  return `Next the supervisor starts ${named}${more ? ' and others' : ''}. fleet pause prevents that, as does fleet kill --all --pause.`
}
