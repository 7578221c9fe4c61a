import type { Task } from '../../domain/task/task.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import { ALL_STEPS_DONE, completedMolecule } from '../molecule.ts'
import { closeTask, type Who } from './change.ts'

const HAS_PARENT = `select 1 from dependency where issue_id = ? and type = 'parent-child'`
const COMPLETED = completedMolecule('?1')

/** Call after a task was closed. Closes the molecule whose last open step it was, and returns it. */
export function closeCompletedMolecule(db: Database, step: string, who: Who): Task | undefined {
  if (db.sql(HAS_PARENT).get(step) === undefined) return undefined
  const molecule = db.sql<{ id: string }>(COMPLETED).get(step)
  if (molecule === undefined) return undefined
  const result = closeTask(db, molecule.id, { reason: ALL_STEPS_DONE, force: true }, who)
  return result.kind === 'closed' ? result.task : undefined
}
