import type { Database } from '../../platform/sqlite/database.ts'
import { unsettled } from '../terms.ts'

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
  ((exists (${CHILD} and ${unsettled('k')})
    and not (${ASKED('gate')} = 'any-children' and exists (${CHILD} and k.status = 'closed')))
  or (${ASKED('also_blocks')} in (1, 'true')
    and exists (select 1 from task t where t.id = w.depends_on_id and ${unsettled('t')})))`

/** Of an edge `w`: whether its task has to wait because of it. */
const HOLDS_UP = `
  case w.type
    when 'blocks' then exists (select 1 from task b where b.id = w.depends_on_id and ${unsettled('b')})
    when 'conditional-blocks' then exists (select 1 from task b where b.id = w.depends_on_id and ${unsettled('b')})
    when 'parent-child' then exists (select 1 from task p where p.id = w.depends_on_id and p.is_blocked = 1)
    when 'waits-for' then ${GATE_SHUT}
    else 0
  end`

const DESERVED = `
  select task.is_blocked as was_blocked, task.hold_until as was_held,
    ${unsettled('task')} and exists (select 1 from dependency w where w.issue_id = task.id and ${HOLDS_UP}) as is_blocked,
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

/**
 * What holds this task up, never nothing for one that is: its own open blockers; a parent only where there are none,
 * because then the block comes down from there.
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
