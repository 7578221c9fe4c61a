import { issueJson } from '../../../views/json/issue.ts'
import { type BdCommand, BdFailure } from '../command.ts'
import { amendOne } from '../parts/amend-one.ts'
import { exactly } from '../parts/arguments.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { named } from '../parts/feedback.ts'
import { checkLabelLength, warnOfSpaces } from '../parts/issue-input.ts'

export const tag: BdCommand = {
  name: 'tag',
  summary: 'Add a label to an issue',
  usage: '<id> <label> [flags]',
  about: 'Add one label to an issue: short for update --add-label.',
  examples: ['fleet bd tag fleet-a1b needs-review'],
  flags: [],
  async run(call) {
    const [typed, given] = exactly(call, 2) as [string, string]
    refuseReadonly(call, 'tag')
    const label = given.trim()
    if (label === '') {
      throw new BdFailure(`tag ${typed}: label ${JSON.stringify(given)} is empty after trimming whitespace`)
    }
    checkLabelLength(label)
    warnOfSpaces(call, [label])
    const task = await amendOne(call, typed, { change: { addLabels: [label] } })
    if (call.json) call.answer(issueJson(task))
    else call.print(`✓ Added label ${JSON.stringify(label)} to ${named(task.id, task.title)}`)
  },
}
