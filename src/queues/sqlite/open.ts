import { dirname } from 'node:path'
import { AppError } from '../../errors.ts'
import { Home } from '../../platform/files/home.ts'
import { Database } from '../../platform/sqlite/database.ts'
import { lookWith, takeLook } from '../../platform/sqlite/look.ts'
import { APPLICATION_ID, MIGRATIONS } from './schema.ts'

export interface StoreOptions {
  readonly path: string
  readonly readOnly?: boolean
  readonly busyTimeoutMs?: number
  /** Create the file if it does not exist. Only `fleet init` and tests do. */
  readonly create?: boolean
  readonly prefix?: string
  /** Called before a store of an older version is migrated. */
  readonly beforeMigration?: (db: Database) => void
  /** For tests of a later version's migrations. */
  readonly migrations?: readonly string[]
}

/** Opens a store with this version's schema: creates it, migrates it, or refuses it. */
export function openStore(options: StoreOptions): Database {
  const db = connect(options)
  const steps = options.migrations ?? MIGRATIONS
  try {
    const version = versionOf(db)
    if (version > steps.length) {
      throw new AppError(
        'queue',
        `${options.path} was made by a newer fleet: store version ${version}, this fleet knows ${steps.length}`,
        {
          hint: 'update fleet; nothing was changed',
        },
      )
    }
    if (version > 0 && applicationOf(db) !== APPLICATION_ID) throw notOurs(options.path)
    if (version === 0 && options.create !== true) throw isEmpty(db) ? empty(options.path) : notOurs(options.path)
    if (options.readOnly === true && version < steps.length) {
      // The queries expect the current tables, so even a reader has to migrate first.
      db[Symbol.dispose]()
      return openStore({ ...options, readOnly: false })
    }
    if (options.readOnly !== true) {
      db.exec('pragma synchronous = normal')
      if (version > 0 && version < steps.length) options.beforeMigration?.(db)
      if (version < steps.length) migrate(db, steps, options.prefix ?? 'fleet')
    }
    return db
  } catch (error) {
    db[Symbol.dispose]()
    throw error
  }
}

/** The connection is kept for the command, which opens the store next. */
export function lookIntoStore<T>(options: StoreOptions, look: (db: Database) => T): T {
  return lookWith(openStore({ ...options, readOnly: true }), look)
}

function connect({ path, readOnly = false, busyTimeoutMs, create = false }: StoreOptions): Database {
  const look = takeLook(path)
  if (look !== undefined && (readOnly || !look.readOnly) && busyTimeoutMs === undefined) return look
  look?.[Symbol.dispose]()
  return new Database(path, { readOnly, mustExist: !create, ...(busyTimeoutMs !== undefined && { busyTimeoutMs }) })
}

/** Two processes may get here at once; the second finds the migration done inside its own transaction. */
function migrate(db: Database, steps: readonly string[], prefix: string): void {
  db.exec('pragma journal_mode = wal')
  db.write(() => {
    const from = versionOf(db)
    for (const step of steps.slice(from)) db.exec(step)
    if (from === 0) db.sql("insert into meta (key, value) values ('prefix', ?)").run(prefix)
    db.exec(`pragma application_id = ${APPLICATION_ID}`)
    db.exec(`pragma user_version = ${steps.length}`)
  })
}

function versionOf(db: Database): number {
  return db.guard(() => db.once<{ user_version: number }>('pragma user_version').get()?.user_version) ?? 0
}

function applicationOf(db: Database): number {
  return db.guard(() => db.once<{ application_id: number }>('pragma application_id').get()?.application_id) ?? 0
}

function isEmpty(db: Database): boolean {
  return db.once<{ page_count: number }>('pragma page_count').get()?.page_count === 0
}

function empty(path: string): AppError {
  return new AppError('queue', `${path} is empty`, {
    hint: new Home(dirname(path)).lostStore() ?? 'run fleet init to make a new store',
  })
}

function notOurs(path: string): AppError {
  return new AppError('queue', `${path} is not a fleet store`, { hint: 'move it away, then run fleet init' })
}
