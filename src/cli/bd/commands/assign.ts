import { plainLine } from '../../../domain/text/plain.ts'
import { issueJson } from '../../../views/json/issue.ts'
import type { BdCommand } from '../command.ts'
import { amendOne } from '../parts/amend-one.ts'
import { exactly } from '../parts/arguments.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { named } from '../parts/feedback.ts'

export const assign: BdCommand = {
  name: 'assign',
  summary: 'Assign an issue to someone',
  usage: '<id> <name> [flags]',
  about: `Assign an issue to someone: short for update --assignee. What somebody else has in progress stays theirs unless
--force is given.`,
  examples: ['fleet bd assign fleet-a1b alice', 'fleet bd assign fleet-a1b ""      # nobody'],
  flags: [{ name: 'force', kind: 'switch', help: "Past another's claim, where it was abandoned" }],
  async run(call) {
    const [typed, assignee] = exactly(call, 2) as [string, string]
    refuseReadonly(call, 'assign')
    const task = await amendOne(call, typed, { change: { assignee }, force: call.flags.on('force') })
    if (call.json) call.answer(issueJson(task))
    else if (assignee === '') call.print(`✓ Unassigned ${named(task.id, task.title)}`)
    else call.print(`✓ Assigned ${named(task.id, task.title)} to ${plainLine(assignee)}`)
  },
}
