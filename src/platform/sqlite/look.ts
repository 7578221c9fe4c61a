import { entryAt } from '../files/folder.ts'
import { Database } from './database.ts'

/**
 * A command looks into the store before it opens it: for its settings, and for the fence. Opening a store reads its whole
 * schema, a tenth of a command, so the looks share one connection, and the command takes it over. A second connection would
 * also leave the log of writes in place: a connection ends only when its statements are collected, and the last to end
 * cleans up if it can write.
 */
let kept: Database | undefined

/** `look` reads only. */
export function lookInto<T>(path: string, look: (db: Database) => T): T {
  return lookWith(takeLook(path) ?? new Database(path, { readOnly: true }), look)
}

/** For a command that will change something, before its first look: it takes over a connection that can write. */
export function lookToWrite(path: string): void {
  if (kept !== undefined || (entryAt(path)?.size ?? 0) === 0) return
  try {
    kept = new Database(path, { mustExist: true })
  } catch {
    // The look itself meets the same trouble.
  }
}

/** Keeps the connection for the next look. */
export function lookWith<T>(db: Database, look: (db: Database) => T): T {
  try {
    const found = look(db)
    kept = db
    return found
  } catch (error) {
    db[Symbol.dispose]()
    throw error
  }
}

/** The connection of the last look, if it is to this very file; the caller closes it. Any other is closed. */
export function takeLook(path: string): Database | undefined {
  const db = kept
  kept = undefined
  if (db === undefined || (db.path === path && db.isOpen && db.isInPlace)) return db
  db[Symbol.dispose]()
  return undefined
}
