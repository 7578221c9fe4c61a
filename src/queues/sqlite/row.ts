import type { Dependency } from '../../domain/dependency.ts'
import { type Metadata, TASK_FIELDS, type Task } from '../../domain/task.ts'
import { AppError } from '../../errors.ts'
import type { ListedTask } from '../../ports/task-store.ts'

/** A row of `task` as the driver gives it, with the labels gathered beside it. */
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

/** The columns that a task's own fields are stored in; labels have a table of their own. */
export const FIELDS = TASK_FIELDS.filter((field) => field !== 'labels')

/** Labels in one column: `[]` for most tasks, without a second query. */
const LABELS = `(select json_group_array(l.label order by l.label) from label l where l.task = task.id) as labels`

export const TASK_COLUMNS = `${FIELDS.map((field) => `task.${field}`).join(', ')}, ${LABELS}`

export const LISTED_COLUMNS = `${TASK_COLUMNS},
  (select count(*) from dependency d where d.issue_id = task.id and d.type = 'blocks') as dependency_count,
  (select count(*) from dependency d where d.depends_on_id = task.id and d.type = 'blocks') as dependent_count,
  (select count(*) from comment c where c.issue_id = task.id) as comment_count,
  coalesce((select d.depends_on_id from dependency d where d.issue_id = task.id and d.type = 'parent-child' limit 1), '') as parent,
  (select json_group_array(json_object('issue_id', d.issue_id, 'depends_on_id', d.depends_on_id, 'type', d.type, 'created_at', d.created_at,
    'created_by', d.created_by, 'metadata', d.metadata, 'thread_id', d.thread_id) order by d.created_at, d.depends_on_id)
    from dependency d where d.issue_id = task.id) as dependencies`

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

/** Only this program writes these columns: what is no JSON was changed behind its back. */
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

/** A field's value as SQLite stores it. */
export function stored(value: unknown): string | number | null {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string' || typeof value === 'number') return value
  return value === null || value === undefined ? null : JSON.stringify(value)
}
