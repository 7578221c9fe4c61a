import { base36 } from '../domain/id.ts'
import type { Database } from '../platform/sqlite.ts'

const LENGTH = 6

/** Tells this home from every other one that shares its queue; made when it is first asked for, and kept. */
export function homeId(db: Database): string {
  return db.write(() => {
    const fresh = base36(crypto.getRandomValues(new Uint8Array(12)), LENGTH)
    db.sql("insert or ignore into meta (key, value) values ('home', ?)").run(fresh)
    return db.sql<{ value: string }>("select value from meta where key = 'home'").get()?.value ?? fresh
  })
}
