import type { Comment } from '../../domain/comment.ts'
import type { Dependency } from '../../domain/dependency.ts'
import { importChanges } from '../../domain/import-changes.ts'
import type { TaskRecord } from '../../domain/interchange.ts'
import type { Task } from '../../domain/task.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { ImportOptions, ImportReport } from '../../ports/task-store.ts'
import { readTask } from './change.ts'
import { record } from './history.ts'
import { importEdges } from './import-edges.ts'
import { addLabel, freeId, insertRow } from './insert.ts'
import { affectedBy, settleReadiness } from './readiness.ts'
import { FIELDS, stored } from './row.ts'

interface Circumstances extends ImportOptions {
  readonly by: string
  readonly at: string
  readonly prefix: string
}

/**
 * Upsert by id. A line rewrites a task only when it is newer; an import never deletes anything. Edges come last, when
 * both their ends are there: only they are kept in memory.
 */
export function importRecords(db: Database, records: Iterable<TaskRecord>, how: Circumstances): ImportReport {
  const report = { imported: [], created: [], updated: [], unchanged: [], tied: [], stale: [] } as Tally
  const edges: Dependency[] = []
  const touched = new Set<string>()
  for (const given of records) {
    const task = given.id === '' ? named(given, freeId(db, how.prefix)) : given
    const before = readTask(db, task.id)
    if (before !== undefined && how.allowStale !== true && before.updated_at > task.updated_at) {
      report.stale.push(task.id)
      continue
    }
    const shown = given.id === '' && how.dryRun === true ? '' : task.id
    report.imported.push(shown)
    if (before === undefined) {
      insertRow(db, task)
      report.created.push(shown)
    } else update(db, { before, task, how }, report)
    if (before === undefined || report.updated.at(-1)?.id === task.id) {
      record(db, { task: task.id, at: how.at, actor: how.by, kind: 'imported' })
    }
    for (const label of task.labels) addLabel(db, task.id, label)
    for (const comment of task.comments) importComment(db, task.id, comment)
    for (const edge of task.dependencies) edges.push(edge)
    touched.add(task.id)
  }
  const { skipped, changed } = importEdges(db, edges, how.by)
  for (const id of changed) touched.add(id)
  settle(db, touched)
  return { ...report, skippedDependencies: skipped }
}

type Tally = {
  -readonly [K in Exclude<keyof ImportReport, 'skippedDependencies'>]: ImportReport[K][number][]
}

function named(task: TaskRecord, id: string): TaskRecord {
  const dependencies = task.dependencies.map((edge) => (edge.issue_id === '' ? { ...edge, issue_id: id } : edge))
  return { ...task, id, dependencies }
}

function update(
  db: Database,
  { before, task, how }: { before: Task; task: TaskRecord; how: Circumstances },
  report: Tally,
): void {
  const changes = importChanges(before, task)
  const newer = how.allowStale === true || task.updated_at > before.updated_at
  if (newer) replaceRow(db, before, task)
  if (changes.length === 0) report.unchanged.push(task.id)
  else if (newer) report.updated.push({ id: task.id, changes })
  else report.tied.push(task.id)
}

/** When a task was made does not change, and a line that does not say reads as made now. */
const COLUMNS = FIELDS.filter((field) => field !== 'id' && field !== 'created_at')
const REPLACE = `update task set ${COLUMNS.map((field) => `${field} = ?`).join(', ')} where id = ?`
const HAND_OVER = 'update task set claim_token = claim_token + 1, lease_until = null, not_before = null where id = ?'

/** Another status or assignee takes the task out of a supervisor's hands; other news does not. */
function replaceRow(db: Database, before: Task, task: TaskRecord): void {
  db.sql(REPLACE).run(...COLUMNS.map((field) => stored(task[field])), task.id)
  if (before.status !== task.status || before.assignee !== task.assignee) db.sql(HAND_OVER).run(task.id)
}

/** The same comment is not added twice, even under another id; an id that is in use here is replaced. */
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

/** Everything that was written, and everything that may hang on it. */
function settle(db: Database, touched: ReadonlySet<string>): void {
  settleReadiness(db, touched)
  for (const id of touched) settleReadiness(db, affectedBy(db, id))
}
