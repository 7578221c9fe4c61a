import { type Dependency, HOLDING_TYPES, SCHEDULING_TYPES } from '../../domain/task/dependency.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { AddDependencyResult, NewDependency } from '../../ports/queue.ts'
import { type EdgeRefusal, edgeRefusal, type Neighbourhood, type Suspicion } from '../edge-rules.ts'
import { listed } from '../terms.ts'
import { record } from './history.ts'
import { edgeChanged } from './readiness.ts'

/** Writes nothing before all checks have passed, so the caller's transaction can continue after a refusal. */
export function addEdge(db: Database, edge: NewDependency, by: string, at: string): AddDependencyResult {
  const { issue_id: id, depends_on_id: on, type } = edge
  const refused = edgeRefusalIn(db, edge)
  if (refused !== undefined) return refused
  const existing = db
    .sql<{ type: string }>('select type from dependency where issue_id = ? and depends_on_id = ?')
    .get(id, on)
  if (existing !== undefined && existing.type !== type) return { kind: 'other-type', type: existing.type }
  if (existing !== undefined) {
    if (edge.metadata !== undefined && edge.metadata !== '') {
      db.sql('update dependency set metadata = ? where issue_id = ? and depends_on_id = ?').run(edge.metadata, id, on)
      edgeChanged(db, edge)
    }
    return { kind: 'already' }
  }
  insertEdge(db, { ...edge, created_at: at, created_by: by })
  record(db, { task: id, at, actor: by, kind: 'dependency_added', changes: { [type]: [null, on] } })
  edgeChanged(db, edge)
  return { kind: 'added' }
}

/** Why the stored graph does not allow this edge. */
export function edgeRefusalIn(db: Database, edge: NewDependency, suspicion?: Suspicion): EdgeRefusal | undefined {
  return edgeRefusal(edge, neighbourhood(db), suspicion)
}

const WAITS_FOR_ABOVE = `
  with recursive
    below (id) as (
      select ?1 union select issue_id from dependency join below on depends_on_id = id and type = 'parent-child'
    ),
    above (id) as (
      select ?2 union select depends_on_id from dependency join above on issue_id = id and type = 'parent-child'
    )
  select issue_id as task, depends_on_id as ancestor from below cross join dependency on issue_id = below.id
  where type in (${listed(HOLDING_TYPES)}) and depends_on_id in (select id from above)
  order by issue_id, depends_on_id limit 1`

function neighbourhood(db: Database): Neighbourhood {
  const has = db.sql('select 1 from task where id = ?')
  const parents = db.sql<{ id: string }>(
    `select depends_on_id as id from dependency where issue_id = ? and type = 'parent-child'`,
  )
  const targets = db.sql<{ id: string }>(
    `select depends_on_id as id from dependency where issue_id = ? and type in (${listed(SCHEDULING_TYPES)}) order by depends_on_id`,
  )
  return {
    has: (id) => has.get(id) !== undefined,
    parents: (id) => parents.all(id).map((row) => row.id),
    schedulingTargets: (id) => targets.all(id).map((row) => row.id),
    waitsForAbove: (edge) =>
      db.sql<{ task: string; ancestor: string }>(WAITS_FOR_ABOVE).get(edge.issue_id, edge.depends_on_id),
  }
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
    edge.metadata || '{}',
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
  edgeChanged(db, { ...edge, type: gone.type })
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
