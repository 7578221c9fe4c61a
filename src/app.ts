import { sharedQueueOf } from './config/queue-of.ts'
import { privateFile } from './platform/files.ts'
import type { Home } from './platform/home.ts'
import { userName } from './platform/machine.ts'
import type { Database } from './platform/sqlite.ts'
import { touchWake } from './platform/wake.ts'
import type { Ledger } from './ports/ledger.ts'
import type { StoreHealth } from './ports/store-health.ts'
import type { TaskStore } from './ports/task-store.ts'
import type { PostgresStoreOptions } from './queues/postgres/open.ts'
import { examineStore } from './queues/sqlite/examine.ts'
import { openStore } from './queues/sqlite/open.ts'
import { SqliteQueue } from './queues/sqlite/queue.ts'
import { backUp, backUpBeforeLoss, backUpHourly } from './store/backup.ts'
import { homeId } from './store/home-id.ts'
import { SqliteLedger } from './store/ledger.ts'

/** The composition root: the one place that says which concrete parts make a fleet. */

export interface OpenOptions {
  readonly readOnly?: boolean
  /** How long one call may wait for another process's lock, blocking all else. */
  readonly busyTimeoutMs?: number
}

/** The local queue of this home. Commands that only read say so, and then work on a home they may not write. */
export function openLocalQueue(home: Home, options: OpenOptions = {}): TaskStore {
  return queueOn(openHomeDatabase(home, options), home)
}

/** The record of runs of this home, by the same rules. It is there whatever the queue is. */
export function openLedger(home: Home, options: OpenOptions = {}): Ledger & Disposable {
  return ledgerOn(openHomeDatabase(home, options), home)
}

/** The queue of this home, wherever it is kept. */
export async function openQueue(home: Home, options: OpenOptions = {}): Promise<TaskStore> {
  return (await openSharedQueue(home)) ?? openLocalQueue(home, options)
}

/** The queue that this home shares with others; undefined: its queue is its own. */
export async function openSharedQueue(home: Home): Promise<TaskStore | undefined> {
  const url = await sharedQueueOf(home.config)
  if (url === undefined) return undefined
  home.require()
  return await openPostgresQueue({ url })
}

/** What only this kind of queue needs is loaded here: no other command pays for it. */
async function openPostgresQueue(options: PostgresStoreOptions): Promise<TaskStore> {
  const { openPostgresStore } = await import('./queues/postgres/open.ts')
  const { PostgresQueue } = await import('./queues/postgres/queue.ts')
  return new PostgresQueue(await openPostgresStore(options))
}

/** What a home works with: its queue, and its own record of runs. */
export interface HomeStore extends AsyncDisposable {
  readonly queue: TaskStore
  readonly ledger: Ledger
  /** Who claims for this home: the same after every restart and, where others share the queue, nobody else's name. */
  claimer(host: string): string
  /** Commands make the hourly backup when they end; what runs for days calls this now and then. */
  backUpIfDue(): void
}

export async function openHomeStore(home: Home, options: OpenOptions = {}): Promise<HomeStore> {
  const queue = await openSharedQueue(home)
  if (queue === undefined) return openLocalStore(home, options)
  try {
    const db = openHomeDatabase(home, options)
    return {
      ...beside(db, home),
      queue,
      claimer: (host) => `fleet-${homeId(db)}@${host}`,
      async [Symbol.asyncDispose]() {
        db[Symbol.dispose]()
        await queue[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await queue[Symbol.asyncDispose]()
    throw error
  }
}

/** Both on one connection: what a supervisor keeps open. Closing closes both. */
export function openLocalStore(home: Home, options: OpenOptions = {}): HomeStore {
  const db = openHomeDatabase(home, options)
  const queue = queueOn(db, home)
  return {
    ...beside(db, home),
    queue,
    claimer: (host) => `fleet@${host}`,
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  }
}

/** What stands in the home whatever the queue is. */
function beside(db: Database, home: Home): Pick<HomeStore, 'ledger' | 'backUpIfDue'> {
  return {
    ledger: ledgerOn(db, home),
    backUpIfDue: () => backUpHourly(db, { folder: home.backups, now: Date.now() }),
  }
}

function openHomeDatabase(home: Home, { readOnly = false, busyTimeoutMs }: OpenOptions): Database {
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

/** Made where it is not there yet, by `fleet init`; answers with its address for people, without the password. */
export async function createSharedQueue(url: string, prefix = 'fleet'): Promise<string> {
  await using queue = await openPostgresQueue({ url, create: true, prefix })
  return queue.location
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
