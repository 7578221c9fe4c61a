import type { Dependency } from '../../domain/dependency.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { ImportReport, TaskRecord } from '../../ports/task-store.ts'
import { record } from './history.ts'
import { exists, insertRow } from './insert.ts'
import { settleReadiness } from './readiness.ts'
import { FIELDS, stored } from './row.ts'

/** Upsert by id. A line older than what the store holds is left alone; an import can never delete. */
export function importRecords(
  db: Database,
  records: readonly TaskRecord[],
  { by, at }: { by: string; at: string },
): ImportReport {
  const report = { created: [] as string[], updated: [] as string[], unchanged: [] as string[], stale: [] as string[] }
  for (const task of records) {
    const before = db.sql<{ updated_at: string }>('select updated_at from task where id = ?').get(task.id)
    if (before === undefined) {
      insertRow(db, task)
      record(db, { task: task.id, at, actor: by, kind: 'imported' })
      report.created.push(task.id)
    } else if (before.updated_at > task.updated_at) {
      report.stale.push(task.id)
    } else if (replaceRow(db, task)) {
      record(db, { task: task.id, at, actor: by, kind: 'imported' })
      report.updated.push(task.id)
    } else report.unchanged.push(task.id)
  }
  const skippedDependencies = importEdges(db, records, new Set(report.stale))
  importComments(db, records)
  settleReadiness(db, touched(records))
  return { ...report, skippedDependencies }
}

const COLUMNS = FIELDS.filter((field) => field !== 'id')
const REPLACE = `update task set ${COLUMNS.map((field) => `${field} = ?`).join(', ')}, claim_token = claim_token + 1, lease_until = null
  where id = ? and (${COLUMNS.map((field) => `${field} is not ?`).join(' or ')})`

function replaceRow(db: Database, task: TaskRecord): boolean {
  const values = COLUMNS.map((field) => stored(task[field]))
  const changed = db.sql(REPLACE).run(...values, task.id, ...values).changes === 1
  const labels = JSON.stringify([...task.labels].sort())
  const now = db
    .sql<{ labels: string }>('select json_group_array(label order by label) as labels from label where task = ?')
    .get(task.id)
  if (now?.labels === labels) return changed
  db.sql('delete from label where task = ?').run(task.id)
  for (const label of task.labels) db.sql('insert or ignore into label (task, label) values (?, ?)').run(task.id, label)
  return true
}

function importEdges(db: Database, records: readonly TaskRecord[], stale: ReadonlySet<string>): string[] {
  const skipped: string[] = []
  const insert = db.sql(
    `insert into dependency (issue_id, depends_on_id, type, created_at, created_by, metadata, thread_id) values (?, ?, ?, ?, ?, ?, ?)
     on conflict (issue_id, depends_on_id) do update set type = excluded.type, metadata = excluded.metadata, thread_id = excluded.thread_id`,
  )
  for (const task of records) {
    if (stale.has(task.id)) continue
    for (const edge of task.dependencies) {
      if (canLink(db, edge)) insert.run(...edgeValues(edge))
      else skipped.push(`${edge.issue_id} -> ${edge.depends_on_id}`)
    }
  }
  return skipped
}

function canLink(db: Database, edge: Dependency): boolean {
  return (
    edge.issue_id !== edge.depends_on_id &&
    (edge.depends_on_id.startsWith('external:') || exists(db, edge.depends_on_id))
  )
}

function edgeValues(edge: Dependency): string[] {
  return [edge.issue_id, edge.depends_on_id, edge.type, edge.created_at, edge.created_by, edge.metadata, edge.thread_id]
}

function importComments(db: Database, records: readonly TaskRecord[]): void {
  const insert = db.sql('insert or ignore into comment (id, issue_id, author, text, created_at) values (?, ?, ?, ?, ?)')
  for (const task of records) {
    for (const comment of task.comments)
      insert.run(comment.id, task.id, comment.author, comment.text, comment.created_at)
  }
}

/** Everything that was written, and everything that may hang on it. */
function* touched(records: readonly TaskRecord[]): Iterable<string> {
  for (const task of records) yield task.id
}
