import type { Database } from '../../platform/sqlite.ts'
import { makeTables, setState, stateOf } from './tables.ts'

/** Remembers in the store which bd was found. */
export function bdMemory(db: Database): { get(): string; set(text: string): void } {
  return {
    get() {
      makeTables(db)
      return stateOf(db, 'bd')
    },
    set: (text) => db.write(() => setState(db, 'bd', text)),
  }
}
