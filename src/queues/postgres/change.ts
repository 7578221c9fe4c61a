import type { Task } from '../../domain/task/task.ts'
import { AppError } from '../../errors.ts'
import type { Sql, SqlArgument } from '../../platform/postgres/postgres.ts'
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
import { type Change, record } from './history.ts'
import { recomputeReadiness, statusChanged } from './readiness.ts'

/** Call everything here inside a transaction that holds the writer's lock. */

export interface Who {
  readonly by: string
  readonly at: string
}

export async function readTask(sql: Sql, id: string): Promise<Task | undefined> {
  const [row] = await sql.rows<TaskRow>(`select ${TASK_COLUMNS} from task where id = $1`, [id])
  return row === undefined ? undefined : taskOf(row)
}

/** Keeps claims, renewals and settlements, which do not take the writer's lock, away from these rows until the commit. */
export async function lockTasks(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.rows('select 1 from task where id = any($1::text[]) order by seq for update', [ids])
}

export async function readLocked(sql: Sql, id: string): Promise<Task | undefined> {
  await lockTasks(sql, [id])
  return await readTask(sql, id)
}

export async function changeTask(sql: Sql, id: string, change: TaskChange, who: Who): Promise<Task | undefined> {
  const before = await readLocked(sql, id)
  if (before === undefined) return undefined
  const plan = changePlan(before, change, who.at)
  const labels = labelPlan(before, change)
  const parents = parentPlan(change.parent === undefined ? [] : await parentsOf(sql, id), change.parent)
  const values: SqlArgument[] = [id]
  const set = (name: string, value: SqlArgument) => `${name} = $${values.push(value)}`
  const sets = plan.fields.map(([name, value]) => set(name, value))
  if (plan.handsOver) sets.push('claim_token = claim_token + 1', 'lease_until = null')
  if (plan.keepsAssignee) sets.push(CLEAR_SUPERVISOR)
  // Setting the status, even to the same one, asks for the task now: any retry delay ends.
  if (plan.handsOver || change.status !== undefined) sets.push('not_before = null')
  if (changesAnything(plan, labels, parents)) sets.push(set('updated_at', who.at))
  if (sets.length > 0) await sql.once(`update task set ${sets.join(', ')} where id = $1`, values)
  const entry = { task: id, at: who.at, actor: who.by }
  const updated: Change[] = plan.fields.length === 0 ? [] : [{ ...entry, kind: 'updated', changes: plan.changes }]
  await record(sql, ...updated, ...(await relabel(sql, labels, entry)))
  await reparent(sql, id, parents, who)
  if (plan.touchesReadiness) {
    await recomputeReadiness(sql, [id])
    await statusChanged(sql, id)
  }
  return await readTask(sql, id)
}

export async function closeTask(sql: Sql, id: string, how: CloseOptions, who: Who): Promise<CloseResult> {
  const task = await readLocked(sql, id)
  if (task === undefined) return { kind: 'unknown' }
  const refused =
    closeRefusal(task, how, who.by) ?? (how.force === true ? undefined : await openNeighbourRefusal(sql, id))
  if (refused !== undefined) return refused
  const reason = how.reason ?? 'Closed'
  await sql.change(
    `update task set status = 'closed', closed_at = $1, updated_at = $1, close_reason = $2, closed_by_session = $3,
       claim_token = claim_token + 1, lease_until = null, not_before = null, is_blocked = 0, ${CLEAR_SUPERVISOR} where id = $4`,
    [who.at, reason, how.session ?? '', id],
  )
  await record(sql, {
    task: id,
    at: who.at,
    actor: who.by,
    kind: 'closed',
    changes: closingChanges(task, reason),
  })
  await statusChanged(sql, id)
  return { kind: 'closed', task: (await readTask(sql, id)) as Task }
}

const OPEN_AROUND = `
  select k.id, true as child from dependency d join task k on k.id = d.issue_id
  where d.depends_on_id = $1 and d.type = 'parent-child' and k.status <> 'closed'
  union all
  select b.id, false from dependency d join task b on b.id = d.depends_on_id
  where d.issue_id = $1 and d.type in ('blocks', 'conditional-blocks') and ${unsettled('b')}`

/** Open children and blockers, which forbid closing without force. Children in order of arrival, blockers by id. */
export async function openNeighbourRefusal(sql: Sql, id: string): Promise<CloseResult | undefined> {
  const rows = await sql.rows<{ id: string; child: boolean }>(
    `select around.id, around.child from (${OPEN_AROUND}) around join task on task.id = around.id
     order by case when child then task.seq end, task.id`,
    [id],
  )
  const ids = (child: boolean) => rows.flatMap((row) => (row.child === child ? [row.id] : []))
  return refusalByNeighbours({ children: ids(true), blockers: ids(false) })
}

/** Keeps the assignee, as bd does, and ends a deferral. */
export async function reopenTask(sql: Sql, id: string, how: { reason?: string }, who: Who): Promise<ReopenResult> {
  const task = await readLocked(sql, id)
  if (task === undefined) return { kind: 'unknown' }
  if (task.status !== 'closed') return { kind: 'not-closed', task }
  await sql.change(
    `update task set status = 'open', closed_at = null, close_reason = '', closed_by_session = '', defer_until = null,
       claim_token = claim_token + 1, lease_until = null, not_before = null, updated_at = $1 where id = $2`,
    [who.at, id],
  )
  const changes = reopeningChanges(task, how.reason ?? '')
  await record(sql, { task: id, at: who.at, actor: who.by, kind: 'reopened', changes })
  await recomputeReadiness(sql, [id])
  await statusChanged(sql, id)
  return { kind: 'reopened', task: (await readTask(sql, id)) as Task }
}

/** Returns the history entries to record. */
async function relabel(
  sql: Sql,
  { remove, add }: Difference,
  entry: Omit<Change, 'kind' | 'changes'>,
): Promise<Change[]> {
  if (remove.length > 0) {
    await sql.change('delete from label where task = $1 and label = any($2::text[])', [entry.task, remove])
  }
  await addLabels(sql, entry.task, add)
  return [
    ...remove.map((label): Change => ({ ...entry, kind: 'label_removed', changes: { label: [label, null] } })),
    ...add.map((label): Change => ({ ...entry, kind: 'label_added', changes: { label: [null, label] } })),
  ]
}

export async function addLabels(sql: Sql, id: string, labels: readonly string[]): Promise<void> {
  await addAllLabels(sql, [{ id, labels }])
}

export async function addAllLabels(sql: Sql, tasks: readonly Pick<Task, 'id' | 'labels'>[]): Promise<void> {
  const pairs = tasks.flatMap(({ id, labels }) => labels.map((label) => [id, label] as const))
  if (pairs.length === 0) return
  await sql.change(
    'insert into label (task, label) select * from unnest($1::text[], $2::text[]) on conflict do nothing',
    [pairs.map(([id]) => id), pairs.map(([, label]) => label)],
  )
}

async function parentsOf(sql: Sql, id: string): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>(
    `select depends_on_id as id from dependency where issue_id = $1 and type = 'parent-child' order by depends_on_id`,
    [id],
  )
  return rows.map((row) => row.id)
}

async function reparent(sql: Sql, id: string, { remove, add }: Difference, who: Who): Promise<void> {
  for (const parent of remove) await removeEdge(sql, { issue_id: id, depends_on_id: parent }, who)
  for (const parent of add) {
    const edge = { issue_id: id, depends_on_id: parent, type: 'parent-child' }
    const result = await addEdge(sql, edge, who)
    if (result.kind === 'unknown') throw new AppError('not-found', `issue ${parent} not found`)
    if (result.kind !== 'added' && result.kind !== 'already') throw new DependencyRefused(edge, result)
  }
}
