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
import { HomeRecord } from './platform/sqlite/home-record.ts'
import { lookToWrite } from './platform/sqlite/look.ts'
import { lockForWriting } from './platform/sqlite/queue-lock.ts'
import type { Ledger } from './ports/ledger.ts'
import type { StoreHealth } from './ports/store-health.ts'
import type { StoreWatch } from './ports/store-watch.ts'
import type { TaskStore } from './ports/task-store.ts'
import { beadsKind } from './queues/beads/descriptor.ts'
import type { BeadsQueue } from './queues/beads/queue.ts'
import type { HomeQueueKind, QueueKind, QueuePlace, QueueReport } from './queues/kind.ts'
import { homeKindIn, homeKinds, queueKindOf } from './queues/registry.ts'
import { localKind } from './queues/sqlite/descriptor.ts'
import { examineStore } from './queues/sqlite/examine.ts'
import { lookIntoStore, openStore, type StoreOptions } from './queues/sqlite/open.ts'
import { SqliteQueue } from './queues/sqlite/queue.ts'
import { backUp, backUpBeforeLoss, backUpHourly } from './store/backup.ts'
import { homeId } from './store/home-id.ts'
import { SqliteLedger } from './store/ledger/ledger.ts'
import { refusePendingMigration } from './store/pending-migration.ts'
import { homeStoreWatch } from './store/store-watch.ts'

/** The composition root: the one place that says which concrete parts make a fleet. */

export interface OpenOptions {
  readonly readOnly?: boolean
  /** How long one call may wait for another process's lock, blocking everything else. */
  readonly busyTimeoutMs?: number
  /** For a supervisor: where a queue reports trouble that it overcomes by itself. */
  readonly log?: Log
  /** For a supervisor: ends its wait for a server that is not ready. */
  readonly signal?: AbortSignal | undefined
  /** Only for the take-over itself, which is what all others have to wait for. */
  readonly takingOver?: boolean
}

/** The tasks in the home's own store. A command that only reads says so; then it works on a home it may not write. */
export function openLocalQueue(home: Home, options: OpenOptions = {}): TaskStore {
  return queueOn(openTasks(home, options), home)
}

/** The record of runs of this home, by the same rules. Every home has one, whatever its queue. */
export function openLedger(home: Home, options: OpenOptions = {}): Ledger & Disposable {
  return ledgerOn(openHomeDatabase(home, options), home)
}

/** The store's knowledge of the files of the home, by the same rules. */
export function openRecord(home: Home, options: OpenOptions = {}): HomeRecord & Disposable {
  return new HomeRecord(openHomeDatabase(home, options))
}

/** The queue of this home, of whatever kind. */
export async function openQueue(home: Home, options: OpenOptions = {}): Promise<TaskStore> {
  return (await openQueueElsewhere(home)) ?? openLocalQueue(home, options)
}

/** The queue of this home; undefined: it is in the home's own store. */
export async function openQueueElsewhere(home: Home): Promise<TaskStore | undefined> {
  return await openOutside(await queueOf(home))
}

/** The queue that this home shares with others; undefined: no other home uses it. */
export async function openSharedQueue(home: Home): Promise<TaskStore | undefined> {
  const queue = await queueOf(home)
  return queue.kind.at === 'server' ? await openOutside(queue) : undefined
}

/** The queue of a home whose `fleet bd` is bd itself. */
export async function openBeadsQueue(home: Home): Promise<BeadsQueue> {
  const { open } = await import('./queues/beads/outside.ts')
  const queue = await queueOf(home)
  // The caller looked the kind up earlier: opening the mirror on any other queue would overwrite its tasks.
  if (queue.kind !== beadsKind) throw movedMeanwhile(home)
  return await open(placeOf(queue))
}

/** The queue of a home. `setting` is the value of the `queue` setting that stands for it. */
interface QueueOf {
  readonly home: Home
  readonly kind: QueueKind
  readonly setting: string
}

/** Every command asks. Most homes have only their store, and then the store need not be opened to ask it. */
export async function queueOf(home: Home, { takingOver = false }: OpenOptions = {}): Promise<QueueOf> {
  const address = await sharedQueueOf(home.config)
  if (address !== undefined) return named(home, address)
  const hasFolder = homeKinds().some(({ folder }) => folder !== undefined && entryAt(folder.of(home)) !== undefined)
  if (hasFolder && !takingOver) refuseHalfTakenOver(home)
  if (hasFolder) refuseUnseenTasks(home)
  return named(home, hasFolder ? ownQueue(home).name : localKind.name)
}

/** Settings, failures and questions of its tasks are not all in the store yet: a supervisor would start without them. */
export function refuseHalfTakenOver(home: Home): void {
  if (entryAt(home.takingOver) === undefined || entryAt(`${home.beads}/metadata.json`) === undefined) return
  throw new AppError('conflict', `fleet init has not finished taking over ${home.path}`, {
    hint: 'nothing was changed; run fleet init again, it continues where it was interrupted',
  })
}

/** An empty queue of the home's own beside bd's database would look as if the tasks were lost. */
function refuseUnseenTasks(home: Home): void {
  if (entryAt(`${home.beads}/metadata.json`) === undefined || !hasEmptyLocalQueue(home)) return
  throw new AppError('conflict', `${home.path} has a queue of its own without a task, beside ${home.beads}`, {
    hint: `fleet init --queue beads uses the tasks in ${home.beads}; to go on without them, move that folder away`,
  })
}

/** Whether the store of the home is there, holds the tasks itself, and has none. */
export function hasEmptyLocalQueue(home: Home): boolean {
  if ((entryAt(home.store)?.size ?? 0) === 0 || ownQueue(home) !== localKind) return false
  return lookIntoHome(home, (db) => db.once('select 1 from task limit 1').get() === undefined)
}

function named(home: Home, setting: string): QueueOf {
  return { home, kind: queueKindOf(setting) ?? localKind, setting }
}

/**
 * The queue that the home has to itself, also while it uses one on a server. Its store decides, not a file: the store holds
 * either the tasks or a mirror of them.
 */
export function ownQueue(home: Home): HomeQueueKind {
  if (entryAt(home.store) === undefined) return localKind
  try {
    return lookIntoHome(home, homeKindIn)
  } catch (error) {
    // Opening the store reports its trouble. Without a folder beside it, the store was no mirror.
    if (homeKinds().every(({ folder }) => folder === undefined || entryAt(folder.of(home)) === undefined))
      return localKind
    throw error
  }
}

async function openOutside(queue: QueueOf): Promise<TaskStore | undefined> {
  return await (await queue.kind.outside?.())?.open(placeOf(queue))
}

function placeOf({ home, kind, setting }: QueueOf, options: OpenOptions = {}): QueuePlace {
  return {
    home,
    setting,
    env: process.env,
    log: options.log,
    signal: options.signal,
    openStore: () => openHomeDatabase(home, { ...options, readOnly: false }),
    async requireUnmoved() {
      if ((await queueOf(home, options)).kind !== kind) throw movedMeanwhile(home)
    },
  }
}

function movedMeanwhile(home: Home): AppError {
  return new AppError('conflict', `the tasks of ${home.path} were moved to another queue a moment ago`, {
    hint: 'nothing was changed; run it again',
  })
}

/** Everything a home works with: its queue, and its own record of runs. */
export interface HomeStore extends AsyncDisposable {
  readonly queue: TaskStore
  readonly ledger: Ledger
  /** The store's knowledge of the files of the home. */
  readonly record: HomeRecord
  /** The name this home claims under: the same after every restart and, on a shared queue, unique to the home. */
  claimer(host: string): string
  /** How often to poll a queue whose notices can be lost on the way. */
  readonly lookEveryMs?: number
  /** Commands make the hourly backup when they end; a supervisor calls this now and then. */
  backUpIfDue(): void
  /** Compares with the files as they are now. */
  watch(): StoreWatch
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
  const queue = await queueOf(home, options)
  const { kind } = queue
  if (kind.outside === undefined) return openLocalStore(home, options)
  if (kind.at === 'home' && options.readOnly !== true) {
    lookIntoHome(home, (db) => refusePendingMigration(db, kind.name))
  }
  const outside = await (await kind.outside()).open(placeOf(queue, options))
  try {
    // The ledger has its own connection, so it sees what a mirror commits.
    const db = openHomeDatabase(home, options)
    return {
      ...besideQueue(db, home),
      ...(kind.at === 'server' ? sharedBy(db) : { claimer: ownName }),
      queue: outside,
      async [Symbol.asyncDispose]() {
        await outside[Symbol.asyncDispose]()
        db[Symbol.dispose]()
      },
    }
  } catch (error) {
    await outside[Symbol.asyncDispose]()
    throw error
  }
}

const ownName = (host: string): string => `fleet@${host}`

const SHARED_EVERY_MS = 5000

/** Other homes claim from the same queue, so the name holds the id of the home. */
function sharedBy(db: Database): Pick<HomeStore, 'claimer' | 'lookEveryMs'> {
  return { claimer: (host) => claimerOf(homeId(db), host), lookEveryMs: SHARED_EVERY_MS }
}

/** Queue and ledger on one connection, as a supervisor keeps them open. Closing closes both. */
export function openLocalStore(home: Home, options: OpenOptions = {}): HomeStore {
  const db = openTasks(home, options)
  const queue = queueOn(db, home)
  return {
    ...besideQueue(db, home),
    queue,
    claimer: ownName,
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  }
}

/** The part of a home's store that does not depend on its queue. */
function besideQueue(db: Database, home: Home): Pick<HomeStore, 'ledger' | 'record' | 'backUpIfDue' | 'watch'> {
  return {
    ledger: ledgerOn(db, home),
    record: new HomeRecord(db),
    backUpIfDue: () => backUpHourly(db, { folder: home.backups, now: Date.now() }),
    watch: () => homeStoreWatch({ home, db, isGood: (path) => examineStore(path).kind === 'good' }),
  }
}

/** The store of a home whose tasks are in it. */
function openTasks(home: Home, options: OpenOptions): Database {
  const db = openHomeDatabase(home, options)
  try {
    const { folder } = homeKindIn(db)
    if (folder !== undefined && entryAt(folder.of(home)) === undefined) throw folder.gone(home)
    if (options.readOnly !== true) refusePendingMigration(db, localKind.name)
    return db
  } catch (error) {
    db[Symbol.dispose]()
    throw error
  }
}

/** The store of the home, whatever its queue. */
export function openHomeDatabase(home: Home, { readOnly = false, busyTimeoutMs }: OpenOptions): Database {
  return openStore({ ...storeOf(home), readOnly, ...(busyTimeoutMs === undefined ? {} : { busyTimeoutMs }) })
}

/** For a command that changes something, before all else: one connection to the store then does for all of it. */
export function willWrite(home: Home): void {
  lookToWrite(home.store)
}

function lookIntoHome<T>(home: Home, look: (db: Database) => T): T {
  return lookIntoStore(storeOf(home), look)
}

function storeOf(home: Home): StoreOptions {
  home.require()
  return { path: home.store, beforeMigration: (old) => backUpFirst(old, home) }
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

/** For `fleet init`: the store of a home, with a local queue in it; idempotent. */
export function createLocalQueue(home: Home, prefix = 'fleet'): void {
  // SQLite gives its other files the permissions of this one.
  privateFile(home.store)
  const db = openStore({ path: home.store, create: true, prefix, beforeMigration: (old) => backUpFirst(old, home) })
  db[Symbol.dispose]()
}

/** For `fleet init`: the queue outside the store that the setting names, if any. Returns its location for people. */
export async function createQueue(
  home: Home,
  { setting, env }: { setting: string; env: NodeJS.ProcessEnv },
): Promise<string> {
  const queue = named(home, setting)
  return (await (await queue.kind.outside?.())?.create({ ...placeOf(queue), env })) ?? setting
}

/** For `fleet doctor`: the queue outside the store; undefined: the tasks are in the store, which has its own check. */
export async function examineQueue(home: Home, env: NodeJS.ProcessEnv): Promise<QueueReport | undefined> {
  const queue = named(home, (await sharedQueueOf(home.config)) ?? ownQueue(home).name)
  const folder = queue.kind.at === 'home' ? queue.kind.folder : undefined
  if (folder !== undefined && entryAt(folder.of(home)) === undefined) throw folder.gone(home)
  return await (await queue.kind.outside?.())?.examine({ ...placeOf(queue), env })
}

/** Throws if the existing store cannot be used. */
export function tryLocalQueue(home: Home): void {
  openStore({ path: home.store, readOnly: true })[Symbol.dispose]()
}

/** The store of a home, or a backup of it. */
export function examineLocalStore(path: string): StoreHealth {
  return examineStore(path)
}

/** A store that cannot be copied is migrated all the same: the migration is all or nothing. */
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
