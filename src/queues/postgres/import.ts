import type { Comment } from '../../domain/task/comment.ts'
import type { TaskRecord } from '../../domain/task/interchange.ts'
import type { Task } from '../../domain/task/task.ts'
import type { Sql } from '../../platform/postgres/postgres.ts'
import type { ImportOptions, ImportReport } from '../../ports/task-store.ts'
import { type ImportPlan, ImportTally, importPlan, named, REPLACED_FIELDS } from '../import-plan.ts'
import { stored, type TaskRow, taskOf } from '../row.ts'
import { addAllLabels, lockTasks, type Who } from './change.ts'
import { TASK_COLUMNS } from './columns.ts'
import { record } from './history.ts'
import { importEdges } from './import-edges.ts'
import { freeId, insertRows } from './insert.ts'
import { affectedBy, recomputeReadiness } from './readiness.ts'

export interface Circumstances extends ImportOptions, Who {
  readonly prefix: string
}

/** Records per batch. */
const BATCH = 500

/** Upserts by id and never deletes. Edges come last, when both of their tasks exist. */
export async function importRecords(
  sql: Sql,
  records: Iterable<TaskRecord>,
  how: Circumstances,
): Promise<ImportReport> {
  const tally = new ImportTally()
  for await (const batch of batchesOf(sql, records, how.prefix)) await importBatch(sql, batch, how, tally)
  const { skipped, changed } = await importEdges(sql, tally.edges, how.by)
  for (const id of changed) tally.touched.add(id)
  const touched = [...tally.touched]
  if (touched.length >= MANY) await sql.once('analyze task, dependency')
  await recomputeReadiness(sql, touched)
  await recomputeReadiness(sql, await affectedBy(sql, touched))
  return tally.report(skipped)
}

/** Without statistics the server takes the new tables for empty, and reads them whole for each task. */
const MANY = 1000

interface Line {
  readonly task: TaskRecord
  /** The record had no id. */
  readonly anonymous: boolean
}

/** A batch never contains an id twice: the second line must see what the first one wrote. */
async function* batchesOf(sql: Sql, records: Iterable<TaskRecord>, prefix: string): AsyncIterable<readonly Line[]> {
  let batch = new Map<string, Line>()
  for (const given of records) {
    const anonymous = given.id === ''
    let id = anonymous ? await freeId(sql, prefix) : given.id
    while (anonymous && batch.has(id)) id = await freeId(sql, prefix)
    if (batch.has(id) || batch.size >= BATCH) {
      yield [...batch.values()]
      batch = new Map()
    }
    batch.set(id, { task: anonymous ? named(given, id) : given, anonymous })
  }
  if (batch.size > 0) yield [...batch.values()]
}

async function importBatch(sql: Sql, lines: readonly Line[], how: Circumstances, tally: ImportTally): Promise<void> {
  const before = await readTasks(
    sql,
    lines.map(({ task }) => task.id),
  )
  const planned = lines.map(({ task, anonymous }) => {
    const plan = importPlan(before.get(task.id), task, how)
    tally.add(task, plan, anonymous && how.dryRun === true ? '' : task.id)
    return { task, plan }
  })
  const kept = planned.filter(({ plan }) => plan.fate !== 'stale')
  await insertRows(
    sql,
    kept.flatMap(({ task, plan }) => (plan.fate === 'created' ? [task] : [])),
  )
  for (const { task, plan } of kept) if (plan.replaces) await replaceRow(sql, task, plan)
  const written = kept.filter(({ plan }) => plan.fate === 'created' || plan.fate === 'updated')
  await record(
    sql,
    ...written.map(({ task }) => ({ task: task.id, at: how.at, actor: how.by, kind: 'imported' }) as const),
  )
  await addAllLabels(
    sql,
    kept.map(({ task }) => task),
  )
  for (const { task } of kept) {
    for (const comment of task.comments) await importComment(sql, task.id, comment)
  }
}

async function readTasks(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, Task>> {
  await lockTasks(sql, ids)
  const rows = await sql.rows<TaskRow>(`select ${TASK_COLUMNS} from task where id = any($1::text[])`, [ids])
  return new Map(rows.map((row) => [row.id, taskOf(row)]))
}

const REPLACE = `update task set ${REPLACED_FIELDS.map((field, i) => `${field} = $${i + 2}`).join(', ')} where id = $1`
const HAND_OVER = 'update task set claim_token = claim_token + 1, lease_until = null, not_before = null where id = $1'

async function replaceRow(sql: Sql, task: TaskRecord, plan: ImportPlan): Promise<void> {
  await sql.change(REPLACE, [task.id, ...REPLACED_FIELDS.map((field) => stored(task[field]))])
  if (plan.handsOver) await sql.change(HAND_OVER, [task.id])
}

/** Skips a comment that the task already has, even under another id. A comment whose id is taken gets a new id. */
async function importComment(sql: Sql, task: string, comment: Comment): Promise<void> {
  await sql.change(
    `insert into comment (id, issue_id, author, text, created_at)
     select case when $1::text = '' or exists (select 1 from comment where id = $1) then $2::text else $1::text end,
       $3::text, $4::text, $5::text, $6::text
     where not exists (
       select 1 from comment where issue_id = $3 and author = $4 and text = $5 and created_at = $6)`,
    [comment.id, crypto.randomUUID(), task, comment.author, comment.text, comment.created_at],
  )
}
