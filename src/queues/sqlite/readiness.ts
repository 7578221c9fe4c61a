import type { Database } from '../../platform/sqlite/database.ts'
import { unsettled } from '../terms.ts'

/**
 * Each task stores whether it is held up, and every writing transaction keeps that current. So a claim reads one index
 * instead of walking dependencies, and closing the last blocker frees its dependents in the same commit.
 */

const CHILD = `select 1 from dependency c join task k on k.id = c.issue_id
  where c.depends_on_id = w.depends_on_id and c.type = 'parent-child'`

/** Edges can be imported, so the metadata may not be JSON; then the edge has no options. */
const ASKED = (key: string) =>
  `case when json_valid(w.metadata) then coalesce(json_extract(w.metadata, '$.${key}'), '') else '' end`

/**
 * A waits-for edge holds its task up while the target has an open child; with the gate any-children, until one child has
 * closed. A target without children holds nothing up. also_blocks: the target itself must be closed too.
 */
const GATE_SHUT = `
  ((exists (${CHILD} and ${unsettled('k')})
    and not (${ASKED('gate')} = 'any-children' and exists (${CHILD} and k.status = 'closed')))
  or (${ASKED('also_blocks')} in (1, 'true')
    and exists (select 1 from task t where t.id = w.depends_on_id and ${unsettled('t')})))`

/** Whether the edge `w` holds its task up. */
const HOLDS_UP = `
  case w.type
    when 'blocks' then exists (select 1 from task b where b.id = w.depends_on_id and ${unsettled('b')})
    when 'conditional-blocks' then exists (select 1 from task b where b.id = w.depends_on_id and ${unsettled('b')})
    when 'parent-child' then exists (select 1 from task p where p.id = w.depends_on_id and p.is_blocked = 1)
    when 'waits-for' then ${GATE_SHUT}
    else 0
  end`

const COMPUTED = `
  select task.is_blocked as was_blocked, task.hold_until as was_held,
    ${unsettled('task')} and exists (select 1 from dependency w where w.issue_id = task.id and ${HOLDS_UP}) as is_blocked,
    nullif(max(coalesce(task.defer_until, ''), coalesce((
      select max(p.hold_until) from dependency d join task p on p.id = d.depends_on_id
      where d.issue_id = task.id and d.type = 'parent-child' and p.status <> 'closed'), '')), '') as hold_until
  from task where task.id = ?`

interface Computed {
  was_blocked: number
  was_held: string | null
  is_blocked: number
  hold_until: string | null
}

const CHILDREN = `select issue_id as id from dependency where depends_on_id = ? and type = 'parent-child'`

/** Tasks whose readiness can depend on this task's status: dependents, children, and tasks that wait for its siblings. */
const AFFECTED = `
  select issue_id as id from dependency
  where depends_on_id = ?1 and type in ('blocks', 'conditional-blocks', 'parent-child', 'waits-for')
  union
  select w.issue_id from dependency c join dependency w on w.depends_on_id = c.depends_on_id and w.type = 'waits-for'
  where c.issue_id = ?1 and c.type = 'parent-child'`

/**
 * Recomputes these tasks, and every descendant that changes with them. Call inside the transaction.
 * Returns whether anything changed.
 */
export function recomputeReadiness(db: Database, ids: Iterable<string>): boolean {
  const pending = [...ids]
  if (pending.length === 0) return false
  const deserved = db.sql<Computed>(COMPUTED)
  const set = db.sql('update task set is_blocked = ?, hold_until = ? where id = ?')
  const children = db.sql<{ id: string }>(CHILDREN)
  let changed = false
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const now = deserved.get(id)
    if (now === undefined || (now.was_blocked === now.is_blocked && now.was_held === now.hold_until)) continue
    set.run(now.is_blocked, now.hold_until, id)
    changed = true
    for (const child of children.all(id)) pending.push(child.id)
  }
  return changed
}

/** Most tasks have no edges; for them this query costs a third of AFFECTED. */
const LINKED = `
  select 1 where exists (select 1 from dependency where depends_on_id = ?1) or exists (select 1 from dependency where issue_id = ?1)`

/** Call after the task's status changed. Returns whether any other task's readiness changed. */
export function statusChanged(db: Database, id: string): boolean {
  return db.sql(LINKED).get(id) !== undefined && recomputeReadiness(db, affectedBy(db, id))
}

/** Tasks whose readiness can depend on this one. Before a delete: ask first, delete, then recompute. */
export function affectedBy(db: Database, id: string): string[] {
  return db
    .sql<{ id: string }>(AFFECTED)
    .all(id)
    .map((row) => row.id)
}

const WAITING = `select issue_id as id from dependency where depends_on_id = ? and type = 'waits-for'`

/** Call after an edge was added or removed: recomputes its task and, for a child, the tasks that wait for the parent's children. */
export function edgeChanged(db: Database, edge: { issue_id: string; depends_on_id: string; type: string }): void {
  recomputeReadiness(db, [edge.issue_id])
  if (edge.type !== 'parent-child') return
  const waiting = db.sql<{ id: string }>(WAITING).all(edge.depends_on_id)
  recomputeReadiness(
    db,
    waiting.map((row) => row.id),
  )
}

/**
 * The tasks that hold this task up: its own open blockers or, if it has none, the parents it inherits the block from. Never empty
 * for a task that is held up.
 */
export function heldUpBy(db: Database, id: string): string[] {
  const rows = db
    .sql<{ id: string; type: string }>(
      `select w.depends_on_id as id, w.type from dependency w where w.issue_id = ? and ${HOLDS_UP}
       order by w.created_at, w.depends_on_id`,
    )
    .all(id)
  const own = rows.filter((row) => row.type !== 'parent-child')
  return (own.length > 0 ? own : rows).map((row) => row.id)
}
