import { openLedger } from '../../app.ts'
import { resumeTask, waitingForNothing } from '../../domain/steering.ts'
import { AppError } from '../../errors.ts'
import type { Call, Command } from '../command.ts'
import { personFrom } from '../steer/person.ts'
import { steer } from '../steer/steer.ts'

export const resume: Command = {
  name: 'resume',
  summary: 'go on claiming, or let one paused or blocked task go on',
  usage: '[id]',
  about: `Without an id: claiming goes on after fleet pause, and lanes that were down are tried again. With one: the task is open
again and goes on with its session where it has one. Failures that were counted stay counted; fleet retry forgets them.`,
  flags: [],
  async run(call) {
    const [id, more] = call.args
    if (more !== undefined) throw new AppError('usage', 'fleet resume takes one task id at most')
    if (id === undefined) return resumeAll(call)
    return await steer(call, [id], { decide: resumeTask, state: waitingForNothing, done: 'is open again' })
  },
}

function resumeAll({ home, env, print }: Call): undefined {
  personFrom(env)
  using ledger = openLedger(home)
  const now = Date.now()
  const { paused, down } = ledger.together(() => {
    const before = ledger.paused()
    if (before !== undefined) ledger.resume()
    const lanes = ledger.lanes().filter((lane) => lane.state === 'down')
    for (const lane of lanes) {
      ledger.saveLane({ ...lane, state: 'up', until: null, code: null, reason: null, since: now })
    }
    return { paused: before, down: lanes }
  })
  if (paused !== undefined) print('Claiming goes on.')
  for (const lane of down)
    print(`Lane ${lane.name} is tried again (it was down: ${lane.reason ?? lane.code ?? 'no reason kept'}).`)
  if (paused === undefined && down.length === 0) print('Nothing was paused.')
}
