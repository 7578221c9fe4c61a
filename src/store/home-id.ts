import { base36 } from '../domain/task/id.ts'
import type { Database } from '../platform/sqlite/database.ts'

const LENGTH = 6

/**
 * Tells this home from every other one that shares its queue; made when a supervisor first asks for it, and kept. To who
 * only reads, a home that never had one has a name that nobody else knows.
 */
export function homeId(db: Database): string {
  const read = () => db.sql<{ value: string }>("select value from meta where key = 'home'").get()?.value
  const fresh = base36(crypto.getRandomValues(new Uint8Array(12)), LENGTH)
  if (db.readOnly) return read() ?? fresh
  return db.write(() => {
    db.sql("insert or ignore into meta (key, value) values ('home', ?)").run(fresh)
    return read() ?? fresh
  })
}
