import { type Dependency, isScheduling } from '../../domain/dependency.ts'
import { components, type Edge } from '../../domain/graph.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { ImportReport } from '../../ports/task-store.ts'
import { insertEdge, parentsFirst, refusal, SCHEDULING } from './dependencies.ts'

type Skipped = ImportReport['skippedDependencies'][number]

/** Adds what can be; an edge that may not be is left out and reported. A pair that is joined already stays as it is. */
export function importEdges(
  db: Database,
  edges: readonly Dependency[],
  by: string,
): { skipped: Skipped[]; changed: string[] } {
  const skipped: Skipped[] = []
  const changed: string[] = []
  const mayClose = cycleSuspects(db, edges)
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

/**
 * Walking the graph for each edge would cost the square of a long chain. One look at the whole of it, as it would be
 * with every new edge, tells which of them can close a cycle at all: hardly ever any.
 */
function cycleSuspects(db: Database, edges: readonly Dependency[]): (edge: Dependency) => boolean {
  const added = edges.filter((edge) => isScheduling(edge.type))
  if (added.length === 0) return () => false
  const all: Edge[] = db
    .sql<{ from: string; to: string }>(
      `select issue_id as "from", depends_on_id as "to" from dependency where type in (${SCHEDULING})`,
    )
    .all()
  for (const edge of added) all.push({ from: edge.issue_id, to: edge.depends_on_id })
  const component = components(all)
  return (edge) => isScheduling(edge.type) && component.get(edge.issue_id) === component.get(edge.depends_on_id)
}
