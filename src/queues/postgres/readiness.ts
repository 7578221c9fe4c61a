import type { Sql } from '../../platform/postgres/postgres.ts'
import { unsettled } from '../terms.ts'

/**
 * Whether a task is held up is stored on it, as in the SQLite store. Whoever can change the answer holds the writer's
 * lock (queue.ts), so two blockers that close at once are closed one after the other, and the second sees the first.
 */

const CHILD = `select 1 from dependency c join task k on k.id = c.issue_id
  where c.depends_on_id = w.depends_on_id and c.type = 'parent-child'`

/** A waits-for edge holds up while its target has an open child; its metadata may ask for less, or for more. */
const GATE_SHUT = `
  ((exists (${CHILD} and ${unsettled('k')}) and not (w.any_child = 1 and exists (${CHILD} and k.status = 'closed')))
  or (w.also_blocks = 1 and exists (select 1 from task t where t.id = w.depends_on_id and ${unsettled('t')})))`

/** Of an edge `w`: whether its task has to wait because of it. */
const HOLDS_UP = `
  case w.type
    when 'blocks' then exists (select 1 from task b where b.id = w.depends_on_id and ${unsettled('b')})
    when 'conditional-blocks' then exists (select 1 from task b where b.id = w.depends_on_id and ${unsettled('b')})
    when 'parent-child' then exists (select 1 from task p where p.id = w.depends_on_id and p.is_blocked = 1)
    when 'waits-for' then ${GATE_SHUT}
    else false
  end`

/** Puts the given tasks right at once, and tells of the children of those whose answer changed. */
const SETTLE = `
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
 * Puts these tasks right, and with them every descendant whose answer changes, one generation per statement. Call inside
 * the transaction, with the writer's lock. Says whether anything changed.
 */
export async function settleReadiness(sql: Sql, ids: Iterable<string>): Promise<boolean> {
  let changed = false
  for (let pending = [...new Set(ids)]; pending.length > 0; ) {
    const [row] = await sql.rows<{ changed: number; children: string[] }>(SETTLE, [pending])
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

/** Whose readiness can hang on these tasks' status: dependents, children, and those who wait for their siblings. */
export async function affectedBy(sql: Sql, ids: readonly string[]): Promise<string[]> {
  return (await sql.rows<{ id: string }>(AFFECTED, [ids])).map((row) => row.id)
}

/** After this task's own status changed in a way others may wait for. */
export async function statusChanged(sql: Sql, id: string): Promise<boolean> {
  return await settleReadiness(sql, await affectedBy(sql, [id]))
}

const WAITING = `select issue_id as id from dependency where depends_on_id = $1 and type = 'waits-for'`

/** After an edge came or went: its own task, and with a child those who wait for the parent's children. */
export async function edgeChanged(
  sql: Sql,
  edge: { issue_id: string; depends_on_id: string; type: string },
): Promise<void> {
  await settleReadiness(sql, [edge.issue_id])
  if (edge.type !== 'parent-child') return
  const waiting = await sql.rows<{ id: string }>(WAITING, [edge.depends_on_id])
  await settleReadiness(
    sql,
    waiting.map((row) => row.id),
  )
}

const HELD_UP_BY = `
  select w.issue_id as task, w.depends_on_id as id, w.type from dependency w
  where w.issue_id = any($1::text[]) and ${HOLDS_UP} order by w.created_at, w.depends_on_id`

/**
 * What holds each of these tasks up, never nothing for one that is: its own open blockers; a parent only where there are
 * none, because then the block comes down from there.
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
