import { type Dependency, isScheduling, SCHEDULING_TYPES } from '../../domain/task/dependency.ts'
import type { Sql } from '../../platform/postgres/postgres.ts'
import type { ImportReport } from '../../ports/task-store.ts'
import { edgeRefusal, parentsFirst, suspects, type TypedEdge } from '../edge-rules.ts'
import { ImportGraph } from '../import-graph.ts'
import { listed } from '../terms.ts'
import { insertEdges } from './dependencies.ts'

type Skipped = ImportReport['skippedDependencies'][number]

const SCHEDULING_EDGES = `select issue_id, depends_on_id, type from dependency where type in (${listed(SCHEDULING_TYPES)})`
const PAIRS = `
  select issue_id, depends_on_id from dependency
  join unnest($1::text[], $2::text[]) as wanted (a, b) on issue_id = a and depends_on_id = b`

const TASKS = 'select id from task where id = any($1::text[])'

/**
 * Adds the edges that are allowed and reports the others. An existing edge between the same two tasks stays as it is. They are
 * judged in memory and written together: a statement for each would search tables that have no statistics yet.
 */
export async function importEdges(
  sql: Sql,
  edges: readonly Dependency[],
  by: string,
): Promise<{ skipped: Skipped[]; changed: string[] }> {
  if (edges.length === 0) return { skipped: [], changed: [] }
  const skipped: Skipped[] = []
  const added: Dependency[] = []
  const existing = edges.some((edge) => isScheduling(edge.type)) ? await sql.rows<TypedEdge>(SCHEDULING_EDGES) : []
  const suspicionOf = suspects(edges, () => existing)
  const graph = new ImportGraph(await tasksOf(sql, edges), existing)
  const joined = await pairsOf(sql, edges)
  for (const edge of parentsFirst(edges)) {
    const pair = pairOf(edge)
    if (joined.has(pair)) continue
    const why = edgeRefusal(edge, graph, suspicionOf(edge))
    if (why === undefined) {
      added.push({ ...edge, created_by: edge.created_by || by })
      joined.add(pair)
      graph.add(edge)
    } else skipped.push({ edge, why })
  }
  await insertEdges(sql, added)
  return { skipped, changed: added.map((edge) => edge.issue_id) }
}

async function tasksOf(sql: Sql, edges: readonly Dependency[]): Promise<ReadonlySet<string>> {
  const ids = new Set(edges.flatMap((edge) => [edge.issue_id, edge.depends_on_id]))
  return new Set((await sql.rows<{ id: string }>(TASKS, [[...ids]])).map(({ id }) => id))
}

async function pairsOf(sql: Sql, edges: readonly Dependency[]): Promise<Set<string>> {
  const rows = await sql.rows<{ issue_id: string; depends_on_id: string }>(PAIRS, [
    edges.map((edge) => edge.issue_id),
    edges.map((edge) => edge.depends_on_id),
  ])
  return new Set(rows.map(pairOf))
}

function pairOf({ issue_id, depends_on_id }: { issue_id: string; depends_on_id: string }): string {
  return `${issue_id}\n${depends_on_id}`
}
