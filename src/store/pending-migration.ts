import { AppError } from '../errors.ts'
import type { Database } from '../platform/sqlite/database.ts'

/**
 * A move to a server has come to its commit, and the home was not told yet. What becomes of a process, or of its
 * connection, at that moment leaves it open where the tasks are: until that is settled, none of them may be begun here.
 */
export function markPendingMigration(db: Database, to: string): void {
  db.write(() => db.sql(`insert or replace into meta (key, value) values ('half-moved', ?)`).run(to))
}

export function clearPendingMigration(db: Database): void {
  db.write(() => db.sql(`delete from meta where key = 'half-moved'`).run())
}

export function refusePendingMigration(db: Database, own: string): void {
  const to = db.once<{ value: string }>(`select value from meta where key = 'half-moved'`).get()?.value
  if (to === undefined) return
  throw new AppError(
    'conflict',
    `a move of the tasks to ${to} was cut off at its last moment: they may be there already`,
    {
      hint: `nothing was changed; the same fleet queue migrate again goes on with it, fleet queue migrate --to ${own} gives it up`,
    },
  )
}
