import { Database } from './database.ts'

/**
 * A command looks into the store before it opens it: for its settings, and for the fence. Opening a store reads its whole
 * schema, a tenth of a command, so the looks share one connection, and the command takes it over.
 */
let kept: Database | undefined

/** `look` reads only. */
export function lookInto<T>(path: string, look: (db: Database) => T): T {
  const db = takeLook(path) ?? new Database(path, { readOnly: true })
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
