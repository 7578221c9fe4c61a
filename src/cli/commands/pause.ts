import { type ClaimingPaused, pauseClaiming, pauseClaimingOn, pauseTask } from '../../actions/pause.ts'
import { moment } from '../../domain/text/moment.ts'
import { pluralize } from '../../domain/text/pluralize.ts'
import { AppError } from '../../errors.ts'
import { actionContext } from '../action-context.ts'
import type { Command } from '../command.ts'
import { HOST_FLAGS, meansHosts, printOnHosts } from '../on-hosts.ts'
import { printSteered } from '../steered.ts'

export const pause: Command = {
  name: 'pause',
  summary: 'stop claiming, or interrupt one task keeping its session',
  usage: '[id] [--host NAME|--all-hosts]',
  about: `Without an id: nothing new is started, running agents keep running. With one: its agent is interrupted and its session
kept; a task that is not running is blocked, so that it is not started. fleet resume undoes either. A task that runs on
another machine is interrupted there. Without an id this machine is meant, or those that --host or --all-hosts name.`,
  examples: ['fleet pause', 'fleet pause fleet-a1b', 'fleet pause --host build-3'],
  flags: HOST_FLAGS,
  async run(call) {
    const [id, more] = call.args
    if (more !== undefined) throw new AppError('usage', 'fleet pause takes one task id at most')
    const acting = actionContext(call)
    const print = (paused: ClaimingPaused) => call.print(pausedText(paused, Date.now()))
    if (meansHosts(call)) return printOnHosts(call, await pauseClaimingOn(acting, call.flags.text('host')), print)
    if (id === undefined) {
      print(pauseClaiming(acting))
      return 0
    }
    return printSteered(call, await pauseTask(acting, id), 'is paused')
  },
}

function pausedText(paused: ClaimingPaused, now: number): string {
  if (paused.kind === 'already-paused') return `Already paused by ${paused.by} at ${moment(paused.at, now)}.`
  const { agents } = paused
  const rest = agents === 0 ? '' : ` ${pluralize(agents, 'agent')} ${agents === 1 ? 'keeps' : 'keep'} running.`
  return `Paused: nothing new is started.${rest} Continue with: fleet resume`
}
