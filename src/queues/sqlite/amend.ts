import type { Database } from '../../platform/sqlite/database.ts'
import type { Amendment, AmendResult } from '../../ports/task-store.ts'
import { amendmentRefusal, closesWithoutForce } from '../refusals.ts'
import { changeTask, openNeighbourRefusal, readTask, type Who } from './change.ts'
import { takeTask } from './claims.ts'

/** Refusals are decided before anything is written. A later error (a refused parent) rolls back the claim too. */
export function amendTask(db: Database, id: string, amendment: Amendment, who: Who): AmendResult {
  const before = readTask(db, id)
  if (before === undefined) return { kind: 'unknown' }
  const refused = amendmentRefusal(before, amendment, who.by)
  if (refused !== undefined) return refused
  const why = closesWithoutForce(before, amendment) ? openNeighbourRefusal(db, id) : undefined
  if (why !== undefined) return { kind: 'close-refused', why }
  if (amendment.claim === true) {
    const taken = takeTask(db, id, { ...who, force: amendment.force === true })
    if (taken.kind !== 'taken') return { kind: 'claim-refused', why: taken, status: before.status }
  }
  const task = changeTask(db, id, amendment.change, who)
  return task === undefined ? { kind: 'unknown' } : { kind: 'amended', task, before }
}
