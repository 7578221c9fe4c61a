import type { BdCommand } from '../command.ts'
import { parentOf } from '../parts/create-draft.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { SETTINGS_FLAGS } from '../parts/issue-flags.ts'
import { inText, labelsOf, priorityOf, typeOf } from '../parts/issue-input.ts'
import { metadataOfNew, project } from '../parts/task-file.ts'
import { insert } from './create.ts'

export const quick: BdCommand = {
  name: 'q',
  summary: 'Quick capture: create issue and output only ID',
  usage: '[title] [flags]',
  examples: ['id=$(fleet bd q "Fix login bug")', 'fleet bd q "Subtask" --parent fleet-a1b'],
  flags: [
    { name: 'priority', short: 'p', kind: 'text', default: '2', help: 'Priority (0-4 or P0-P4)' },
    { name: 'type', short: 't', kind: 'text', default: 'task', help: 'Issue type' },
    { name: 'labels', short: 'l', kind: 'list', help: 'Labels' },
    { name: 'parent', kind: 'text', help: 'Parent issue ID for hierarchical child' },
    ...SETTINGS_FLAGS,
  ],
  async run(call) {
    const { flags, args } = call
    if (args.length === 0) throw inText('requires at least 1 arg(s), only received 0')
    refuseReadonly(call, 'q')
    const title = args.join(' ')
    const own = labelsOf(call, flags.all('labels'))
    const priority = priorityOf(flags.text('priority') ?? '2', inText)
    const parent = await parentOf(call)
    if (title === '') throw inText('validation failed for issue : title is required')
    // bd accepts a blank title here; fleet refuses it because it is invisible in a list.
    if (title.trim() === '') throw inText('title cannot be empty or whitespace-only')
    const draft = {
      title,
      priority,
      issue_type: typeOf(flags.text('type') ?? 'task'),
      labels: [...new Set([...own, ...(parent?.labels ?? [])])],
      metadata: await metadataOfNew(call),
      ...(parent === undefined ? {} : { parent: parent.id }),
    }
    const task = await insert(call, draft, { prefix: 'validation failed for issue : ', json: 'text' })
    project(call, task)
    call.print(task.id)
  },
}
