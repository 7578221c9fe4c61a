import type { HistoryEntry } from '../domain/task/history.ts'
import type { Task } from '../domain/task/task.ts'
import type { TaskChange } from '../ports/task-store.ts'
import { stored } from './row.ts'

/** The effect of a person's change on a task's fields. */
export interface ChangePlan {
  /** Fields whose value changes, with the new value as stored. */
  readonly fields: readonly (readonly [name: string, value: string | number | null])[]
  readonly changes: HistoryEntry['changes']
  /** A new status or assignee changes the owner, so the token grows and a supervisor that held the task is fenced off. */
  readonly handsOver: boolean
  /** The change does not name an assignee: the old one stays, unless it is a supervisor. */
  readonly keepsAssignee: boolean
  /** The readiness of this task or of others may change. */
  readonly touchesReadiness: boolean
}

export function changePlan(before: Task, change: TaskChange, at: string): ChangePlan {
  const {
    appendNotes,
    metadata,
    addLabels: _added,
    removeLabels: _removed,
    setLabels: _set,
    parent: _moved,
    ...fields
  } = change
  const next: Record<string, unknown> = { ...fields }
  if (appendNotes !== undefined) next['notes'] = before.notes === '' ? appendNotes : `${before.notes}\n${appendNotes}`
  if (metadata !== undefined) next['metadata'] = metadata(before.metadata)
  // A deferral without a date would never end, so removing the date ends the deferral.
  if (fields.defer_until === null && fields.status === undefined && before.status === 'deferred')
    next['status'] = 'open'
  if (fields.status !== undefined) Object.assign(next, statusFields(before, fields, at))

  const changed = Object.keys(next).filter((key) => stored(next[key]) !== stored(before[key as keyof Task]))
  const handsOver = changed.includes('status') || changed.includes('assignee')
  return {
    fields: changed.map((key) => [key, stored(next[key])] as const),
    changes: Object.fromEntries(changed.map((key) => [key, [before[key as keyof Task], next[key]] as const])),
    handsOver,
    keepsAssignee: handsOver && !changed.includes('assignee'),
    touchesReadiness: changed.includes('status') || changed.includes('defer_until'),
  }
}

/** The times and reasons that belong to a status. closed_at is set exactly while a task is closed. */
function statusFields(before: Task, change: Partial<Task>, at: string): Partial<Task> {
  const status = change.status ?? before.status
  if (status === before.status) return {}
  const fields: Partial<Task> = {}
  if (status === 'closed') {
    fields.closed_at = at
    fields.close_reason = change.close_reason ?? ''
  } else if (before.status === 'closed') {
    fields.closed_at = null
    fields.close_reason = ''
    fields.closed_by_session = ''
  }
  if (status === 'in_progress' && before.started_at === null) fields.started_at = at
  return fields
}

/** Removals are applied before additions. */
export interface Difference {
  readonly remove: readonly string[]
  readonly add: readonly string[]
}

export function labelPlan(before: Task, change: TaskChange): Difference {
  const wanted = new Set(change.setLabels ?? before.labels)
  for (const label of change.addLabels ?? []) wanted.add(label)
  for (const label of change.removeLabels ?? []) wanted.delete(label)
  const has = new Set(before.labels)
  return {
    remove: before.labels.filter((label) => !wanted.has(label)),
    add: [...wanted].filter((label) => !has.has(label)),
  }
}

/** `wanted`: the only parent the task shall have; '' removes all; undefined changes nothing. */
export function parentPlan(has: readonly string[], wanted: string | undefined): Difference {
  if (wanted === undefined || (has.length === 1 && has[0] === wanted)) return { remove: [], add: [] }
  return { remove: has, add: wanted === '' ? [] : [wanted] }
}

/** A change without effect must not move updated_at: the next import would prefer it over a real change. */
export function changesAnything({ fields }: ChangePlan, ...differences: readonly Difference[]): boolean {
  return fields.length > 0 || differences.some(({ remove, add }) => remove.length + add.length > 0)
}
