import type { Task } from '../../domain/task.ts'
import { AppError } from '../../errors.ts'
import type { Database } from '../../platform/sqlite.ts'
import { DependencyRefused } from '../../ports/dependency-refused.ts'
import type { CloseOptions, CloseResult, ReopenResult } from '../../ports/queue.ts'
import type { TaskChange } from '../../ports/task-store.ts'
import { addEdge, removeEdge } from './dependencies.ts'
import { record } from './history.ts'
import { addLabel } from './insert.ts'
import { settleReadiness, statusChanged, unsettled } from './readiness.ts'
import { stored, TASK_COLUMNS, type TaskRow, taskOf } from './row.ts'

export interface Who {
  readonly by: string
  readonly at: string
}

export function readTask(db: Database, id: string): Task | undefined {
  const row = db.sql<TaskRow>(`select ${TASK_COLUMNS} from task where id = ?`).get(id)
  return row === undefined ? undefined : taskOf(row)
}

/** What a person changes. A new status or assignee changes hands, so a supervisor that held the task is fenced off. */
export function changeTask(db: Database, id: string, change: TaskChange, who: Who): Task | undefined {
  const before = readTask(db, id)
  if (before === undefined) return undefined
  const { appendNotes, metadata, addLabels, removeLabels, setLabels, parent, ...fields } = change
  const next: Record<string, unknown> = { ...fields }
  if (appendNotes !== undefined) next['notes'] = before.notes === '' ? appendNotes : `${before.notes}\n${appendNotes}`
  if (metadata !== undefined) next['metadata'] = metadata(before.metadata)
  // Without its date a deferral has no end, so taking the date away ends it.
  if (fields.defer_until === null && fields.status === undefined && before.status === 'deferred')
    next['status'] = 'open'
  if (fields.status !== undefined) Object.assign(next, statusFields(before, fields, who.at))

  const changed = Object.keys(next).filter((key) => stored(next[key]) !== stored(before[key as keyof Task]))
  if (changed.length > 0) {
    const handsOver = changed.includes('status') || changed.includes('assignee')
    const sets = changed.map((key) => `${key} = ?`)
    if (handsOver) sets.push('claim_token = claim_token + 1', 'lease_until = null', 'not_before = null')
    if (handsOver && !changed.includes('assignee')) sets.push(HANDED_OVER)
    db.once(`update task set ${sets.join(', ')} where id = ?`).run(...changed.map((key) => stored(next[key])), id)
    const changes = Object.fromEntries(changed.map((key) => [key, [before[key as keyof Task], next[key]] as const]))
    record(db, { task: id, at: who.at, actor: who.by, kind: 'updated', changes })
  }
  // Who opens what is open already asks for it now.
  if (fields.status !== undefined) db.sql('update task set not_before = null where id = ?').run(id)
  const relabelled = relabel(db, before, { addLabels, removeLabels, setLabels }, who)
  const moved = parent !== undefined && reparent(db, id, parent, who)
  if (changed.includes('status') || changed.includes('defer_until')) {
    settleReadiness(db, [id])
    statusChanged(db, id)
  }
  if (changed.length > 0 || relabelled || moved) db.sql('update task set updated_at = ? where id = ?').run(who.at, id)
  return readTask(db, id)
}

/** A supervisor's name stands on a task while it holds it: afterwards it would keep every claimer away. */
const HANDED_OVER = `assignee = case when lease_until is null then assignee else '' end`

/** The times and reasons that go with a status; closed_at is set exactly while a task is closed. */
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

export function closeTask(db: Database, id: string, how: CloseOptions, who: Who): CloseResult {
  const task = readTask(db, id)
  if (task === undefined) return { kind: 'unknown' }
  if (task.status === 'closed') return { kind: 'already', task }
  if (task.is_template) return { kind: 'template' }
  if (how.force !== true) {
    if (task.pinned || task.status === 'pinned') return { kind: 'pinned' }
    if (task.assignee !== '' && task.assignee !== who.by) return { kind: 'held', by: task.assignee }
    const refused = closingRefused(db, id)
    if (refused !== undefined) return refused
  }
  const reason = how.reason ?? 'Closed'
  db.sql(
    `update task set status = 'closed', closed_at = ?1, updated_at = ?1, close_reason = ?2, closed_by_session = ?3,
       claim_token = claim_token + 1, lease_until = null, not_before = null, is_blocked = 0, ${HANDED_OVER} where id = ?4`,
  ).run(who.at, reason, how.session ?? '', id)
  record(db, {
    task: id,
    at: who.at,
    actor: who.by,
    kind: 'closed',
    changes: { status: [task.status, 'closed'], close_reason: ['', reason] },
  })
  statusChanged(db, id)
  return { kind: 'closed', task: readTask(db, id) as Task }
}

/** What forbids closing a task that nobody forces: open children first, then its own open blockers. */
export function closingRefused(db: Database, id: string): CloseResult | undefined {
  const children = openChildren(db, id)
  if (children.length > 0) return { kind: 'open-children', children }
  const by = db
    .sql<{ id: string }>(
      `select b.id from dependency d join task b on b.id = d.depends_on_id
       where d.issue_id = ? and d.type in ('blocks', 'conditional-blocks') and ${unsettled('b')} order by b.id`,
    )
    .all(id)
    .map((row) => row.id)
  return by.length > 0 ? { kind: 'blocked', by } : undefined
}

function openChildren(db: Database, id: string): string[] {
  return db
    .sql<{ id: string }>(
      `select k.id from dependency d join task k on k.id = d.issue_id
       where d.depends_on_id = ? and d.type = 'parent-child' and k.status <> 'closed' order by k.seq`,
    )
    .all(id)
    .map((row) => row.id)
}

/** The assignee stays, as with bd; a deferral does not outlive a reopening. */
export function reopenTask(db: Database, id: string, how: { reason?: string }, who: Who): ReopenResult {
  const task = readTask(db, id)
  if (task === undefined) return { kind: 'unknown' }
  if (task.status !== 'closed') return { kind: 'not-closed', task }
  db.sql(
    `update task set status = 'open', closed_at = null, close_reason = '', closed_by_session = '', defer_until = null,
       claim_token = claim_token + 1, lease_until = null, not_before = null, updated_at = ? where id = ?`,
  ).run(who.at, id)
  record(db, {
    task: id,
    at: who.at,
    actor: who.by,
    kind: 'reopened',
    changes: {
      status: [task.status, 'open'],
      closed_at: [task.closed_at, null],
      close_reason: [task.close_reason, ''],
      defer_until: [task.defer_until, null],
      reason: [null, how.reason ?? ''],
    },
  })
  settleReadiness(db, [id])
  statusChanged(db, id)
  return { kind: 'reopened', task: readTask(db, id) as Task }
}

type LabelChange = { [K in 'addLabels' | 'removeLabels' | 'setLabels']: TaskChange[K] | undefined }

/** false: they were like that already. */
function relabel(db: Database, before: Task, change: LabelChange, who: Who): boolean {
  const wanted = new Set(change.setLabels ?? before.labels)
  for (const label of change.addLabels ?? []) wanted.add(label)
  for (const label of change.removeLabels ?? []) wanted.delete(label)
  const entry = { task: before.id, at: who.at, actor: who.by }
  let changed = false
  for (const label of before.labels) {
    if (wanted.delete(label)) continue
    db.sql('delete from label where task = ? and label = ?').run(before.id, label)
    record(db, { ...entry, kind: 'label_removed', changes: { label: [label, null] } })
    changed = true
  }
  for (const label of wanted) {
    if (!addLabel(db, before.id, label)) continue
    record(db, { ...entry, kind: 'label_added', changes: { label: [null, label] } })
    changed = true
  }
  return changed
}

/** false: it stood there already. */
function reparent(db: Database, id: string, parent: string, who: Who): boolean {
  const old = db
    .sql<{ id: string }>(`select depends_on_id as id from dependency where issue_id = ? and type = 'parent-child'`)
    .all(id)
  if (old.length === 1 && old[0]?.id === parent) return false
  for (const edge of old) removeEdge(db, { issue_id: id, depends_on_id: edge.id }, who.by, who.at)
  if (parent === '') return old.length > 0
  const edge = { issue_id: id, depends_on_id: parent, type: 'parent-child' }
  const result = addEdge(db, edge, who.by, who.at)
  if (result.kind === 'unknown') throw new AppError('not-found', `issue ${parent} not found`)
  if (result.kind !== 'added' && result.kind !== 'already') throw new DependencyRefused(edge, result)
  return true
}
