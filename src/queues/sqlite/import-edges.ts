import { type Dependency, SCHEDULING_TYPES } from '../../domain/task/dependency.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { ImportReport } from '../../ports/task-store.ts'
import { parentsFirst, suspects, type TypedEdge } from '../edge-rules.ts'
import { listed } from '../terms.ts'
import { edgeRefusalIn, insertEdge } from './dependencies.ts'

type Skipped = ImportReport['skippedDependencies'][number]

const SCHEDULING_EDGES = `select issue_id, depends_on_id, type from dependency where type in (${listed(SCHEDULING_TYPES)})`

/** Adds the edges that are allowed and reports the others. An existing edge between the same two tasks stays as it is. */
export function importEdges(
  db: Database,
  edges: readonly Dependency[],
  by: string,
): { skipped: Skipped[]; changed: string[] } {
  const skipped: Skipped[] = []
  const changed: string[] = []
  const suspicionOf = suspects(edges, () => db.sql<TypedEdge>(SCHEDULING_EDGES).all())
  const existing = db.sql('select 1 from dependency where issue_id = ? and depends_on_id = ?')
  for (const edge of parentsFirst(edges)) {
    if (existing.get(edge.issue_id, edge.depends_on_id) !== undefined) continue
    const why = edgeRefusalIn(db, edge, suspicionOf(edge))
    if (why === undefined) {
      insertEdge(db, { ...edge, created_by: edge.created_by || by })
      changed.push(edge.issue_id)
    } else skipped.push({ edge, why })
  }
  return { skipped, changed }
}
