import { actorFrom, openLedger } from '../../app.ts'
import { pauseTask } from '../../domain/fleet/steering.ts'
import { AppError } from '../../errors.ts'
import type { Call, Command } from '../command.ts'
import { moment } from '../render/figures.ts'
import { HOST_FLAGS, meansHosts, orderHosts } from '../steer/order-hosts.ts'
import { steer } from '../steer/steer.ts'

export const pause: Command = {
  name: 'pause',
  summary: 'stop claiming, or interrupt one task keeping its session',
  usage: '[id] [--host NAME|--all-hosts]',
  about: `Without an id: nothing new is started, running agents go on. With one: its agent is interrupted and its session kept;
a task that is not running is blocked, so that it is not started. fleet resume undoes either. A task that runs on another
machine is interrupted there. Without an id this machine is meant, or those that --host or --all-hosts say.`,
  examples: ['fleet pause', 'fleet pause fleet-a1b', 'fleet pause --host build-3'],
  flags: HOST_FLAGS,
  async run(call) {
    const [id, more] = call.args
    if (more !== undefined) throw new AppError('usage', 'fleet pause takes one task id at most')
    if (meansHosts(call)) return await orderHosts(call, 'pause', () => pauseAll(call))
    if (id === undefined) return pauseAll(call)
    return await steer(call, [id], {
      decide: pauseTask,
      state: (before, by) => ({ ...before, waiting: `paused by ${by}`, waitingKind: 'paused', waitingUntil: null }),
      note: (by) => `Paused by ${by}.`,
      done: 'is paused',
    })
  },
}

function pauseAll({ home, env, print }: Call): undefined {
  const by = actorFrom(env, undefined)
  using ledger = openLedger(home)
  const now = Date.now()
  const { before, running } = ledger.together(() => {
    const paused = ledger.paused()
    if (paused === undefined) ledger.pause(by, now)
    return { before: paused, running: ledger.openRuns().length }
  })
  if (before !== undefined) return void print(`Already paused by ${before.by} at ${moment(before.at, now)}.`)
  const rest = running === 0 ? '' : ` ${running} ${running === 1 ? 'agent goes' : 'agents go'} on.`
  print(`Paused: nothing new is started.${rest} fleet resume goes on.`)
}
