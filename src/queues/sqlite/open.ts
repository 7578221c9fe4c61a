import { AppError } from '../../errors.ts'
import { Database } from '../../platform/sqlite.ts'
import { APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION } from './schema.ts'

export interface StoreOptions {
  readonly path: string
  readonly readOnly?: boolean
  readonly busyTimeoutMs?: number
  /** Make the file if it is not there. Only `fleet init` and tests do. */
  readonly create?: boolean
  readonly prefix?: string
}

/** An open store of this version's schema: made, brought up to date, or refused. */
export function openStore(options: StoreOptions): Database {
  const db = new Database(options.path, {
    readOnly: options.readOnly ?? false,
    ...(options.busyTimeoutMs === undefined ? {} : { busyTimeoutMs: options.busyTimeoutMs }),
  })
  try {
    const version = versionOf(db)
    if (version > SCHEMA_VERSION) {
      throw new AppError(
        'queue',
        `${options.path} was made by a newer fleet: store version ${version}, this fleet knows ${SCHEMA_VERSION}`,
        {
          hint: 'update fleet; nothing was changed',
        },
      )
    }
    if (version > 0 && applicationOf(db) !== APPLICATION_ID) throw notOurs(options.path)
    if (version === 0 && options.create !== true) throw notOurs(options.path)
    if (options.readOnly !== true) {
      db.exec('pragma synchronous = normal')
      if (version < SCHEMA_VERSION) migrate(db, options.prefix ?? 'fleet')
    }
    return db
  } catch (error) {
    db[Symbol.dispose]()
    throw error
  }
}

/** Two processes may arrive here at once; the second finds the work done inside its own transaction. */
function migrate(db: Database, prefix: string): void {
  db.exec('pragma journal_mode = wal')
  db.write(() => {
    const from = versionOf(db)
    for (const step of MIGRATIONS.slice(from)) db.exec(step)
    if (from === 0) db.sql("insert into meta (key, value) values ('prefix', ?)").run(prefix)
    db.exec(`pragma application_id = ${APPLICATION_ID}`)
    db.exec(`pragma user_version = ${SCHEMA_VERSION}`)
  })
}

function versionOf(db: Database): number {
  return db.guard(() => db.once<{ user_version: number }>('pragma user_version').get()?.user_version) ?? 0
}

function applicationOf(db: Database): number {
  return db.guard(() => db.once<{ application_id: number }>('pragma application_id').get()?.application_id) ?? 0
}

function notOurs(path: string): AppError {
  return new AppError('queue', `${path} is not a fleet store`, { hint: 'move it away, then run fleet init' })
}
