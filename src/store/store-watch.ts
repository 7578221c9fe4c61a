import { remove } from '../platform/files/folder.ts'
import type { Home } from '../platform/files/home.ts'
import { HomeFiles } from '../platform/files/store-watch.ts'
import { Database } from '../platform/sqlite/database.ts'
import { StoreError } from '../platform/sqlite/store-error.ts'
import type { NotedStop, StoreWatch } from '../ports/store-watch.ts'
import { backUp } from './backup.ts'
import { SqliteLedger } from './ledger/ledger.ts'

/** `isGood` reads and checks a whole store. */
export interface StoreWatchOptions {
  readonly home: Home
  readonly db: Database
  isGood(path: string): boolean
}

/** Watches the store that is open as `db`. */
export function homeStoreWatch({ home, db, isGood }: StoreWatchOptions): StoreWatch {
  const files = new HomeFiles(home)
  return {
    lost: () => files.lost(() => isWhole(db)),
    rescue(stops) {
      try {
        const copy = backUp(db, { folder: home.backups, now: Date.now() })
        note(copy, stops)
        if (isGood(copy)) return copy
        remove(copy)
      } catch {
        // The home has gone too, its disk is full, or the store was cut off.
      }
      return undefined
    },
  }
}

/** After a restore the next supervisor finds the agents gone, and must not count that as a failure of theirs. */
function note(copy: string, stops: readonly NotedStop[]): void {
  using db = new Database(copy)
  const ledger = new SqliteLedger(db, { committed() {} })
  ledger.together(() => {
    for (const { run, want } of stops) ledger.stopping(run, want)
  })
}

function isWhole(db: Database): boolean {
  try {
    return Object.values(db.once('pragma quick_check(1)').get() ?? {})[0] === 'ok'
  } catch (error) {
    // Asked again when it shrinks again; what is locked is not damaged.
    return error instanceof StoreError && error.trouble === 'locked'
  }
}
