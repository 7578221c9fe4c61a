import { AppError } from '../errors.ts'
import type { Database } from '../platform/sqlite/database.ts'

/**
 * Set while a migration to a server commits, before the home switches. If the process or its connection dies in that
 * moment, the tasks may be in either queue, so this home must not start any of them until that is resolved.
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
    `a migration of the tasks to ${to} was interrupted while it committed: they may already be there`,
    {
      hint: `nothing was changed; run the same fleet queue migrate again to finish it, or fleet queue migrate --to ${own} to cancel it`,
    },
  )
}
