import { existsSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite'
import { foreignHint } from '../files/owner.ts'
import { loadDriver } from './driver.ts'
import { PreparedStatement, type SqlValue, type Statement } from './statement.ts'
import { StoreError, type StoreTrouble } from './store-error.ts'

export type { SqlValue, Statement }

/** The only user of the SQLite driver: prepares statements once, begins writes as immediate, and classifies errors. */
export class Database implements Disposable {
  readonly path: string
  readonly readOnly: boolean
  readonly #db: DatabaseSyncInstance
  readonly #statements = new Map<string, PreparedStatement>()
  readonly #begin: StatementSyncInstance
  readonly #commit: StatementSyncInstance
  #changed: StatementSyncInstance | undefined
  readonly #patienceMs: number
  readonly #turns = new Turns()
  #depth = 0
  readonly #full: boolean
  readonly #identity: string | undefined

  /** `mustExist`: a file that is missing is not made. */
  constructor(path: string, options: { readOnly?: boolean; busyTimeoutMs?: number; mustExist?: boolean } = {}) {
    this.path = path
    this.readOnly = options.readOnly ?? false
    this.#patienceMs = options.busyTimeoutMs ?? 5000
    try {
      ;({ db: this.#db, full: this.#full } = connect(path, {
        ...options,
        readOnly: this.readOnly,
        patienceMs: this.#patienceMs,
      }))
      this.#begin = this.#db.prepare('begin immediate')
      this.#commit = this.#db.prepare('commit')
      this.#identity = identityOf(path)
    } catch (error) {
      throw explain(error, path)
    }
  }

  /**
   * Prepared on first use and kept, so pass constant text only. Run it inside `write`, `read` or `guard`, which explain
   * what fails.
   */
  sql<Row = Record<string, SqlValue>>(text: string): Statement<Row> {
    let statement = this.#statements.get(text)
    if (statement === undefined) {
      statement = this.#prepare(text)
      this.#statements.set(text, statement)
    }
    return statement as Statement<unknown> as Statement<Row>
  }

  /** For text built from a filter, which would fill the cache. Explains its own errors, row by row. */
  once<Row = Record<string, SqlValue>>(text: string): Statement<Row> {
    return new GuardedStatement(this.#prepare(text), this) as Statement<unknown> as Statement<Row>
  }

  #prepare(text: string): PreparedStatement {
    return this.guard(() => {
      // Prepared here and not in the constructor, because preparing reads the store, which may be locked.
      this.#changed ??= this.#db.prepare('select changes() as changes')
      return new PreparedStatement(this.#db.prepare(text), this.#changed)
    })
  }

  exec(text: string): void {
    this.guard(() => this.#db.exec(text))
  }

  /**
   * All of `work` or nothing. Immediate, because a transaction that reads first and writes later fails at once,
   * whatever the timeout, when another process wrote in between. Calls inside join the outer transaction.
   */
  write<T>(work: () => T): T {
    if (this.#depth > 0) return work()
    return this.guard(() => {
      this.#begin.get()
      this.#depth = 1
      try {
        const result = work()
        this.#commit.get()
        return result
      } catch (error) {
        // SQLite has already rolled back after a full disk or an I/O error.
        if (this.#db.isTransaction) this.#db.exec('rollback')
        throw error
      } finally {
        this.#depth = 0
      }
    })
  }

  /** A consistent view over several reads. */
  read<T>(work: () => T): T {
    if (this.#depth > 0) return work()
    return this.guard(() => {
      this.#db.exec('begin')
      this.#depth = 1
      try {
        return work()
      } finally {
        this.#depth = 0
        this.#db.exec('commit')
      }
    })
  }

  /** Every driver call goes through guard(), write() or read(): they wait for locks and translate errors. */
  guard<T>(work: () => T): T {
    try {
      // A transaction already holds its locks, and only the whole transaction could be retried.
      return this.#depth > 0 ? work() : this.#turns.take(work, this.#patienceMs)
    } catch (error) {
      throw explain(error, this.path, this.#full)
    }
  }

  function(name: string, implementation: (...args: SqlValue[]) => SqlValue): void {
    this.#db.function(name, { deterministic: true }, implementation as never)
  }

  /** Whether the path still leads to the file that is open. */
  get isInPlace(): boolean {
    return this.#identity !== undefined && identityOf(this.path) === this.#identity
  }

  get isOpen(): boolean {
    return this.#db.isOpen
  }

  [Symbol.dispose](): void {
    if (this.#db.isOpen) this.#db.close()
  }
}

/**
 * WAL needs a second file beside the store even for reading. If that file cannot be created (a read-only or full disk) and
 * no other process has the store open, the store is opened as immutable; writes then fail as on a read-only store.
 */
function connect(
  path: string,
  { readOnly, patienceMs, mustExist = false }: { readOnly: boolean; patienceMs: number; mustExist?: boolean },
): { db: DatabaseSyncInstance; full: boolean } {
  // SQLite would wait for ever on a pipe.
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined && !found.isFile() && !found.isDirectory()) {
    throw new StoreError('cannot-open', `${path} is not a file`, {
      hint: 'move it away',
      cause: new Error('not a file'),
    })
  }
  // timeout 0: fleet waits for locks itself (here and in guard()), because SQLite's own backoff starves some processes.
  const db = new DatabaseSync(mustExist && !readOnly ? existing(path) : path, { readOnly, timeout: 0 })
  try {
    new Turns().take(() => db.prepare('pragma user_version').get(), patienceMs)
    return { db, full: false }
  } catch (error) {
    db.close()
    const code = (error as DriverError).sqliteCode ?? 0
    const shut = [CANT_OPEN, READ_ONLY].includes(code & 0xff) || code === SHARED_MEMORY_SIZE
    const sizeOf = (suffix: string) => statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0
    const idle = sizeOf('-shm') < LIVE_SHARED_MEMORY && sizeOf('-wal') === 0
    if (!shut || !idle || !existsSync(path)) throw error
    const url = pathToFileURL(path)
    url.searchParams.set('immutable', '1')
    return { db: new DatabaseSync(url, { readOnly: true, timeout: 0 }), full: code === SHARED_MEMORY_SIZE }
  }
}

/** SQLite would make an empty database in place of one that somebody has just removed. */
function existing(path: string): URL {
  const url = pathToFileURL(path)
  url.search = '?mode=rw' // `searchParams` takes half a millisecond to load
  return url
}

function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path)
    return `${dev} ${ino}`
  } catch {
    return undefined
  }
}

const { DatabaseSync } = loadDriver()

const NEVER = new Int32Array(new SharedArrayBuffer(4))

/**
 * Waits for a lock that other processes compete for. Passing the lock on costs more than keeping it, so a newcomer waits
 * long. The longer a process has waited, the more often it retries, and it keeps that rate until it has completed a turn of
 * some transactions. So few processes compete at a time, and none starves.
 */
class Turns {
  #tries = 0
  #served = 0

  take<T>(work: () => T, patienceMs: number): T {
    for (let since = 0; ; ) {
      try {
        const result = work()
        if (this.#tries > 0 && ++this.#served >= TURN) this.#tries = this.#served = 0
        return result
      } catch (error) {
        if (!isBusy(error)) throw error
        if (since === 0) since = performance.now()
        if (performance.now() - since > patienceMs) throw error
        this.#tries++
        Atomics.wait(NEVER, 0, 0, busyWaitMs(this.#tries, Math.random()))
      }
    }
  }
}

/** Transactions per turn. */
const TURN = 128

export function busyWaitMs(tries: number, chance: number): number {
  const wait = tries === 1 ? 6 : Math.max(1, 45 / (tries - 1))
  return wait * (0.5 + chance)
}

/** A statement that translates its own errors, wherever it runs. */
class GuardedStatement implements Statement<unknown> {
  readonly #statement: Statement<unknown>
  readonly #database: Database

  constructor(statement: Statement<unknown>, database: Database) {
    this.#statement = statement
    this.#database = database
  }

  run(...args: SqlValue[]): { readonly changes: number } {
    return this.#database.guard(() => this.#statement.run(...args))
  }

  get(...args: SqlValue[]): unknown {
    return this.#database.guard(() => this.#statement.get(...args))
  }

  all(...args: SqlValue[]): unknown[] {
    return this.#database.guard(() => this.#statement.all(...args))
  }

  *iterate(...args: SqlValue[]): IterableIterator<unknown> {
    const rows = this.#database.guard(() => this.#statement.iterate(...args))
    try {
      while (true) {
        const row = this.#database.guard(() => rows.next())
        if (row.done === true) return
        yield row.value
      }
    } finally {
      // A reader that stops early must not keep its snapshot.
      rows.return?.()
    }
  }
}

interface DriverError extends Error {
  code?: string
  sqliteCode?: number
}

const CORRUPT = 11
const CANT_OPEN = 14
const FULL = 13
const NOT_A_DATABASE = 26
const BUSY = 5
const LOCKED = 6
const READ_ONLY = 8
const IO_ERROR = 10
/** The shared-memory file of an open store has this size; a smaller one is left from a failed attempt. */
const LIVE_SHARED_MEMORY = 32_768
/** WAL's shared-memory file could not grow: in practice a full disk. */
const SHARED_MEMORY_SIZE = IO_ERROR | (19 << 8)

/** The driver gives no code for errors while it steps through rows, only SQLite's message. */
const WORDS: ReadonlyMap<string, number> = new Map([
  ['database disk image is malformed', CORRUPT],
  ['file is not a database', NOT_A_DATABASE],
  ['database or disk is full', FULL],
  ['database is locked', BUSY],
  ['database table is locked', LOCKED],
  ['attempt to write a readonly database', READ_ONLY],
  ['unable to open database file', CANT_OPEN],
  ['disk I/O error', IO_ERROR],
])

function codeOf(error: unknown): number | undefined {
  const { code, sqliteCode, message } = (error ?? {}) as DriverError
  return sqliteCode ?? (code === 'ERR_SQLITE_ERROR' ? WORDS.get(message) : undefined)
}

function isBusy(error: unknown): boolean {
  return ((codeOf(error) ?? 0) & 0xff) === BUSY
}

/** Turns a driver error into one that a person can act on; returns any other error unchanged. */
function explain(error: unknown, path: string, full = false): unknown {
  const code = codeOf(error)
  if (code === undefined) return error
  const detail = (error as Error).message
  const say = (trouble: StoreTrouble, message: string, hint: string) =>
    new StoreError(trouble, message, { hint, cause: error as Error })
  const isFull = code === SHARED_MEMORY_SIZE || (full && (code & 0xff) === READ_ONLY)
  switch (isFull ? FULL : code & 0xff) {
    case CORRUPT:
    case NOT_A_DATABASE:
      return say(
        'damaged',
        `${path} is damaged: ${detail}`,
        'fleet doctor names the newest automatic backup and how to restore it',
      )
    case FULL:
      return say(
        'full',
        `${path} could not be written: the disk is full`,
        'nothing was changed; free some space and run it again',
      )
    case BUSY:
    case LOCKED:
      return say('locked', `${path} is locked by another process`, 'nothing was changed; run it again')
    case READ_ONLY:
      return say(
        'read-only',
        `${path} cannot be written`,
        `nothing was changed; ${foreignHint(path) ?? 'check the permissions of the file and its folder'}`,
      )
    case CANT_OPEN:
      return say(
        'cannot-open',
        `${path} cannot be opened: ${detail}`,
        foreignHint(path) ?? 'fleet doctor checks the home; fleet init makes one',
      )
    case IO_ERROR:
      return say('input-output', `${path}: input/output error: ${detail}`, 'nothing was changed; check the disk')
    default:
      return error
  }
}
