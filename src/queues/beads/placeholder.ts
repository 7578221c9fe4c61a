import { recordOf, type TaskRecord } from '../../domain/task/interchange.ts'
import { isObject } from '../../domain/task/settings.ts'
import { BLANK_TASK } from '../../domain/task/task.ts'

/**
 * Stands in for a task that fleet cannot read: its id is not a valid folder name, or its type is unknown. Its dependents
 * must stay blocked, so the mirror keeps it in a state that nothing can claim. undefined: the line has no id.
 */
export function placeholderOf(line: string, now: string): TaskRecord | undefined {
  const value: unknown = parsed(line)
  if (!isObject(value) || typeof value['id'] !== 'string' || value['id'] === '') return undefined
  const { id } = value
  const read = recordOf(JSON.stringify({ ...value, id: 'fleet-any', issue_type: 'task' }), now)
  const blank = { ...BLANK_TASK, title: id, created_at: now, updated_at: now, dependencies: [], comments: [] }
  const { status, closed_at, ...rest } = read.kind === 'record' ? read.record : { ...blank, status: value['status'] }
  if (status === 'closed' || status === 'pinned') return { ...rest, id, status, closed_at, assignee: '' }
  return { ...rest, id, status: 'blocked', closed_at: null, assignee: '' }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
