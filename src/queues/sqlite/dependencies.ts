import { affectsReadiness, type Dependency } from '../../domain/dependency.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { AddDependencyResult, NewDependency } from '../../ports/queue.ts'
import { record } from './history.ts'
import { settleReadiness } from './readiness.ts'

/** Refusals come first, the edge last: whoever calls inside a transaction may go on after a refusal. */
export function addEdge(db: Database, edge: NewDependency, by: string, at: string): AddDependencyResult {
  const { issue_id: id, depends_on_id: on, type } = edge
  if (id === on) return { kind: 'itself' }
  const types = db
    .sql<{ id: string; issue_type: string }>('select id, issue_type from task where id in (?, ?)')
    .all(id, on)
  const dependent = types.find((task) => task.id === id)
  const target = types.find((task) => task.id === on)
  if (dependent === undefined) return { kind: 'unknown', id }
  if (target === undefined && !on.startsWith('external:')) return { kind: 'unknown', id: on }
  const there = db
    .sql<{ type: string }>('select type from dependency where issue_id = ? and depends_on_id = ?')
    .get(id, on)
  if (there !== undefined) return there.type === type ? { kind: 'already' } : { kind: 'other-type', type: there.type }
  if (type === 'blocks' && id.startsWith(`${on}.`)) return { kind: 'own-parent' }
  if (
    type === 'blocks' &&
    target !== undefined &&
    (dependent.issue_type === 'epic') !== (target.issue_type === 'epic')
  ) {
    const [task, epic] = dependent.issue_type === 'epic' ? [on, id] : [id, on]
    return { kind: 'task-blocks-epic', task, epic }
  }
  if (affectsReadiness(type)) {
    const path = pathBetween(db, on, id)
    if (path !== undefined) return { kind: 'cycle', path: [id, ...path] }
  }
  insertEdge(db, { ...edge, created_at: at, created_by: by })
  record(db, { task: id, at, actor: by, kind: 'dependency_added', changes: { [type]: [null, on] } })
  if (affectsReadiness(type)) settleReadiness(db, [id])
  return { kind: 'added' }
}

export function insertEdge(db: Database, edge: NewDependency & { created_at: string; created_by: string }): void {
  db.sql(
    `insert into dependency (issue_id, depends_on_id, type, created_at, created_by, metadata, thread_id)
     values (?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    edge.issue_id,
    edge.depends_on_id,
    edge.type,
    edge.created_at,
    edge.created_by,
    edge.metadata ?? '',
    edge.thread_id ?? '',
  )
}

export function removeEdge(
  db: Database,
  edge: { issue_id: string; depends_on_id: string },
  by: string,
  at: string,
): boolean {
  const { issue_id: id, depends_on_id: on } = edge
  const gone = db
    .sql<{ type: string }>('delete from dependency where issue_id = ? and depends_on_id = ? returning type')
    .get(id, on)
  if (gone === undefined) return false
  record(db, { task: id, at, actor: by, kind: 'dependency_removed', changes: { [gone.type]: [on, null] } })
  settleReadiness(db, [id])
  return true
}

export function edgesOf(db: Database, ids: readonly string[], direction: 'down' | 'up'): Dependency[] {
  const key = direction === 'down' ? 'issue_id' : 'depends_on_id'
  return db
    .sql<Dependency>(
      `select issue_id, depends_on_id, type, created_at, created_by, metadata, thread_id from dependency
       where ${key} in (select value from json_each(?)) order by created_at, issue_id, depends_on_id`,
    )
    .all(JSON.stringify(ids))
}

/** A way from one task to another along edges that hold up, or undefined. Both ends are part of it. */
function pathBetween(db: Database, from: string, to: string): string[] | undefined {
  const next = db.sql<{ id: string }>(
    `select depends_on_id as id from dependency
     where issue_id = ? and type in ('blocks', 'conditional-blocks', 'waits-for', 'parent-child') order by depends_on_id`,
  )
  const cameFrom = new Map<string, string | undefined>([[from, undefined]])
  const pending = [from]
  for (let id = pending.shift(); id !== undefined; id = pending.shift()) {
    if (id === to) {
      const path: string[] = []
      for (let step: string | undefined = id; step !== undefined; step = cameFrom.get(step)) path.unshift(step)
      return path
    }
    for (const { id: on } of next.all(id)) {
      if (cameFrom.has(on)) continue
      cameFrom.set(on, id)
      pending.push(on)
    }
  }
  return undefined
}
