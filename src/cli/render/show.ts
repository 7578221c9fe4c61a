import type { Assignment, Chosen } from '../../domain/assignment.ts'
import type { Task } from '../../domain/task.ts'
import type { Waiting } from '../../domain/waiting.ts'
import { plain, plainLine } from './plain.ts'

export interface ShownTask {
  readonly task: Task
  readonly cwd: Chosen<string | undefined>
  readonly assignment: Assignment
  readonly waiting: Waiting
}

export function shownLines({ task, cwd, assignment, waiting }: ShownTask): string[] {
  return [
    `id:           ${task.id}`,
    `title:        ${plainLine(task.title)}`,
    `status:       ${task.status}`,
    `cwd:          ${tagged(cwd, 'a folder of its own')}`,
    `coder:        ${tagged(assignment.coder)}`,
    `model:        ${tagged(assignment.model, "the coder's own")}`,
    ...(waiting.kind === 'closed' ? [] : [`not running:  ${whyNot(waiting)}`]),
    ...(waiting.kind === 'closed'
      ? [`closed:       ${waiting.at}${waiting.reason === '' ? '' : `, ${plainLine(waiting.reason)}`}`]
      : []),
    '',
    ...(task.description === '' ? ['(no description)'] : plain(task.description.trimEnd()).split('\n')),
  ]
}

function tagged({ value, given }: Chosen<string | undefined>, otherwise = ''): string {
  return `${plainLine(value ?? otherwise)}${given ? '' : ' (default)'}`
}

export function whyNot(waiting: Waiting): string {
  switch (waiting.kind) {
    case 'closed':
      return 'it is closed'
    case 'claimed':
      return `claimed by ${plainLine(waiting.by) || 'nobody named'}${waiting.since === null ? '' : ` since ${waiting.since}`}`
    case 'status':
      return `its status is ${plainLine(waiting.status)}${waiting.label === undefined ? '' : ` (${waiting.label})`}`
    case 'deferred':
      return waiting.until === undefined ? 'it is deferred, or a parent of it is' : `deferred until ${waiting.until}`
    case 'blocked':
      return `blocked by ${waiting.by.join(', ')}`
    case 'no-work':
      return `an issue of type ${plainLine(waiting.type)} is not work to start; its children are`
    case 'assigned':
      return `assigned to ${plainLine(waiting.to)}, who has not started it`
    case 'no-supervisor':
      return 'no supervisor is running'
    case 'next':
      return 'it waits for its turn'
  }
}
