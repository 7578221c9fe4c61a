import { markedDeleted } from '../../domain/task/citation.ts'
import type { Sql } from '../../platform/postgres/postgres.ts'
import type { RemoveResult } from '../../ports/task-store.ts'
import { changeTask, lockTasks, readTask, type Who } from './change.ts'
import { record } from './history.ts'
import { affectedBy, recomputeReadiness } from './readiness.ts'

/** Deletes everything about the tasks except their history, frees their dependents, and marks citations in neighbours' texts. */
export async function removeTasks(sql: Sql, ids: readonly string[], who: Who): Promise<RemoveResult> {
  await lockTasks(sql, ids)
  const there = await sql.rows<{ id: string }>('select id from task where id = any($1::text[])', [ids])
  const known = new Set(there.map((row) => row.id))
  const removed = ids.filter((id) => known.has(id))
  const affected = await affectedBy(sql, removed)
  const survivors = await neighboursOf(sql, removed)
  await sql.change('delete from task where id = any($1::text[])', [removed])
  const dependencies = await sql.change(
    'delete from dependency where issue_id = any($1::text[]) or depends_on_id = any($1::text[])',
    [removed],
  )
  const labels = await sql.change('delete from label where task = any($1::text[])', [removed])
  await sql.change('delete from comment where issue_id = any($1::text[])', [removed])
  await sql.change('delete from task_record where task = any($1::text[])', [removed])
  await record(sql, ...removed.map((task) => ({ task, at: who.at, actor: who.by, kind: 'deleted' }) as const))
  await recomputeReadiness(sql, [...affected, ...survivors])
  let references = 0
  for (const id of survivors) if (await markDeleted(sql, id, removed, who)) references++
  return { removed, dependencies, labels, references }
}

async function neighboursOf(sql: Sql, ids: readonly string[]): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>(
    `select depends_on_id as id from dependency where issue_id = any($1::text[])
     union select issue_id from dependency where depends_on_id = any($1::text[])
     except select unnest($1::text[]) collate "C"`,
    [ids],
  )
  return rows.map((row) => row.id)
}

/** Returns whether the task's text changed. */
async function markDeleted(sql: Sql, id: string, deleted: readonly string[], who: Who): Promise<boolean> {
  const task = await readTask(sql, id)
  const change = task === undefined ? undefined : markedDeleted(task, deleted)
  if (change === undefined) return false
  await changeTask(sql, id, change, who)
  return true
}
