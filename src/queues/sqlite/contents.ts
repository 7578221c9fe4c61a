import type { Comment } from '../../domain/task/comment.ts'
import type { Contents, PastChange, StoredTask } from '../../domain/task/contents.ts'
import type { Dependency } from '../../domain/task/dependency.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import { STORED_COLUMNS, type StoredRow, storedTasks } from '../stored-row.ts'
import { TASK_COLUMNS } from './columns.ts'
import { insertEdge } from './dependencies.ts'
import { record } from './history.ts'
import { insertRow } from './insert.ts'
import { recomputeReadiness } from './readiness.ts'
import { setValue } from './values.ts'

/** Everything in the store about its tasks, as one consistent snapshot. */
export function contentsOf(db: Database): Contents {
  return db.read(() => {
    const rows = db.sql<StoredRow>(`select ${TASK_COLUMNS}, ${STORED_COLUMNS} from task order by seq`).all()
    const edges = db
      .sql<Dependency>(
        `select issue_id, depends_on_id, type, created_at, created_by, metadata, thread_id from dependency
         order by created_at, issue_id, depends_on_id`,
      )
      .all()
    const comments = db
      .sql<Comment>('select id, issue_id, author, text, created_at from comment order by created_at, rowid')
      .all()
    const history = db
      .sql<Omit<PastChange, 'changes'> & { changes: string }>(
        'select task, at, actor, kind, changes from history order by seq',
      )
      .all()
    return {
      prefix: db.sql<{ value: string }>(`select value from meta where key = 'prefix'`).get()?.value ?? 'fleet',
      tasks: storedTasks(rows, { edges, comments }),
      history: history.map((entry) => ({ ...entry, changes: JSON.parse(entry.changes) })),
      values: Object.fromEntries(
        db
          .sql<{ key: string; value: string }>('select key, value from queue_value order by key')
          .all()
          .map(({ key, value }) => [key, value]),
      ),
    }
  })
}

/**
 * Replaces everything in the store. Call inside a transaction. Checks nothing: what another queue accepted is copied as
 * it is.
 */
export function replaceContents(db: Database, { prefix, tasks, history, values = {} }: Contents): void {
  for (const table of ['task', 'dependency', 'label', 'comment', 'history', 'queue_value'])
    db.sql(`delete from ${table}`).run()
  db.sql(`insert or replace into meta (key, value) values ('prefix', ?)`).run(prefix)
  for (const task of tasks) insertStored(db, task)
  for (const entry of history) record(db, entry)
  for (const [key, value] of Object.entries(values)) setValue(db, key, value)
  recomputeReadiness(
    db,
    tasks.map((task) => task.record.id),
  )
}

const KEEP = 'update task set next_child = ?, claim_token = ?, lease_until = ?, not_before = ? where id = ?'

function insertStored(db: Database, { record: task, nextChild, token, leaseUntil, notBefore }: StoredTask): void {
  insertRow(db, task)
  db.sql(KEEP).run(nextChild, token, leaseUntil, notBefore, task.id)
  for (const edge of task.dependencies) insertEdge(db, { ...edge, issue_id: task.id })
  for (const { id, author, text, created_at } of task.comments) {
    db.sql('insert into comment (id, issue_id, author, text, created_at) values (?, ?, ?, ?, ?)').run(
      id,
      task.id,
      author,
      text,
      created_at,
    )
  }
}
