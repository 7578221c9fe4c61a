import type { Task } from '../../domain/task/task.ts'
import type { Sql } from '../../platform/postgres/postgres.ts'
import { ALL_STEPS_DONE, completedMolecule } from '../molecule.ts'
import { closeTask, type Who } from './change.ts'

const COMPLETED = completedMolecule('$1::text collate "C"')

/** Call after a task was closed, with the writer's lock. Closes the molecule whose last open step it was, and returns it. */
export async function closeCompletedMolecule(sql: Sql, step: string, who: Who): Promise<Task | undefined> {
  const [molecule] = await sql.rows<{ id: string }>(COMPLETED, [step])
  if (molecule === undefined) return undefined
  const result = await closeTask(sql, molecule.id, { reason: ALL_STEPS_DONE, force: true }, who)
  return result.kind === 'closed' ? result.task : undefined
}
