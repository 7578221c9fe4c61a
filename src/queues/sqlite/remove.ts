import { markedDeleted } from '../../domain/task/citation.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { RemoveResult } from '../../ports/task-store.ts'
import { changeTask, readTask, type Who } from './change.ts'
import { record } from './history.ts'
import { affectedBy, recomputeReadiness } from './readiness.ts'

/** Deletes everything about the tasks except their history, frees their dependents, and marks citations in neighbours' texts. */
export function removeTasks(db: Database, ids: readonly string[], who: Who): RemoveResult {
  const removed = ids.filter((id) => readTask(db, id) !== undefined)
  const affected = removed.flatMap((id) => affectedBy(db, id))
  const survivors = neighboursOf(db, removed)
  let dependencies = 0
  let labels = 0
  for (const id of removed) {
    db.sql('delete from task where id = ?').run(id)
    dependencies += Number(db.sql('delete from dependency where issue_id = ?1 or depends_on_id = ?1').run(id).changes)
    labels += Number(db.sql('delete from label where task = ?').run(id).changes)
    db.sql('delete from comment where issue_id = ?').run(id)
    record(db, { task: id, at: who.at, actor: who.by, kind: 'deleted' })
  }
  recomputeReadiness(db, [...affected, ...survivors])
  const references = survivors.filter((id) => markDeleted(db, id, removed, who)).length
  return { removed, dependencies, labels, references }
}

function neighboursOf(db: Database, ids: readonly string[]): string[] {
  const going = JSON.stringify(ids)
  return db
    .sql<{ id: string }>(
      `select depends_on_id as id from dependency where issue_id in (select value from json_each(?1))
       union select issue_id from dependency where depends_on_id in (select value from json_each(?1))
       except select value from json_each(?1)`,
    )
    .all(going)
    .map((row) => row.id)
}

/** Returns whether the task's text changed. */
function markDeleted(db: Database, id: string, deleted: readonly string[], who: Who): boolean {
  const task = readTask(db, id)
  const change = task === undefined ? undefined : markedDeleted(task, deleted)
  if (change === undefined) return false
  changeTask(db, id, change, who)
  return true
}
