import type { Database } from '../../platform/sqlite/database.ts'
import { record } from './history.ts'
import { recomputeReadiness } from './readiness.ts'

/** The actor in the history of a deferral that ends by its date. */
const ACTOR = 'fleet'

export const DUE = `select id, defer_until from task where status = 'deferred' and defer_until <= ?1`

/** Opens tasks whose deferral is due. Without a date a deferral lasts until a person ends it. Returns whether any was due. */
export function openDueDeferrals(db: Database, at: string): boolean {
  const due = db.sql<{ id: string; defer_until: string }>(DUE).all(at)
  for (const { id, defer_until } of due) {
    db.sql(`update task set status = 'open', defer_until = null, updated_at = ? where id = ?`).run(at, id)
    const changes = { status: ['deferred', 'open'], defer_until: [defer_until, null] } as const
    record(db, { task: id, at, actor: ACTOR, kind: 'updated', changes })
  }
  recomputeReadiness(
    db,
    due.map((task) => task.id),
  )
  return due.length > 0
}
