import { base36 } from '../domain/task/id.ts'
import type { Database } from '../platform/sqlite/database.ts'

const LENGTH = 6

/**
 * Distinguishes this home from others that share its queue. Created on first use by a writer, and kept. A reader of a home
 * without an id gets a random one, which matches nobody's claims.
 */
export function homeId(db: Database): string {
  const read = () => db.sql<{ value: string }>("select value from meta where key = 'home'").get()?.value
  const known = read()
  if (known !== undefined) return known
  const fresh = base36(crypto.getRandomValues(new Uint8Array(12)), LENGTH)
  if (db.readOnly) return fresh
  return db.write(() => {
    db.sql("insert or ignore into meta (key, value) values ('home', ?)").run(fresh)
    return read() ?? fresh
  })
}
