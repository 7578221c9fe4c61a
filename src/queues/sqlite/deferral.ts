import type { Database } from '../../platform/sqlite/database.ts'
import { record } from './history.ts'
import { settleReadiness } from './readiness.ts'

/** Nobody in particular ends a deferral whose date has come. */
const ACTOR = 'fleet'

export const DUE = `select id, defer_until from task where status = 'deferred' and defer_until <= ?1`

/** Opens what was deferred to a date that has come. A deferral without a date lasts until somebody ends it. false: there was none. */
export function wakeDue(db: Database, at: string): boolean {
  const due = db.sql<{ id: string; defer_until: string }>(DUE).all(at)
  for (const { id, defer_until } of due) {
    db.sql(`update task set status = 'open', defer_until = null, updated_at = ? where id = ?`).run(at, id)
    const changes = { status: ['deferred', 'open'], defer_until: [defer_until, null] } as const
    record(db, { task: id, at, actor: ACTOR, kind: 'updated', changes })
  }
  settleReadiness(
    db,
    due.map((task) => task.id),
  )
  return due.length > 0
}
