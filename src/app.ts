import { AppError } from './errors.ts'
import { privateFile } from './platform/files.ts'
import { entryAt } from './platform/folder.ts'
import type { Home } from './platform/home.ts'
import { userName } from './platform/machine.ts'
import type { Database } from './platform/sqlite.ts'
import { touchWake } from './platform/wake.ts'
import type { Ledger } from './ports/ledger.ts'
import type { StoreHealth } from './ports/store-health.ts'
import type { TaskStore } from './ports/task-store.ts'
import { Bd } from './queues/beads/bd.ts'
import { initBeads } from './queues/beads/init.ts'
import { bdMemory } from './queues/beads/memory.ts'
import { BeadsQueue } from './queues/beads/queue.ts'
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

/** The queue of this home. Commands that only read say so, and then work on a home they may not write. */
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
  /** Others may have changed the queue without touching the home's wake file. */
  onWake?(wake: () => void): Disposable
}

/** Both on one connection: what a supervisor keeps open. Closing closes both. */
export function openLocalStore(home: Home, options: OpenOptions = {}): LocalStore {
  const db = openHomeStore(home, options)
  const queue = queueOn(db, home)
  const backUpIfDue = () => backUpHourly(db, { folder: home.backups, now: Date.now() })
  if (queue instanceof BeadsQueue) {
    // On a connection of its own, so that it tells of what the mirror took in from bd.
    const ledger = openLedger(home, options)
    return {
      queue,
      ledger,
      backUpIfDue,
      onWake: (wake) => queue.onWake(wake),
      async [Symbol.asyncDispose]() {
        await queue[Symbol.asyncDispose]()
        ledger[Symbol.dispose]()
      },
    }
  }
  return { queue, ledger: ledgerOn(db, home), backUpIfDue, [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose]() }
}

/** What a person's `fleet bd` needs on a home that keeps its tasks in beads. */
export async function openBeads(
  home: Home,
): Promise<{ readonly file: string; readonly queue: BeadsQueue } & AsyncDisposable> {
  const queue = openLocalQueue(home)
  if (!(queue instanceof BeadsQueue)) throw new TypeError('not a beads queue')
  const { file } = await queue.bd()
  return { file, queue, [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose]() }
}

/** Where the tasks of this home are kept. `fleet init` decides it; a home of before there was a choice is local. */
export function queueKind(home: Home): 'local' | 'beads' {
  // Most homes have none, and then there is no need to ask the store.
  if (entryAt(home.beads) === undefined || entryAt(home.store) === undefined) return 'local'
  const db = openHomeStore(home, {})
  try {
    return kindIn(db)
  } finally {
    db[Symbol.dispose]()
  }
}

function kindIn(db: Database): 'local' | 'beads' {
  const row = db.once<{ value: string }>(`select value from meta where key = 'queue'`).get()
  return row?.value === 'beads' ? 'beads' : 'local'
}

function openHomeStore(home: Home, { readOnly = false, busyTimeoutMs }: OpenOptions): Database {
  home.require()
  return openStore({
    path: home.store,
    // Who reads a beads queue brings the mirror up to date.
    readOnly: readOnly && entryAt(home.beads) === undefined,
    ...(busyTimeoutMs === undefined ? {} : { busyTimeoutMs }),
    beforeMigration: (old) => backUpFirst(old, home),
  })
}

function queueOn(db: Database, home: Home): TaskStore {
  if (entryAt(home.beads) !== undefined && kindIn(db) === 'beads') {
    const bd = new Bd({ beads: home.beads, env: process.env, memory: bdMemory(db) })
    return new BeadsQueue(db, {
      bd,
      beads: home.beads,
      clock: { now: Date.now },
      committed: () => touchWake(home.wake),
    })
  }
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

/** Made by `fleet init` beside the store of the home; idempotent. A home that has tasks of its own keeps them there. */
export async function createBeadsQueue(home: Home, env: NodeJS.ProcessEnv): Promise<void> {
  const db = openHomeStore(home, {})
  try {
    if (kindIn(db) === 'local' && db.once('select 1 from task limit 1').get() !== undefined) {
      throw new AppError('conflict', `${home.path} keeps its tasks in fleet.db already`, {
        hint: 'nothing was changed; fleet bd export and fleet bd import move them to another home',
      })
    }
    await initBeads({ beads: home.beads, env, prefix: 'fleet' })
    db.write(() => db.sql("insert or replace into meta (key, value) values ('queue', 'beads')").run())
  } finally {
    db[Symbol.dispose]()
  }
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
