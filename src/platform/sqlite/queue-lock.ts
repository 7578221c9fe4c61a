import { AppError } from '../../errors.ts'
import { privateFile } from '../files/files.ts'
import type { Home } from '../files/home.ts'
import { Database } from './database.ts'
import { StoreError } from './store-error.ts'

/**
 * Every process that may write to the queue of a home holds this lock shared; a migration holds it exclusively from its last
 * comparison until the home has switched. Find out which queue the home uses only while holding the lock, or you may write
 * to the one that was left behind. The lock is freed when the process ends, however it ends. Open the file only through
 * SQLite: closing another descriptor of it would drop the lock.
 */
export function lockForWriting(home: Home, { patienceMs = MIGRATION_MS } = {}): Disposable {
  return hold(home, { begin: 'begin', patienceMs, otherwise: 'the tasks of this home are being migrated' })
}

export function lockForMigration(home: Home, { patienceMs = WRITERS_MS } = {}): Disposable {
  return hold(home, {
    begin: 'begin exclusive',
    patienceMs,
    otherwise: 'another command has the queue of this home open',
  })
}

/** A migration compares once more and writes the home's store in this time. */
const MIGRATION_MS = 120_000
/** Most commands end within this time; one that waits for a person does not. */
const WRITERS_MS = 10_000

function hold(home: Home, how: { begin: string; patienceMs: number; otherwise: string }): Disposable {
  let database: Database | undefined
  try {
    privateFile(home.queueLock)
    database = new Database(home.queueLock, { busyTimeoutMs: how.patienceMs })
    database.exec(how.begin)
    // `begin` alone takes no lock; the first read does.
    database.once('select count(*) from sqlite_master').get()
  } catch (error) {
    database?.[Symbol.dispose]()
    if (!(error instanceof AppError)) throw error
    if (error instanceof StoreError && error.trouble === 'locked') {
      throw new AppError('conflict', how.otherwise, { hint: 'nothing was changed; run it again when it is done' })
    }
    // No migration can run in a home where this file cannot be created, so a writer to a server needs no lock.
    if (how.begin === 'begin') return { [Symbol.dispose]() {} }
    throw error
  }
  const held = database
  HELD.add(held)
  return {
    [Symbol.dispose]() {
      if (!HELD.delete(held)) return
      // Closing alone leaves the lock until the driver's statements are collected.
      held.exec('rollback')
      held[Symbol.dispose]()
    },
  }
}

/** Keeps the databases referenced: garbage collection would drop their locks. */
const HELD = new Set<Database>()
