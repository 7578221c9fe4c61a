import { type ClaimingResumed, resumeClaiming, resumeClaimingOn, resumeTask } from '../../actions/resume.ts'
import { modelText } from '../../domain/fleet/refused-model.ts'
import type { Lane } from '../../domain/run/run.ts'
import { upcoming } from '../../domain/text/moment.ts'
import { AppError } from '../../errors.ts'
import { actionContext } from '../action-context.ts'
import type { Command } from '../command.ts'
import { HOST_FLAGS, meansHosts, printOnHosts } from '../on-hosts.ts'
import { printSteered } from '../steered.ts'

export const resume: Command = {
  name: 'resume',
  summary: 'continue claiming, or open one paused or blocked task again',
  usage: '[id] [--host NAME|--all-hosts]',
  about: `Without an id: claiming continues after fleet pause, and lanes that are down or paused are tried again now, each with one
task; the others follow when that one has an answer. With one: the task is open again and continues its session where it
has one. Failures that were counted stay counted; fleet retry forgets them. Without an id this machine is meant, or those
that --host or --all-hosts name.`,
  flags: HOST_FLAGS,
  async run(call) {
    const [id, more] = call.args
    if (more !== undefined) throw new AppError('usage', 'fleet resume takes one task id at most')
    const acting = actionContext(call)
    const print = (resumed: ClaimingResumed) => {
      for (const line of resumedLines(resumed, Date.now())) call.print(line)
    }
    if (meansHosts(call)) return printOnHosts(call, await resumeClaimingOn(acting, call.flags.text('host')), print)
    if (id === undefined) {
      print(await resumeClaiming(acting))
      return 0
    }
    return printSteered(call, await resumeTask(acting, id), 'is open again')
  },
}

function resumedLines({ paused, lanes, models }: ClaimingResumed, now: number): string[] {
  if (!paused && lanes.length + models.length === 0) return ['Nothing was paused.']
  return [
    ...(paused ? ['Claiming continues.'] : []),
    ...lanes.map((lane) => `Lane ${lane.name} is tried again (it was ${trouble(lane, now)}).`),
    ...models.map(({ lane, model, reason }) => `Lane ${lane} tries ${modelText(model)} again (refused: ${reason}).`),
  ]
}

function trouble({ state, until, reason, code }: Lane, now: number): string {
  const when = state === 'paused' && until !== null ? ` until ${upcoming(until, now)}` : ''
  return `${state}${when}: ${reason ?? code ?? 'no reason kept'}`
}
