import type { Database } from '../../platform/sqlite/database.ts'
import type { Amendment, AmendResult } from '../../ports/task-store.ts'
import { amendmentRefused, closesUnforced } from '../refusals.ts'
import { changeTask, closingRefusedBy, readTask, type Who } from './change.ts'
import { takeTask } from './claims.ts'

/** Refusals come first and write nothing; what is thrown later (a refused parent) undoes the claim with the rest. */
export function amendTask(db: Database, id: string, amendment: Amendment, who: Who): AmendResult {
  const before = readTask(db, id)
  if (before === undefined) return { kind: 'unknown' }
  const refused = amendmentRefused(before, amendment, who.by)
  if (refused !== undefined) return refused
  const why = closesUnforced(before, amendment) ? closingRefusedBy(db, id) : undefined
  if (why !== undefined) return { kind: 'close-refused', why }
  if (amendment.claim === true) {
    const taken = takeTask(db, id, { ...who, force: amendment.force === true })
    if (taken.kind !== 'taken') return { kind: 'claim-refused', why: taken, status: before.status }
  }
  const task = changeTask(db, id, amendment.change, who)
  return task === undefined ? { kind: 'unknown' } : { kind: 'amended', task, before }
}
