import type { Dependency } from '../../domain/task/dependency.ts'
import { jsonWithoutNul } from '../../domain/text/nul.ts'
import type { Sql } from '../../platform/postgres/postgres.ts'
import type { AddDependencyResult, NewDependency } from '../../ports/queue.ts'
import { gateOf } from '../gate.ts'
import type { Who } from './change.ts'
import { record } from './history.ts'
import { edgeRefusalIn } from './neighbourhood.ts'
import { edgeChanged } from './readiness.ts'

/** Writes nothing before all checks have passed, so the caller's transaction can continue after a refusal. */
export async function addEdge(sql: Sql, edge: NewDependency, { by, at }: Who): Promise<AddDependencyResult> {
  const { issue_id: id, depends_on_id: on, type } = edge
  const refused = await edgeRefusalIn(sql, edge)
  if (refused !== undefined) return refused
  const [existing] = await sql.rows<{ type: string }>(
    'select type from dependency where issue_id = $1 and depends_on_id = $2',
    [id, on],
  )
  if (existing !== undefined && existing.type !== type) return { kind: 'other-type', type: existing.type }
  if (existing !== undefined) {
    if (edge.metadata !== undefined && edge.metadata !== '') {
      const { anyChild, alsoBlocks } = gateOf(edge.metadata)
      await sql.change(
        'update dependency set metadata = $3, any_child = $4, also_blocks = $5 where issue_id = $1 and depends_on_id = $2',
        [id, on, edge.metadata, anyChild, alsoBlocks],
      )
      await edgeChanged(sql, edge)
    }
    return { kind: 'already' }
  }
  await insertEdges(sql, [{ ...edge, created_at: at, created_by: by }])
  await record(sql, { task: id, at, actor: by, kind: 'dependency_added', changes: { [type]: [null, on] } })
  await edgeChanged(sql, edge)
  return { kind: 'added' }
}

/**
 * Marks both ends first, because a supervisor may close one of them without the writer's lock. Either it closed first, and
 * the update waits for its commit, or it finds the mark and waits for the lock.
 */
export async function insertEdges(
  sql: Sql,
  edges: readonly (NewDependency & { created_at: string; created_by: string })[],
): Promise<void> {
  if (edges.length === 0) return
  const ends = new Set(edges.flatMap((edge) => [edge.issue_id, edge.depends_on_id]))
  await sql.change('update task set linked = 1 where id = any($1::text[]) and linked = 0', [[...ends]])
  const rows = edges.map(({ metadata, thread_id, ...edge }) => {
    const { anyChild, alsoBlocks } = gateOf(metadata)
    return {
      ...edge,
      metadata: metadata || '{}',
      thread_id: thread_id ?? '',
      any_child: anyChild,
      also_blocks: alsoBlocks,
    }
  })
  await sql.change(
    `insert into dependency (${COLUMNS}) select ${COLUMNS} from json_populate_recordset(null::dependency, $1::json)`,
    [jsonWithoutNul(rows)],
  )
}

const COLUMNS = 'issue_id, depends_on_id, type, created_at, created_by, metadata, thread_id, any_child, also_blocks'

export async function removeEdge(
  sql: Sql,
  edge: { issue_id: string; depends_on_id: string },
  { by, at }: Who,
): Promise<boolean> {
  const { issue_id: id, depends_on_id: on } = edge
  const [gone] = await sql.rows<{ type: string }>(
    'delete from dependency where issue_id = $1 and depends_on_id = $2 returning type',
    [id, on],
  )
  if (gone === undefined) return false
  await record(sql, { task: id, at, actor: by, kind: 'dependency_removed', changes: { [gone.type]: [on, null] } })
  await edgeChanged(sql, { ...edge, type: gone.type })
  return true
}

export async function edgesOf(sql: Sql, ids: readonly string[], direction: 'down' | 'up'): Promise<Dependency[]> {
  const key = direction === 'down' ? 'issue_id' : 'depends_on_id'
  return await sql.rows<Dependency>(
    `select issue_id, depends_on_id, type, created_at, created_by, metadata, thread_id from dependency
     where ${key} = any($1::text[]) order by created_at, issue_id, depends_on_id`,
    [ids],
  )
}
