import { AppError } from '../../errors.ts'
import { privateFile } from '../files/files.ts'
import type { Home } from '../files/home.ts'
import { Database } from './database.ts'
import { StoreError } from './store-error.ts'

/**
 * Whoever may write to the queue of a home says so for as long as it may; a move waits for them, and then is alone until
 * the home knows where its tasks are. Ask where that is only with this in hand, or you may write to what was left.
 * As with the lock of the supervisor, whatever ends a process frees it, and nobody may open the file but through SQLite.
 */
export function lockForWriting(home: Home, { patienceMs = MOVE_MS } = {}): Disposable {
  return hold(home, { begin: 'begin', patienceMs, otherwise: 'the tasks of this home are being moved' })
}

export function lockForMigration(home: Home, { patienceMs = WRITERS_MS } = {}): Disposable {
  return hold(home, {
    begin: 'begin exclusive',
    patienceMs,
    otherwise: 'another command has the queue of this home open',
  })
}

/** A move holds it while it compares for the last time and writes the store of the home. */
const MOVE_MS = 120_000
/** Most commands are over by then; one that waits for a person is not. */
const WRITERS_MS = 10_000

function hold(home: Home, how: { begin: string; patienceMs: number; otherwise: string }): Disposable {
  let database: Database | undefined
  try {
    privateFile(home.queueLock)
    database = new Database(home.queueLock, { busyTimeoutMs: how.patienceMs })
    database.exec(how.begin)
    // Only the first read takes what a plain transaction holds.
    database.once('select count(*) from sqlite_master').get()
  } catch (error) {
    database?.[Symbol.dispose]()
    if (!(error instanceof AppError)) throw error
    if (error instanceof StoreError && error.trouble === 'locked') {
      throw new AppError('conflict', how.otherwise, { hint: 'nothing was changed; run it again when it is done' })
    }
    // No tasks are moved in a home where this file cannot be made, and a queue elsewhere may be written to all the same.
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

/** A database that nobody refers to is collected, and its lock with it. */
const HELD = new Set<Database>()
