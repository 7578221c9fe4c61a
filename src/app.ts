import { sharedQueueOf } from './config/queue-of.ts'
import { claimerOf } from './domain/fleet/claimer.ts'
import type { Log } from './domain/fleet/log-event.ts'
import { AppError } from './errors.ts'
import { privateFile } from './platform/files/files.ts'
import { entryAt } from './platform/files/folder.ts'
import type { Home } from './platform/files/home.ts'
import { touchWake } from './platform/files/wake.ts'
import { userName } from './platform/runtime/machine.ts'
import type { Database } from './platform/sqlite/database.ts'
import { lockForWriting } from './platform/sqlite/queue-lock.ts'
import type { Ledger } from './ports/ledger.ts'
import type { StoreHealth } from './ports/store-health.ts'
import type { TaskStore } from './ports/task-store.ts'
import type { BeadsQueue } from './queues/beads/queue.ts'
import type { PostgresStoreOptions } from './queues/postgres/open.ts'
import { examineStore } from './queues/sqlite/examine.ts'
import { openStore } from './queues/sqlite/open.ts'
import { SqliteQueue } from './queues/sqlite/queue.ts'
import { backUp, backUpBeforeLoss, backUpHourly } from './store/backup.ts'
import { homeId } from './store/home-id.ts'
import { SqliteLedger } from './store/ledger/ledger.ts'
import { refusePendingMigration } from './store/pending-migration.ts'

/** The composition root: the one place that says which concrete parts make a fleet. */

export interface OpenOptions {
  readonly readOnly?: boolean
  /** How long one call may wait for another process's lock, blocking all else. */
  readonly busyTimeoutMs?: number
  /** Of a supervisor: where a queue tells what it gets over by itself. */
  readonly log?: Log
}

/** The tasks in the home's own store. Commands that only read say so, and then work on a home they may not write. */
export function openLocalQueue(home: Home, options: OpenOptions = {}): TaskStore {
  return queueOn(openTasks(home, options), home)
}

/** The record of runs of this home, by the same rules. It is there whatever the queue is. */
export function openLedger(home: Home, options: OpenOptions = {}): Ledger & Disposable {
  return ledgerOn(openHomeDatabase(home, options), home)
}

/** The queue of this home, wherever it is kept. */
export async function openQueue(home: Home, options: OpenOptions = {}): Promise<TaskStore> {
  return (await openQueueElsewhere(home)) ?? openLocalQueue(home, options)
}

/** The queue of this home where that is not the local one: on a server, or in bd's database. */
export async function openQueueElsewhere(home: Home): Promise<TaskStore | undefined> {
  return (await openSharedQueue(home)) ?? (usesBeads(home) ? await openBeadsQueue(home) : undefined)
}

/** Where the tasks of this home are. */
export async function queueKind(home: Home): Promise<'local' | 'beads' | 'postgres'> {
  return (await sharedQueueOf(home.config)) === undefined ? (usesBeads(home) ? 'beads' : 'local') : 'postgres'
}

/**
 * The queue that the home has of its own, also while it uses one on a server. The store says it, because what it holds is
 * either the tasks or a mirror of bd's, whatever stands in a file.
 */
export function ownQueue(home: Home): 'local' | 'beads' {
  if (entryAt(home.store) === undefined) return 'local'
  try {
    using db = openHomeDatabase(home, { readOnly: true })
    return ownQueueIn(db)
  } catch (error) {
    // What is wrong with the store is for whoever opens it to tell; without a database beside it, it was no mirror.
    if (entryAt(home.beads) === undefined) return 'local'
    throw error
  }
}

/** Every command asks; most homes have no such folder, and those that lost it are told when their store is opened. */
function usesBeads(home: Home): boolean {
  return entryAt(home.beads) !== undefined && ownQueue(home) === 'beads'
}

/** A mirror without its database is not the queue: what is written to it would be nowhere. */
function beadsGone(home: Home): AppError {
  return new AppError('queue', `${home.beads} is gone, bd's database with the tasks of this home`, {
    hint: 'nothing was changed; restore a copy of it, or run fleet queue migrate --to local to continue with what fleet last saw of it',
  })
}

export function ownQueueIn(db: Database): 'local' | 'beads' {
  const row = db.once<{ value: string }>(`select value from meta where key = 'queue'`).get()
  return row?.value === 'beads' ? 'beads' : 'local'
}

/** The queue that this home shares with others; undefined: its queue is its own. */
export async function openSharedQueue(home: Home): Promise<TaskStore | undefined> {
  const url = await sharedQueueOf(home.config)
  if (url === undefined) return undefined
  home.require()
  return await openPostgresQueue({ url })
}

/** What only one kind of queue needs is loaded where it is opened: no other command pays for it. */
async function openPostgresQueue(options: PostgresStoreOptions): Promise<TaskStore> {
  const { openPostgresStore } = await import('./queues/postgres/open.ts')
  const { PostgresQueue } = await import('./queues/postgres/queue.ts')
  return new PostgresQueue(await openPostgresStore(options))
}

/** Whoever reads it brings the mirror up to date, so there is no reading alone. */
export async function openBeadsQueue(home: Home, options: OpenOptions = {}): Promise<BeadsQueue> {
  const { openBeads } = await import('./queues/beads/open.ts')
  const writer = lockForWriting(home)
  try {
    // Whoever decided that it is in bd's database had no lock in hand yet.
    if ((await queueKind(home)) !== 'beads') throw movedMeanwhile(home)
    return openBeads(openHomeDatabase(home, { ...options, readOnly: false }), {
      beads: home.beads,
      env: process.env,
      // Whoever runs for days begins with what is there now.
      anew: options.log !== undefined,
      clock: { now: Date.now },
      log: options.log,
      committed: () => touchWake(home.wake),
      closed: () => writer[Symbol.dispose](),
    })
  } catch (error) {
    writer[Symbol.dispose]()
    throw error
  }
}

function movedMeanwhile(home: Home): AppError {
  return new AppError('conflict', `the tasks of ${home.path} were moved to another queue a moment ago`, {
    hint: 'nothing was changed; run it again',
  })
}

/** What a home works with: its queue, and its own record of runs. */
export interface HomeStore extends AsyncDisposable {
  readonly queue: TaskStore
  readonly ledger: Ledger
  /** Who claims for this home: the same after every restart and, where others share the queue, nobody else's name. */
  claimer(host: string): string
  /** Where what wakes us can be lost on the way: how often the queue is to be looked at all the same. */
  readonly lookEveryMs?: number
  /** Commands make the hourly backup when they end; what runs for days calls this now and then. */
  backUpIfDue(): void
}

export async function openHomeStore(home: Home, options: OpenOptions = {}): Promise<HomeStore> {
  if (options.readOnly === true) return await openStoreOf(home, options)
  const writer = lockForWriting(home)
  try {
    const store = await openStoreOf(home, options)
    return {
      ...store,
      async [Symbol.asyncDispose]() {
        await store[Symbol.asyncDispose]()
        writer[Symbol.dispose]()
      },
    }
  } catch (error) {
    writer[Symbol.dispose]()
    throw error
  }
}

async function openStoreOf(home: Home, options: OpenOptions): Promise<HomeStore> {
  const shared = await openSharedQueue(home)
  if (shared !== undefined) {
    const named = (db: Database) => (host: string) => claimerOf(homeId(db), host)
    return { ...(await homeBeside(shared, home, { options, named })), lookEveryMs: SHARED_EVERY }
  }
  if (!usesBeads(home)) return openLocalStore(home, options)
  if (options.readOnly !== true) {
    using db = openHomeDatabase(home, { readOnly: true })
    refusePendingMigration(db, 'beads')
  }
  // The ledger has a connection of its own: so it tells of what the mirror took in from bd.
  return await homeBeside(await openBeadsQueue(home, options), home, { options, named: () => ownName })
}

const SHARED_EVERY = 5000
const ownName = (host: string): string => `fleet@${host}`

/** A queue that is not in the store of the home, and what stands there all the same. */
async function homeBeside(
  queue: TaskStore,
  home: Home,
  { options, named }: { options: OpenOptions; named: (db: Database) => HomeStore['claimer'] },
): Promise<HomeStore> {
  try {
    const db = openHomeDatabase(home, options)
    return {
      ...beside(db, home),
      queue,
      claimer: named(db),
      async [Symbol.asyncDispose]() {
        await queue[Symbol.asyncDispose]()
        db[Symbol.dispose]()
      },
    }
  } catch (error) {
    await queue[Symbol.asyncDispose]()
    throw error
  }
}

/** Both on one connection: what a supervisor keeps open. Closing closes both. */
export function openLocalStore(home: Home, options: OpenOptions = {}): HomeStore {
  const db = openTasks(home, options)
  const queue = queueOn(db, home)
  return {
    ...beside(db, home),
    queue,
    claimer: ownName,
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

/** The store of a home whose tasks are in it. */
function openTasks(home: Home, options: OpenOptions): Database {
  const db = openHomeDatabase(home, options)
  if (ownQueueIn(db) === 'beads' && entryAt(home.beads) === undefined) {
    db[Symbol.dispose]()
    throw beadsGone(home)
  }
  try {
    if (options.readOnly !== true) refusePendingMigration(db, 'local')
    return db
  } catch (error) {
    db[Symbol.dispose]()
    throw error
  }
}

/** The store of the home, whatever its queue. */
export function openHomeDatabase(home: Home, { readOnly = false, busyTimeoutMs }: OpenOptions): Database {
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
    beforeLoss: () => backUpBeforeLoss(db, { folder: home.backups, now: Date.now() }),
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

/** Made by `fleet init` beside the store of the home; idempotent. A home that has tasks of its own keeps them there. */
export async function createBeadsQueue(home: Home, env: NodeJS.ProcessEnv): Promise<void> {
  const { initBeads } = await import('./queues/beads/init.ts')
  using db = openHomeDatabase(home, {})
  if (ownQueueIn(db) === 'local' && hasTasks(db)) {
    throw new AppError('conflict', `${home.path} keeps its tasks in fleet.db already`, {
      hint: 'nothing was changed; fleet queue migrate --to beads moves them',
    })
  }
  // A new, empty one in its place would empty the mirror, all that is left of the tasks.
  if (ownQueueIn(db) === 'beads' && hasTasks(db) && entryAt(`${home.beads}/metadata.json`) === undefined)
    throw beadsGone(home)
  await initBeads({ beads: home.beads, env, prefix: 'fleet' })
  db.write(() => db.sql("insert or replace into meta (key, value) values ('queue', 'beads')").run())
}

function hasTasks(db: Database): boolean {
  return db.once('select 1 from task limit 1').get() !== undefined
}

/** The server's word about a queue that stands there. */
export async function examineServer(home: Home) {
  const { openPostgresStore } = await import('./queues/postgres/open.ts')
  await using db = (await openPostgresStore({ url: (await sharedQueueOf(home.config)) ?? '' })).db
  const [row] = await db.once<{ version: string; tasks: number }>(
    `select split_part(current_setting('server_version'), ' ', 1) as version, (select count(*) from task) as tasks`,
  )
  return { location: db.location, schema: db.schema, version: row?.version ?? '', tasks: row?.tasks ?? 0 }
}

/** bd's word about the home's database, nothing of it taken in; undefined: the home has none. */
export async function examineBeads(home: Home, env: NodeJS.ProcessEnv) {
  if (ownQueue(home) === 'local') return undefined
  if (entryAt(home.beads) === undefined) throw beadsGone(home)
  const { examineBd } = await import('./queues/beads/examine.ts')
  return await examineBd({ beads: home.beads, env })
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
