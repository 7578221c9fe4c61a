import { type Dependency, HOLDING_TYPES, isScheduling, SCHEDULING_TYPES } from '../../domain/dependency.ts'
import { pathBetween } from '../../domain/graph.ts'
import { isTaskId, prefixOf } from '../../domain/id.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { AddDependencyResult, NewDependency } from '../../ports/queue.ts'
import { record } from './history.ts'
import { edgeChanged } from './readiness.ts'

/** Refusals come first, the edge last: whoever calls inside a transaction may go on after a refusal. */
export function addEdge(db: Database, edge: NewDependency, by: string, at: string): AddDependencyResult {
  const { issue_id: id, depends_on_id: on, type } = edge
  const refused = refusal(db, edge)
  if (refused !== undefined) return refused
  const there = db
    .sql<{ type: string }>('select type from dependency where issue_id = ? and depends_on_id = ?')
    .get(id, on)
  if (there !== undefined && there.type !== type) return { kind: 'other-type', type: there.type }
  if (there !== undefined) {
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

type Refusal = Exclude<AddDependencyResult, { kind: 'added' | 'already' | 'other-type' }>

/** Why this edge may not be, in the graph as it stands. `mayClose`: whether a cycle through it is possible at all. */
export function refusal(db: Database, edge: NewDependency, mayClose = isScheduling(edge.type)): Refusal | undefined {
  const { issue_id: id, depends_on_id: on } = edge
  const known = db.sql<{ id: string }>('select id from task where id in (?, ?)').all(id, on)
  if (!known.some((task) => task.id === id)) return { kind: 'unknown', id }
  const here = known.some((task) => task.id === on)
  if (!here && !isElsewhere(id, on)) return { kind: 'unknown', id: on }
  if (id === on) return { kind: 'itself' }
  const kin = here ? (kinship(db, edge) ?? newKinship(db, edge)) : undefined
  if (kin !== undefined) return kin
  if (!mayClose) return undefined
  const path = pathBetween(on, id, schedulingTargets(db))
  return path === undefined ? undefined : { kind: 'cycle', path: [id, ...path] }
}

/** A task of another project, or a capability of one: named but not kept here, so it never holds anything up. */
function isElsewhere(id: string, on: string): boolean {
  return on.startsWith('external:') || (isTaskId(on) && prefixOf(on) !== prefixOf(id))
}

/** A block between a task and what lies above or below it could never clear. */
function kinship(db: Database, edge: NewDependency): Refusal | undefined {
  if (!(HOLDING_TYPES as readonly string[]).includes(edge.type)) return undefined
  const parents = db.sql<{ id: string }>(
    `select depends_on_id as id from dependency where issue_id = ? and type = 'parent-child'`,
  )
  const above = (id: string) => parents.all(id).map((row) => row.id)
  if (pathBetween(edge.issue_id, edge.depends_on_id, above) !== undefined) return { kind: 'own-parent' }
  if (pathBetween(edge.depends_on_id, edge.issue_id, above) !== undefined) return { kind: 'own-child' }
  return undefined
}

/** For `type in (…)`. */
export const SCHEDULING = SCHEDULING_TYPES.map((type) => `'${type}'`).join(', ')

/**
 * The same rule seen from the other side: a new parent may not bring a task below one that it waits for. An ancestor
 * that waits for what comes below it closes a cycle, and is found as one.
 */
function newKinship(db: Database, edge: NewDependency): Refusal | undefined {
  if (edge.type !== 'parent-child') return undefined
  const held = db
    .sql<{ task: string; ancestor: string }>(
      `with recursive
         below (id) as (
           select ?1 union select issue_id from dependency join below on depends_on_id = id and type = 'parent-child'
         ),
         above (id) as (
           select ?2 union select depends_on_id from dependency join above on issue_id = id and type = 'parent-child'
         )
       select issue_id as task, depends_on_id as ancestor from below cross join dependency on issue_id = below.id
       where type in (${HOLDING_TYPES.map((type) => `'${type}'`).join(', ')}) and depends_on_id in (select id from above)
       limit 1`,
    )
    .get(edge.issue_id, edge.depends_on_id)
  return held === undefined ? undefined : { kind: 'waits-for-ancestor', ...held }
}

function schedulingTargets(db: Database): (id: string) => string[] {
  const next = db.sql<{ id: string }>(
    `select depends_on_id as id from dependency where issue_id = ? and type in (${SCHEDULING}) order by depends_on_id`,
  )
  return (id) => next.all(id).map((row) => row.id)
}

/** The hierarchy comes first, so that a block is judged against all of it. */
export function parentsFirst<E extends NewDependency>(edges: readonly E[]): E[] {
  const isParent = (edge: E) => edge.type === 'parent-child'
  return [...edges.filter(isParent), ...edges.filter((edge) => !isParent(edge))]
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
