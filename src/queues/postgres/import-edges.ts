import { type Dependency, isScheduling, SCHEDULING_TYPES } from '../../domain/task/dependency.ts'
import type { Sql } from '../../platform/postgres/postgres.ts'
import type { ImportReport } from '../../ports/task-store.ts'
import { parentsFirst, suspects, type TypedEdge } from '../edge-rules.ts'
import { listed } from '../terms.ts'
import { insertEdge } from './dependencies.ts'
import { edgeRefusalIn } from './neighbourhood.ts'

type Skipped = ImportReport['skippedDependencies'][number]

const SCHEDULING_EDGES = `select issue_id, depends_on_id, type from dependency where type in (${listed(SCHEDULING_TYPES)})`
const PAIRS = `
  select issue_id, depends_on_id from dependency
  join unnest($1::text[], $2::text[]) as wanted (a, b) on issue_id = a and depends_on_id = b`

/** Adds the edges that are allowed and reports the others. An existing edge between the same two tasks stays as it is. */
export async function importEdges(
  sql: Sql,
  edges: readonly Dependency[],
  by: string,
): Promise<{ skipped: Skipped[]; changed: string[] }> {
  const skipped: Skipped[] = []
  const changed: string[] = []
  const existing = edges.some((edge) => isScheduling(edge.type)) ? await sql.rows<TypedEdge>(SCHEDULING_EDGES) : []
  const suspicionOf = suspects(edges, () => existing)
  const joined = await pairsOf(sql, edges)
  for (const edge of parentsFirst(edges)) {
    const pair = pairOf(edge)
    if (joined.has(pair)) continue
    const why = await edgeRefusalIn(sql, edge, suspicionOf(edge))
    if (why === undefined) {
      await insertEdge(sql, { ...edge, created_by: edge.created_by || by })
      joined.add(pair)
      changed.push(edge.issue_id)
    } else skipped.push({ edge, why })
  }
  return { skipped, changed }
}

async function pairsOf(sql: Sql, edges: readonly Dependency[]): Promise<Set<string>> {
  if (edges.length === 0) return new Set()
  const rows = await sql.rows<{ issue_id: string; depends_on_id: string }>(PAIRS, [
    edges.map((edge) => edge.issue_id),
    edges.map((edge) => edge.depends_on_id),
  ])
  return new Set(rows.map(pairOf))
}

function pairOf({ issue_id, depends_on_id }: { issue_id: string; depends_on_id: string }): string {
  return `${issue_id}\n${depends_on_id}`
}
