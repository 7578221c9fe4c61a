import type { Sql } from '../../platform/postgres/postgres.ts'
import { unsettled } from '../terms.ts'

/**
 * Each task stores whether it is held up, as in the SQLite store. Every write that can change this holds the writer's lock
 * (queue.ts), so of two blockers that close at the same moment the second sees the first.
 */

const CHILD = `select 1 from dependency c join task k on k.id = c.issue_id
  where c.depends_on_id = w.depends_on_id and c.type = 'parent-child'`

/** A waits-for edge holds its task up while the target has an open child; any_child and also_blocks change that. */
const GATE_SHUT = `
  ((exists (${CHILD} and ${unsettled('k')}) and not (w.any_child = 1 and exists (${CHILD} and k.status = 'closed')))
  or (w.also_blocks = 1 and exists (select 1 from task t where t.id = w.depends_on_id and ${unsettled('t')})))`

/** Whether the edge `w` holds its task up. */
const HOLDS_UP = `
  case w.type
    when 'blocks' then exists (select 1 from task b where b.id = w.depends_on_id and ${unsettled('b')})
    when 'conditional-blocks' then exists (select 1 from task b where b.id = w.depends_on_id and ${unsettled('b')})
    when 'parent-child' then exists (select 1 from task p where p.id = w.depends_on_id and p.is_blocked = 1)
    when 'waits-for' then ${GATE_SHUT}
    else false
  end`

/** Recomputes the given tasks and returns the children of those that changed. */
const RECOMPUTE = `
  with deserved as materialized (
    select task.seq,
      (${unsettled('task')} and exists (select 1 from dependency w where w.issue_id = task.id and ${HOLDS_UP}))::integer as is_blocked,
      nullif(greatest(coalesce(task.defer_until, ''), coalesce((
        select max(p.hold_until) from dependency d join task p on p.id = d.depends_on_id
        where d.issue_id = task.id and d.type = 'parent-child' and p.status <> 'closed'), '')), '') as hold_until
    from task where task.id = any($1::text[])
  ), changed as (
    update task set is_blocked = deserved.is_blocked, hold_until = deserved.hold_until from deserved
    where task.seq = deserved.seq
      and (task.is_blocked <> deserved.is_blocked or task.hold_until is distinct from deserved.hold_until)
    returning task.id
  )
  select (select count(*) from changed) as changed, array(
    select distinct d.issue_id from changed join dependency d on d.depends_on_id = changed.id and d.type = 'parent-child'
  ) as children`

/**
 * Recomputes these tasks, and every descendant that changes with them, one generation per statement. Call inside the
 * transaction, with the writer's lock. Returns whether anything changed.
 */
export async function recomputeReadiness(sql: Sql, ids: Iterable<string>): Promise<boolean> {
  let changed = false
  for (let pending = [...new Set(ids)]; pending.length > 0; ) {
    const [row] = await sql.rows<{ changed: number; children: string[] }>(RECOMPUTE, [pending])
    changed ||= (row?.changed ?? 0) > 0
    pending = row?.children ?? []
  }
  return changed
}

const AFFECTED = `
  select issue_id as id from dependency
  where depends_on_id = any($1::text[]) and type in ('blocks', 'conditional-blocks', 'parent-child', 'waits-for')
  union
  select w.issue_id from dependency c join dependency w on w.depends_on_id = c.depends_on_id and w.type = 'waits-for'
  where c.issue_id = any($1::text[]) and c.type = 'parent-child'`

/** Tasks whose readiness can depend on these tasks' status: dependents, children, and tasks that wait for their siblings. */
export async function affectedBy(sql: Sql, ids: readonly string[]): Promise<string[]> {
  return (await sql.rows<{ id: string }>(AFFECTED, [ids])).map((row) => row.id)
}

/** Call after the task's status changed. Returns whether any other task's readiness changed. */
export async function statusChanged(sql: Sql, id: string): Promise<boolean> {
  return await recomputeReadiness(sql, await affectedBy(sql, [id]))
}

const WAITING = `select issue_id as id from dependency where depends_on_id = $1 and type = 'waits-for'`

/** Call after an edge was added or removed: recomputes its task and, for a child, the tasks that wait for the parent's children. */
export async function edgeChanged(
  sql: Sql,
  edge: { issue_id: string; depends_on_id: string; type: string },
): Promise<void> {
  await recomputeReadiness(sql, [edge.issue_id])
  if (edge.type !== 'parent-child') return
  const waiting = await sql.rows<{ id: string }>(WAITING, [edge.depends_on_id])
  await recomputeReadiness(
    sql,
    waiting.map((row) => row.id),
  )
}

const HELD_UP_BY = `
  select w.issue_id as task, w.depends_on_id as id, w.type from dependency w
  where w.issue_id = any($1::text[]) and ${HOLDS_UP} order by w.created_at, w.depends_on_id`

/**
 * The tasks that hold each of these tasks up: its own open blockers or, if it has none, the parents it inherits the block from.
 * Never empty for a task that is held up.
 */
export async function heldUpBy(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await sql.rows<{ task: string; id: string; type: string }>(HELD_UP_BY, [ids])
  return new Map(
    [...grouped(rows)].map(([task, edges]) => {
      const own = edges.filter((edge) => edge.type !== 'parent-child')
      return [task, (own.length > 0 ? own : edges).map((edge) => edge.id)]
    }),
  )
}

function grouped<Row extends { task: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) groups.set(row.task, [...(groups.get(row.task) ?? []), row])
  return groups
}
