import type { Comment } from '../../domain/task/comment.ts'
import type { TaskRecord } from '../../domain/task/interchange.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { ImportOptions, ImportReport } from '../../ports/task-store.ts'
import { type ImportPlan, ImportTally, importPlan, named, parentsLast, REPLACED_FIELDS } from '../import-plan.ts'
import { stored } from '../row.ts'
import { readTask } from './change.ts'
import { record } from './history.ts'
import { importEdges } from './import-edges.ts'
import { addLabel, freeId, insertRow } from './insert.ts'
import { affectedBy, recomputeReadiness } from './readiness.ts'

interface Circumstances extends ImportOptions {
  readonly by: string
  readonly at: string
  readonly prefix: string
}

/** Upserts by id and never deletes. Edges come last, when both of their tasks exist. */
export function importRecords(db: Database, records: Iterable<TaskRecord>, how: Circumstances): ImportReport {
  const tally = new ImportTally()
  for (const given of records) {
    const task = given.id === '' ? named(given, freeId(db, how.prefix)) : given
    const plan = importPlan(readTask(db, task.id), task, how)
    tally.add(task, plan, given.id === '' && how.dryRun === true ? '' : task.id)
    if (plan.fate === 'stale') continue
    if (plan.fate === 'created') insertRow(db, task)
    if (plan.replaces) replaceRow(db, task, plan)
    if (plan.fate === 'created' || plan.fate === 'updated') {
      record(db, { task: task.id, at: how.at, actor: how.by, kind: 'imported' })
    }
    for (const label of task.labels) addLabel(db, task.id, label)
    for (const comment of task.comments) importComment(db, task.id, comment)
  }
  const { skipped, changed } = importEdges(db, tally.edges, how.by)
  for (const id of changed) tally.touched.add(id)
  recompute(db, parentsLast(tally.touched, tally.edges))
  return tally.report(skipped)
}

const REPLACE = `update task set ${REPLACED_FIELDS.map((field) => `${field} = ?`).join(', ')} where id = ?`
const HAND_OVER = 'update task set claim_token = claim_token + 1, lease_until = null, not_before = null where id = ?'

function replaceRow(db: Database, task: TaskRecord, plan: ImportPlan): void {
  db.sql(REPLACE).run(...REPLACED_FIELDS.map((field) => stored(task[field])), task.id)
  if (plan.handsOver) db.sql(HAND_OVER).run(task.id)
}

/** Skips a comment that the task already has, even under another id. A comment whose id is taken gets a new id. */
function importComment(db: Database, task: string, comment: Comment): void {
  const { author, text, created_at } = comment
  const same = db
    .sql('select 1 from comment where issue_id = ? and created_at = ? and author = ? and text = ?')
    .get(task, created_at, author, text)
  if (same !== undefined) return
  const inUse = comment.id === '' || db.sql('select 1 from comment where id = ?').get(comment.id) !== undefined
  db.sql('insert into comment (id, issue_id, author, text, created_at) values (?, ?, ?, ?, ?)').run(
    inUse ? crypto.randomUUID() : comment.id,
    task,
    author,
    text,
    created_at,
  )
}

function recompute(db: Database, touched: readonly string[]): void {
  // It begins with the last: below a parent that is done, a child changes once.
  recomputeReadiness(db, touched)
  const affected = new Set<string>()
  for (const id of touched) for (const each of affectedBy(db, id)) affected.add(each)
  recomputeReadiness(db, affected)
}
