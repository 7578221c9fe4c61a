import { actorFrom, openHomeStore } from '../../app.ts'
import { resumeTask, withoutWait } from '../../domain/fleet/steering.ts'
import type { Lane } from '../../domain/run/run.ts'
import { AppError } from '../../errors.ts'
import { resumeClaiming } from '../../store/resume.ts'
import type { Call, Command } from '../command.ts'
import { upcoming } from '../render/figures.ts'
import { HOST_FLAGS, meansHosts, orderHosts } from '../steer/order-hosts.ts'
import { steer } from '../steer/steer.ts'

export const resume: Command = {
  name: 'resume',
  summary: 'go on claiming, or let one paused or blocked task go on',
  usage: '[id] [--host NAME|--all-hosts]',
  about: `Without an id: claiming goes on after fleet pause, and lanes that are down or paused are tried again now, each with one
task; the others follow when that one has an answer. With one: the task is open again and goes on with its session where
it has one. Failures that were counted stay counted; fleet retry forgets them. Without an id this machine is meant, or
those that --host or --all-hosts say.`,
  flags: HOST_FLAGS,
  async run(call) {
    const [id, more] = call.args
    if (more !== undefined) throw new AppError('usage', 'fleet resume takes one task id at most')
    if (meansHosts(call)) return await orderHosts(call, 'resume', () => resumeAll(call))
    if (id === undefined) return await resumeAll(call)
    return await steer(call, [id], { decide: resumeTask, state: withoutWait, done: 'is open again' })
  },
}

async function resumeAll({ home, env, print }: Call): Promise<undefined> {
  const by = actorFrom(env, undefined)
  await using store = await openHomeStore(home)
  const now = Date.now()
  const { paused, lanes } = await resumeClaiming(store, { by, now })
  if (paused) print('Claiming goes on.')
  for (const lane of lanes) print(`Lane ${lane.name} is tried again (it was ${trouble(lane, now)}).`)
  if (!paused && lanes.length === 0) print('Nothing was paused.')
}

function trouble({ state, until, reason, code }: Lane, now: number): string {
  const when = state === 'paused' && until !== null ? ` until ${upcoming(until, now)}` : ''
  return `${state}${when}: ${reason ?? code ?? 'no reason kept'}`
}
