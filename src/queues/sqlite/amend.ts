import type { Task } from '../../domain/task.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { Amendment, AmendResult } from '../../ports/task-store.ts'
import { changeTask, closingRefused, readTask, type Who } from './change.ts'
import { takeTask } from './claims.ts'

/** Refusals come first and write nothing; what is thrown later (a refused parent) undoes the claim with the rest. */
export function amendTask(db: Database, id: string, amendment: Amendment, who: Who): AmendResult {
  const before = readTask(db, id)
  if (before === undefined) return { kind: 'unknown' }
  const refused = amendmentRefused(db, before, amendment, who.by)
  if (refused !== undefined) return refused
  if (amendment.claim === true) {
    const taken = takeTask(db, id, { ...who, force: amendment.force === true })
    if (taken.kind !== 'taken') return { kind: 'claim-refused', why: taken, status: before.status }
  }
  const task = changeTask(db, id, amendment.change, who)
  return task === undefined ? { kind: 'unknown' } : { kind: 'amended', task, before }
}

function amendmentRefused(
  db: Database,
  task: Task,
  { change, claim, force, expect }: Amendment,
  by: string,
): AmendResult | undefined {
  if (task.is_template) return { kind: 'template' }
  for (const field of ['assignee', 'status'] as const) {
    const expected = expect?.[field]
    if (expected !== undefined && task[field] !== expected) {
      return { kind: 'mismatch', field, is: task[field], expected }
    }
  }
  // Who names the holder, or claims, does not take the task away unawares.
  const reassigns = change.assignee !== undefined && change.assignee !== task.assignee && expect?.assignee === undefined
  const held = task.status === 'in_progress' && task.assignee !== '' && task.assignee !== by
  if (reassigns && held && claim !== true && force !== true) return { kind: 'held', by: task.assignee }
  if (change.status === 'closed' && task.status !== 'closed' && force !== true) {
    const why = closingRefused(db, task.id)
    if (why !== undefined) return { kind: 'close-refused', why }
  }
  return undefined
}
