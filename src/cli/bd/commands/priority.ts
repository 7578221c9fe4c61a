import { issueJson } from '../../../views/json/issue.ts'
import type { BdCommand } from '../command.ts'
import { amendOne } from '../parts/amend-one.ts'
import { exactly } from '../parts/arguments.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { named } from '../parts/feedback.ts'
import { inJson, priorityOf } from '../parts/issue-input.ts'

export const priority: BdCommand = {
  name: 'priority',
  summary: 'Set the priority of an issue',
  usage: '<id> <n> [flags]',
  about: 'Set the priority of an issue, 0 (critical) to 4 (backlog): short for update --priority.',
  examples: ['fleet bd priority fleet-a1b 0'],
  flags: [],
  async run(call) {
    const [typed, text] = exactly(call, 2) as [string, string]
    refuseReadonly(call, 'priority')
    const task = await amendOne(call, typed, { change: { priority: priorityOf(text, inJson) } })
    if (call.json) call.answer(issueJson(task))
    else call.print(`✓ Set priority of ${named(task.id, task.title)} to P${task.priority}`)
  },
}
