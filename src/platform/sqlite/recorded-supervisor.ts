import type { SupervisorPlace } from '../../domain/fleet/supervisor-place.ts'
import { entryAt } from '../files/folder.ts'
import type { Database } from './database.ts'
import { lookInto } from './look.ts'

/** The supervisor that last introduced itself to the ledger, alive or not. */
export function supervisorIn(db: Database): SupervisorPlace | undefined {
  const row = db.sql<{ value: string }>(`select value from control where key = 'supervisor'`).get()
  return row === undefined ? undefined : (JSON.parse(row.value) as SupervisorPlace)
}

/** The same of a store that may be missing, older or damaged. */
export function supervisorOf(store: string): SupervisorPlace | undefined {
  try {
    if (entryAt(store)?.kind !== 'file') return undefined
    return lookInto(store, (db) => db.read(() => supervisorIn(db)))
  } catch {
    return undefined
  }
}
