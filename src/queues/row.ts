import type { Dependency } from '../domain/task/dependency.ts'
import { type Metadata, TASK_FIELDS, type Task } from '../domain/task/task.ts'
import { AppError } from '../errors.ts'
import type { ListedTask } from '../ports/task-store.ts'

/** A row of `task` as the driver returns it, with the labels as JSON. Every task store has the same columns. */
export interface TaskRow extends Omit<Task, 'metadata' | 'extra' | 'labels' | 'pinned' | 'ephemeral' | 'is_template'> {
  metadata: string
  extra: string
  pinned: number
  ephemeral: number
  is_template: number
  labels: string
}

export interface ListedRow extends TaskRow {
  dependency_count: number
  dependent_count: number
  comment_count: number
  parent: string
  dependencies: string
}

/** The columns of `task`; labels are in a separate table. */
export const FIELDS = TASK_FIELDS.filter((field) => field !== 'labels')

const NONE: Readonly<Record<string, unknown>> = Object.freeze({})
const NO_LABELS: readonly string[] = Object.freeze([])
const NO_DEPENDENCIES: readonly Dependency[] = Object.freeze([])

export function taskOf(row: TaskRow): Task {
  return {
    ...row,
    metadata: metadataOf(row),
    extra: row.extra === '{}' ? NONE : parsed(row.extra, row.id),
    pinned: row.pinned === 1,
    ephemeral: row.ephemeral === 1,
    is_template: row.is_template === 1,
    labels: row.labels === '[]' ? NO_LABELS : parsed(row.labels, row.id),
  }
}

export function metadataOf(row: { id: string; metadata: string }): Metadata {
  return row.metadata === '{}' ? NONE : parsed(row.metadata, row.id)
}

/** Only fleet writes these columns, so invalid JSON means that something else changed them. */
function parsed<T>(text: string, id: string): T {
  try {
    return JSON.parse(text) as T
  } catch (error) {
    throw new AppError('queue', `the store is damaged: task ${JSON.stringify(id)} cannot be read`, {
      hint: 'fleet doctor names the newest automatic backup and how to restore it',
      cause: error,
    })
  }
}

export function listedOf(row: ListedRow): ListedTask {
  return {
    ...(taskOf(row) as ListedTask),
    dependencies: row.dependencies === '[]' ? NO_DEPENDENCIES : JSON.parse(row.dependencies),
  }
}

/** Shows a task whose deferral is due as open, as the next write will store it. */
export function withDueDeferralOpen(row: ListedRow): ListedTask {
  return listedOf(row.status === 'deferred' ? { ...row, status: 'open', defer_until: null } : row)
}

/** A field's value as the store keeps it. */
export function stored(value: unknown): string | number | null {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string' || typeof value === 'number') return value
  return value === null || value === undefined ? null : JSON.stringify(value)
}
