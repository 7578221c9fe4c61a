import type { Task } from '../../domain/task/task.ts'
import { AppError } from '../../errors.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import { DependencyRefused } from '../../ports/dependency-refused.ts'
import type { CloseOptions, CloseResult, ReopenResult } from '../../ports/queue.ts'
import type { TaskChange } from '../../ports/task-store.ts'
import { changePlan, changesAnything, type Difference, labelPlan, parentPlan } from '../change-plan.ts'
import { closingChanges, reopeningChanges } from '../closing.ts'
import { closeRefusal, refusalByNeighbours } from '../refusals.ts'
import { type TaskRow, taskOf } from '../row.ts'
import { CLEAR_SUPERVISOR, unsettled } from '../terms.ts'
import { TASK_COLUMNS } from './columns.ts'
import { addEdge, removeEdge } from './dependencies.ts'
import { record } from './history.ts'
import { addLabel } from './insert.ts'
import { recomputeReadiness, statusChanged } from './readiness.ts'

export interface Who {
  readonly by: string
  readonly at: string
}

export function readTask(db: Database, id: string): Task | undefined {
  const row = db.sql<TaskRow>(`select ${TASK_COLUMNS} from task where id = ?`).get(id)
  return row === undefined ? undefined : taskOf(row)
}

export function changeTask(db: Database, id: string, change: TaskChange, who: Who): Task | undefined {
  const before = readTask(db, id)
  if (before === undefined) return undefined
  const plan = changePlan(before, change, who.at)
  const labels = labelPlan(before, change)
  const parents = parentPlan(change.parent === undefined ? [] : parentsOf(db, id), change.parent)
  if (plan.fields.length > 0) {
    const sets = plan.fields.map(([name]) => `${name} = ?`)
    if (plan.handsOver) sets.push('claim_token = claim_token + 1', 'lease_until = null', 'not_before = null')
    if (plan.keepsAssignee) sets.push(CLEAR_SUPERVISOR)
    db.once(`update task set ${sets.join(', ')} where id = ?`).run(...plan.fields.map(([, value]) => value), id)
    record(db, { task: id, at: who.at, actor: who.by, kind: 'updated', changes: plan.changes })
  }
  // Setting the status, even to the same one, asks for the task now: any retry delay ends.
  if (change.status !== undefined) db.sql('update task set not_before = null where id = ?').run(id)
  relabel(db, id, labels, who)
  reparent(db, id, parents, who)
  if (plan.touchesReadiness) {
    recomputeReadiness(db, [id])
    statusChanged(db, id)
  }
  if (changesAnything(plan, labels, parents)) db.sql('update task set updated_at = ? where id = ?').run(who.at, id)
  return readTask(db, id)
}

export function closeTask(db: Database, id: string, how: CloseOptions, who: Who): CloseResult {
  const task = readTask(db, id)
  if (task === undefined) return { kind: 'unknown' }
  const refused = closeRefusal(task, how, who.by) ?? (how.force === true ? undefined : openNeighbourRefusal(db, id))
  if (refused !== undefined) return refused
  const reason = how.reason ?? 'Closed'
  db.sql(
    `update task set status = 'closed', closed_at = ?1, updated_at = ?1, close_reason = ?2, closed_by_session = ?3,
       claim_token = claim_token + 1, lease_until = null, not_before = null, is_blocked = 0, ${CLEAR_SUPERVISOR} where id = ?4`,
  ).run(who.at, reason, how.session ?? '', id)
  record(db, { task: id, at: who.at, actor: who.by, kind: 'closed', changes: closingChanges(task, reason) })
  statusChanged(db, id)
  return { kind: 'closed', task: readTask(db, id) as Task }
}

/** Open children and blockers, which forbid closing without force. */
export function openNeighbourRefusal(db: Database, id: string): CloseResult | undefined {
  const children = openChildren(db, id)
  const blockers = db
    .sql<{ id: string }>(
      `select b.id from dependency d join task b on b.id = d.depends_on_id
       where d.issue_id = ? and d.type in ('blocks', 'conditional-blocks') and ${unsettled('b')} order by b.id`,
    )
    .all(id)
    .map((row) => row.id)
  return refusalByNeighbours({ children, blockers })
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

/** Keeps the assignee, as bd does, and ends a deferral. */
export function reopenTask(db: Database, id: string, how: { reason?: string }, who: Who): ReopenResult {
  const task = readTask(db, id)
  if (task === undefined) return { kind: 'unknown' }
  if (task.status !== 'closed') return { kind: 'not-closed', task }
  db.sql(
    `update task set status = 'open', closed_at = null, close_reason = '', closed_by_session = '', defer_until = null,
       claim_token = claim_token + 1, lease_until = null, not_before = null, updated_at = ? where id = ?`,
  ).run(who.at, id)
  const changes = reopeningChanges(task, how.reason ?? '')
  record(db, { task: id, at: who.at, actor: who.by, kind: 'reopened', changes })
  recomputeReadiness(db, [id])
  statusChanged(db, id)
  return { kind: 'reopened', task: readTask(db, id) as Task }
}

function relabel(db: Database, id: string, { remove, add }: Difference, who: Who): void {
  const entry = { task: id, at: who.at, actor: who.by }
  for (const label of remove) {
    db.sql('delete from label where task = ? and label = ?').run(id, label)
    record(db, { ...entry, kind: 'label_removed', changes: { label: [label, null] } })
  }
  for (const label of add) {
    addLabel(db, id, label)
    record(db, { ...entry, kind: 'label_added', changes: { label: [null, label] } })
  }
}

function parentsOf(db: Database, id: string): string[] {
  return db
    .sql<{ id: string }>(`select depends_on_id as id from dependency where issue_id = ? and type = 'parent-child'`)
    .all(id)
    .map((row) => row.id)
}

function reparent(db: Database, id: string, { remove, add }: Difference, who: Who): void {
  for (const parent of remove) removeEdge(db, { issue_id: id, depends_on_id: parent }, who.by, who.at)
  for (const parent of add) {
    const edge = { issue_id: id, depends_on_id: parent, type: 'parent-child' }
    const result = addEdge(db, edge, who.by, who.at)
    if (result.kind === 'unknown') throw new AppError('not-found', `issue ${parent} not found`)
    if (result.kind !== 'added' && result.kind !== 'already') throw new DependencyRefused(edge, result)
  }
}
