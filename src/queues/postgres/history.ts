import type { HistoryEntry, HistoryKind } from '../../domain/task/history.ts'
import type { Sql } from '../../platform/postgres/postgres.ts'

export interface Change {
  readonly task: string
  readonly at: string
  readonly actor: string
  readonly kind: HistoryKind
  readonly changes?: HistoryEntry['changes']
}

/** Keeps the order of the entries. */
export async function record(sql: Sql, ...entries: readonly Change[]): Promise<void> {
  if (entries.length === 0) return
  await sql.change(
    `insert into history (task, at, actor, kind, changes)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])`,
    [
      entries.map((entry) => entry.task),
      entries.map((entry) => entry.at),
      entries.map((entry) => entry.actor),
      entries.map((entry) => entry.kind),
      entries.map((entry) => JSON.stringify(entry.changes ?? {})),
    ],
  )
}

export async function historyOf(sql: Sql, task: string): Promise<HistoryEntry[]> {
  const rows = await sql.rows<Omit<HistoryEntry, 'changes'> & { changes: string }>(
    'select * from history where task = $1 order by seq',
    [task],
  )
  return rows.map((row) => ({ ...row, changes: JSON.parse(row.changes) }))
}
