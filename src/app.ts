import { privateFile } from './platform/files.ts'
import type { Home } from './platform/home.ts'
import { userName } from './platform/machine.ts'
import type { Database } from './platform/sqlite.ts'
import { touchWake } from './platform/wake.ts'
import type { Ledger } from './ports/ledger.ts'
import type { StoreHealth } from './ports/store-health.ts'
import type { TaskStore } from './ports/task-store.ts'
import { examineStore } from './queues/sqlite/examine.ts'
import { openStore } from './queues/sqlite/open.ts'
import { SqliteQueue } from './queues/sqlite/queue.ts'
import { backUp, backUpBeforeLoss, backUpHourly } from './store/backup.ts'
import { SqliteLedger } from './store/ledger.ts'

/** The composition root: the one place that says which concrete parts make a fleet. */

export interface OpenOptions {
  readonly readOnly?: boolean
  /** How long one call may wait for another process's lock, blocking all else. */
  readonly busyTimeoutMs?: number
}

/** The local queue of this home. Commands that only read say so, and then work on a home they may not write. */
export function openLocalQueue(home: Home, options: OpenOptions = {}): TaskStore {
  return queueOn(openHomeStore(home, options), home)
}

/** The record of runs of this home, by the same rules. It is there whatever the queue is. */
export function openLedger(home: Home, options: OpenOptions = {}): Ledger & Disposable {
  return ledgerOn(openHomeStore(home, options), home)
}

export interface LocalStore extends AsyncDisposable {
  readonly queue: TaskStore
  readonly ledger: Ledger
  /** Commands make the hourly backup when they end; what runs for days calls this now and then. */
  backUpIfDue(): void
}

/** Both on one connection: what a supervisor keeps open. Closing closes both. */
export function openLocalStore(home: Home, options: OpenOptions = {}): LocalStore {
  const db = openHomeStore(home, options)
  const queue = queueOn(db, home)
  return {
    queue,
    ledger: ledgerOn(db, home),
    backUpIfDue: () => backUpHourly(db, { folder: home.backups, now: Date.now() }),
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  }
}

function openHomeStore(home: Home, { readOnly = false, busyTimeoutMs }: OpenOptions): Database {
  home.require()
  return openStore({
    path: home.store,
    readOnly,
    ...(busyTimeoutMs === undefined ? {} : { busyTimeoutMs }),
    beforeMigration: (old) => backUpFirst(old, home),
  })
}

function queueOn(db: Database, home: Home): TaskStore {
  let wrote = false
  return new SqliteQueue(db, {
    clock: { now: Date.now },
    committed: () => {
      wrote = true
      touchWake(home.wake)
    },
    losing: () => backUpBeforeLoss(db, { folder: home.backups, now: Date.now() }),
    closing: () => {
      if (wrote) backUpHourly(db, { folder: home.backups, now: Date.now() })
    },
  })
}

function ledgerOn(db: Database, home: Home): SqliteLedger {
  return new SqliteLedger(db, { committed: () => touchWake(home.wake) })
}

/** Made by `fleet init`; idempotent. */
export function createLocalQueue(home: Home, prefix = 'fleet'): void {
  // SQLite gives its other files the permissions of this one.
  privateFile(home.store)
  const db = openStore({ path: home.store, create: true, prefix, beforeMigration: (old) => backUpFirst(old, home) })
  db[Symbol.dispose]()
}

/** Throws what keeps the store that is there from being used. */
export function tryLocalQueue(home: Home): void {
  openStore({ path: home.store, readOnly: true })[Symbol.dispose]()
}

/** The store of a home, or a backup of it. */
export function examineLocalStore(path: string): StoreHealth {
  return examineStore(path)
}

/** A store that cannot be copied is still brought up to date: the migration itself is all or nothing. */
function backUpFirst(db: Database, home: Home): void {
  try {
    backUp(db, { folder: home.backups, now: Date.now() })
  } catch {
    // `fleet doctor` shows that there is none.
  }
}

export function actorFrom(env: NodeJS.ProcessEnv, given: string | undefined): string {
  for (const name of [given, env['BD_ACTOR'], env['BEADS_ACTOR'], env['USER'], env['LOGNAME']]) {
    if (name !== undefined && name !== '') return name
  }
  return userName() ?? 'unknown'
}
