import type { Database } from '../../platform/sqlite/database.ts'
import { makeTables, setState, stateOf } from './tables.ts'

/** Caches in the store which bd was found. `anew`: ignore the cached value. */
export function bdMemory(db: Database, { anew = false } = {}): { get(): string; set(text: string): void } {
  return {
    get() {
      makeTables(db)
      if (anew) return ''
      return stateOf(db, 'bd')
    },
    set: (text) => db.write(() => setState(db, 'bd', text)),
  }
}
