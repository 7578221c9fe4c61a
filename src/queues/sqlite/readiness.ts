import type { Database } from '../../platform/sqlite.ts'

/**
 * Whether a task is held up is stored on it and kept right inside every writing transaction, so that claiming reads one
 * index instead of walking dependencies, and so that the last blocker to close frees its dependents, whoever closes it.
 */

const CHILD = `select 1 from dependency c join task k on k.id = c.issue_id
  where c.depends_on_id = w.depends_on_id and c.type = 'parent-child'`

/** Anyone can import an edge, so its metadata may be no JSON; then it asks for nothing special. */
const ASKED = (key: string) =>
  `case when json_valid(w.metadata) then coalesce(json_extract(w.metadata, '$.${key}'), '') else '' end`

/**
 * A waits-for edge holds up while its target has an open child; with the gate any-children only until one has closed.
 * A target without children holds nothing up. also_blocks: the target itself must be closed too.
 */
const GATE_SHUT = `
  (exists (${CHILD} and k.status not in ('closed', 'pinned'))
    and not (${ASKED('gate')} = 'any-children' and exists (${CHILD} and k.status = 'closed')))
  or (${ASKED('also_blocks')} in (1, 'true')
    and exists (select 1 from task t where t.id = w.depends_on_id and t.status not in ('closed', 'pinned')))`

const DESERVED = `
  select task.is_blocked as was_blocked, task.hold_until as was_held,
    task.status not in ('closed', 'pinned') and (
      exists (
        select 1 from dependency d join task b on b.id = d.depends_on_id
        where d.issue_id = task.id and d.type in ('blocks', 'conditional-blocks') and b.status not in ('closed', 'pinned'))
      or exists (
        select 1 from dependency d join task p on p.id = d.depends_on_id
        where d.issue_id = task.id and d.type = 'parent-child' and p.is_blocked = 1)
      or exists (
        select 1 from dependency w
        where w.issue_id = task.id and w.type = 'waits-for' and (${GATE_SHUT}))
    ) as is_blocked,
    nullif(max(coalesce(task.defer_until, ''), coalesce((
      select max(p.hold_until) from dependency d join task p on p.id = d.depends_on_id
      where d.issue_id = task.id and d.type = 'parent-child' and p.status <> 'closed'), '')), '') as hold_until
  from task where task.id = ?`

interface Deserved {
  was_blocked: number
  was_held: string | null
  is_blocked: number
  hold_until: string | null
}

const CHILDREN = `select issue_id as id from dependency where depends_on_id = ? and type = 'parent-child'`

/** Whose readiness can hang on this task's status: its dependents, its children, and those who wait for its siblings. */
const AFFECTED = `
  select issue_id as id from dependency
  where depends_on_id = ?1 and type in ('blocks', 'conditional-blocks', 'parent-child', 'waits-for')
  union
  select w.issue_id from dependency c join dependency w on w.depends_on_id = c.depends_on_id and w.type = 'waits-for'
  where c.issue_id = ?1 and c.type = 'parent-child'`

/**
 * Puts these tasks right, and with them every descendant whose answer changes. Call inside the transaction.
 * Says whether anything changed.
 */
export function settleReadiness(db: Database, ids: Iterable<string>): boolean {
  const pending = [...ids]
  if (pending.length === 0) return false
  const deserved = db.sql<Deserved>(DESERVED)
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

/** Most tasks have no edges at all: this answers for them at a third of the cost of AFFECTED. */
const LINKED = `
  select 1 where exists (select 1 from dependency where depends_on_id = ?1) or exists (select 1 from dependency where issue_id = ?1)`

/** After this task's own status changed in a way others may wait for. */
export function statusChanged(db: Database, id: string): boolean {
  return db.sql(LINKED).get(id) !== undefined && settleReadiness(db, affectedBy(db, id))
}

/** Those whose readiness can hang on this task; to be asked before it is deleted, and settled after. */
export function affectedBy(db: Database, id: string): string[] {
  return db
    .sql<{ id: string }>(AFFECTED)
    .all(id)
    .map((row) => row.id)
}

const WAITING = `select issue_id as id from dependency where depends_on_id = ? and type = 'waits-for'`

/** After an edge came or went: its own task, and with a child those who wait for the parent's children. */
export function edgeChanged(db: Database, edge: { issue_id: string; depends_on_id: string; type: string }): void {
  settleReadiness(db, [edge.issue_id])
  if (edge.type !== 'parent-child') return
  const waiting = db.sql<{ id: string }>(WAITING).all(edge.depends_on_id)
  settleReadiness(
    db,
    waiting.map((row) => row.id),
  )
}
