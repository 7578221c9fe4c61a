import type { Task } from '../../../domain/task/task.ts'
import { AppError } from '../../../errors.ts'
import { editText } from '../../../platform/process/editor.ts'
import { type BdCommand, BdFailure } from '../command.ts'
import { amendRefusal } from '../parts/amend-refusal.ts'
import { exactly } from '../parts/arguments.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { named } from '../parts/feedback.ts'
import { resolveSaying } from '../parts/resolve.ts'
import { keepHandEdit, project } from '../parts/task-file.ts'
import { whole } from '../parts/text-input.ts'
import { titleProblem } from './create.ts'

/** The first flag that is given counts. */
const FIELDS = [
  ['title', 'title'],
  ['design', 'design'],
  ['notes', 'notes'],
  ['acceptance', 'acceptance_criteria'],
  ['description', 'description'],
] as const satisfies readonly (readonly [flag: string, field: keyof Task])[]

export const edit: BdCommand = {
  name: 'edit',
  summary: 'Edit an issue field in $EDITOR',
  usage: '[id] [flags]',
  about:
    'Change the description of an issue, or another text, in your editor: $EDITOR, then $VISUAL, then the usual ones.',
  examples: ['fleet bd edit fleet-a1b', 'fleet bd edit fleet-a1b --notes'],
  flags: FIELDS.map(([name, field]) => ({
    name,
    kind: 'switch' as const,
    help: `Edit the ${name === 'acceptance' ? 'acceptance criteria' : field}${name === 'description' ? ' (default)' : ''}`,
  })),
  async run(call) {
    const [typed] = exactly(call, 1) as [string]
    refuseReadonly(call, 'edit')
    const id = await resolveSaying(call, typed, `resolving ${typed}`)
    const before = await call.store.get(id)
    if (before === undefined) throw new BdFailure(`issue ${id} not found`)
    const field = FIELDS.find(([flag]) => call.flags.on(flag))?.[1] ?? 'description'
    const edited = await editText(before[field], `${id}-${field}.txt`, { cwd: call.cwd, env: call.env })
    const text = whole(edited.text.trim(), field)
    if (text === before[field]) {
      edited.discard()
      return call.print('No changes made')
    }
    const problem = field === 'title' ? (text === '' ? 'title cannot be empty' : titleProblem(text)) : undefined
    if (problem !== undefined) throw new BdFailure(problem, { hint: `your text is in ${edited.path}` })
    try {
      const free = field === 'title' ? await keepHandEdit(call, id) : false
      const result = await call.store.amend(id, { change: { [field]: text } }, call.actor)
      if (result.kind !== 'amended') throw new BdFailure(`updating issue: ${amendRefusal(id, result, call.actor).why}`)
      if (free) project(call, result.task)
      edited.discard()
      call.print(`✓ Updated ${field.replaceAll('_', ' ')} for issue: ${named(id, result.task.title)}`)
    } catch (error) {
      if (error instanceof BdFailure || error instanceof AppError) {
        call.warn(`Your edits are preserved in: ${edited.path}`)
      }
      throw error
    }
  },
}
