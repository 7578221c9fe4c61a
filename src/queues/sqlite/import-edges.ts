import { type Dependency, SCHEDULING_TYPES } from '../../domain/task/dependency.ts'
import type { Edge } from '../../domain/task/graph.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { ImportReport } from '../../ports/task-store.ts'
import { cycleSuspects, parentsFirst } from '../edge-rules.ts'
import { listed } from '../terms.ts'
import { insertEdge, refusal } from './dependencies.ts'

type Skipped = ImportReport['skippedDependencies'][number]

const SCHEDULING_EDGES = `select issue_id as "from", depends_on_id as "to" from dependency where type in (${listed(SCHEDULING_TYPES)})`

/** Adds what can be; an edge that may not be is left out and reported. A pair that is joined already stays as it is. */
export function importEdges(
  db: Database,
  edges: readonly Dependency[],
  by: string,
): { skipped: Skipped[]; changed: string[] } {
  const skipped: Skipped[] = []
  const changed: string[] = []
  const mayClose = cycleSuspects(edges, () => db.sql<Edge>(SCHEDULING_EDGES).all())
  const there = db.sql('select 1 from dependency where issue_id = ? and depends_on_id = ?')
  for (const edge of parentsFirst(edges)) {
    if (there.get(edge.issue_id, edge.depends_on_id) !== undefined) continue
    const why = refusal(db, edge, mayClose(edge))
    if (why === undefined) {
      insertEdge(db, { ...edge, created_by: edge.created_by || by })
      changed.push(edge.issue_id)
    } else skipped.push({ edge, why })
  }
  return { skipped, changed }
}
