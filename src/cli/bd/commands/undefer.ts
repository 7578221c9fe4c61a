import type { Task } from '../../../domain/task/task.ts'
import { issueJson } from '../../../views/json/issue.ts'
import type { BdCommand } from '../command.ts'
import { amendRefusal } from '../parts/amend-refusal.ts'
import { atLeast } from '../parts/arguments.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { resolveEach } from './defer.ts'

export const undefer: BdCommand = {
  name: 'undefer',
  summary: 'Undefer one or more issues (restore to open)',
  usage: '[id...] [flags]',
  about: 'Open issues that were put off, and forget until when. They are ready if nothing else holds them up.',
  examples: ['fleet bd undefer fleet-a1b'],
  flags: [],
  async run(call) {
    atLeast(call, 1)
    refuseReadonly(call, 'undefer')
    const opened: Task[] = []
    for (const id of await resolveEach(call)) {
      const amendment = { change: { status: 'open', defer_until: null }, expect: { status: 'deferred' } }
      const result = await call.store.amend(id, amendment, call.actor)
      if (result.kind === 'amended') {
        opened.push(result.task)
        if (!call.json) call.print(`* Undeferred ${id} (now open)`)
      } else if (result.kind === 'mismatch') call.warn(`${id} is not deferred (status: ${result.is})`)
      else {
        call.warn(`Error undeferring ${id}: ${amendRefusal(id, result, call.actor).why}`)
        call.fail()
      }
    }
    if (call.json && opened.length > 0) call.answer(opened.map(issueJson))
  },
}
