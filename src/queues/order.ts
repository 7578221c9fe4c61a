import { rfc3339 } from '../domain/task/time.ts'
import type { SortField, TaskQuery } from '../ports/task-store.ts'

/** The field, then its tie-breakers. `reverse` reverses only the field. */
const ORDER: Record<Exclude<SortField, 'hybrid' | 'id'>, readonly [field: string, ...ties: string[]]> = {
  claim: ['task.priority', 'task.created_at', 'task.seq'],
  ready: ['task.priority', 'task.created_at', 'task.id'],
  oldest: ['task.created_at', 'task.id'],
  priority: ['task.priority', 'task.created_at desc', 'task.id'],
  created: ['task.created_at desc', 'task.id'],
  updated: ['task.updated_at desc', 'task.id'],
  closed: [`coalesce(task.closed_at, '') desc`, 'task.id'],
  status: ['task.status', 'task.id'],
  title: ['lower(task.title)', 'task.id'],
  type: ['task.issue_type', 'task.id'],
  assignee: ['task.assignee', 'task.id'],
}

const RECENT_MS = 48 * 3600_000

/** The `order by` terms. `naturalId`: the store's expression that sorts x.9 before x.10. */
export function orderOf(query: TaskQuery, { now, naturalId }: { now: number; naturalId: string }): string {
  if (query.sort === 'hybrid') {
    const recent = `task.created_at >= '${rfc3339(now - RECENT_MS)}'`
    return `not ${recent}, case when ${recent} then task.priority else 9 end, task.created_at, task.id`
  }
  const sort = query.sort ?? 'claim'
  const [field, ...ties] = sort === 'id' ? ([naturalId] as const) : ORDER[sort]
  if (query.reverse !== true) return [field, ...ties].join(', ')
  return [field.endsWith(' desc') ? field.slice(0, -5) : `${field} desc`, ...ties].join(', ')
}
