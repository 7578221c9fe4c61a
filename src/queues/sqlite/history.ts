import type { HistoryEntry, HistoryKind } from '../../domain/task/history.ts'
import type { Database } from '../../platform/sqlite/database.ts'

export interface Change {
  readonly task: string
  readonly at: string
  readonly actor: string
  readonly kind: HistoryKind
  readonly changes?: HistoryEntry['changes']
}

export function record(db: Database, change: Change): void {
  db.sql('insert into history (task, at, actor, kind, changes) values (?, ?, ?, ?, ?)').get(
    change.task,
    change.at,
    change.actor,
    change.kind,
    change.changes === undefined ? '{}' : JSON.stringify(change.changes),
  )
}

export function historyOf(db: Database, task: string): HistoryEntry[] {
  return db
    .sql<Omit<HistoryEntry, 'changes'> & { changes: string }>('select * from history where task = ? order by seq')
    .all(task)
    .map((row) => ({ ...row, changes: JSON.parse(row.changes) }))
}
