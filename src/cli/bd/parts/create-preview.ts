import type { Task } from '../../../domain/task/task.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import type { TaskDraft } from '../../../ports/queue.ts'
import type { BdCall } from '../command.ts'

const NEVER = '0001-01-01T00:00:00Z'

/** The task that `create` would make, without id and times. */
export function imagined(call: BdCall, draft: TaskDraft): Task {
  return { id: '', created_at: NEVER, updated_at: NEVER, created_by: call.actor, extra: {}, ...draft } as Task
}

export function preview(call: BdCall, task: Task): void {
  const deps = call.flags.all('deps')
  call.print('⚠ [DRY RUN] Would create issue:')
  call.print(`  ID: ${task.id === '' ? '(will be generated)' : task.id}`)
  call.print(`  Title: ${plainLine(task.title)}`)
  call.print(`  Type: ${task.issue_type}`)
  call.print(`  Priority: P${task.priority}`)
  call.print(`  Status: ${task.status}`)
  if (task.assignee !== '') call.print(`  Assignee: ${plainLine(task.assignee)}`)
  if (task.description !== '') call.print(`  Description: ${task.description}`)
  if (task.labels.length > 0) call.print(`  Labels: ${task.labels.map(plainLine).join(', ')}`)
  if (deps.length > 0) call.print(`  Dependencies: ${deps.map(plainLine).join(', ')}`)
}
