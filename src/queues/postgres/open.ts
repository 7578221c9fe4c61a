import { AppError } from '../../errors.ts'
import { Postgres, type Sql } from '../../platform/postgres/postgres.ts'
import { type ServerPatience, whenReady } from '../../platform/postgres/when-ready.ts'
import { MIGRATIONS } from './schema.ts'

export interface PostgresStoreOptions {
  readonly url: string
  /** Create the tables if they do not exist. Only `fleet init` and tests do. */
  readonly create?: boolean
  readonly prefix?: string
  readonly connections?: number
  /** For a server that is just starting. */
  readonly patience?: ServerPatience
  /** For tests of a later version's migrations. */
  readonly migrations?: readonly string[]
}

export interface PostgresStore {
  readonly db: Postgres
  readonly prefix: string
}

/** The oldest version that is tested; it has every feature that fleet uses. */
const OLDEST_SERVER = 140_000

/** Opens a store with this version's schema: creates it, migrates it, or refuses it. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { url, connections } = options
  const most = connections === undefined ? {} : { most: connections }
  const db = await whenReady(() => Postgres.connect({ url, ...most }), options.patience)
  try {
    const steps = options.migrations ?? MIGRATIONS
    let found = await metaOf(db)
    if (found === undefined && options.create !== true) {
      throw new AppError('queue', `${db.location} has no fleet queue in its schema ${db.schema}`, {
        hint: 'fleet init --queue with the same URL makes one',
      })
    }
    const version = Number(found?.['version'] ?? 0)
    if (version > steps.length) {
      throw new AppError(
        'queue',
        `${db.location} was made by a newer fleet: store version ${version}, this fleet knows ${steps.length}`,
        { hint: 'update fleet; nothing was changed' },
      )
    }
    if (version < steps.length) {
      await migrate(db, steps, options.prefix ?? 'fleet')
      found = await metaOf(db)
    }
    return { db, prefix: found?.['prefix'] ?? 'fleet' }
  } catch (error) {
    await db[Symbol.asyncDispose]()
    throw error
  }
}

const NO_TABLE = '42P01'

/** undefined: the schema holds no queue. */
async function metaOf(db: Postgres): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    const rows = await db.rows<{ key: string; value: string; server: number }>(
      `select key, value, current_setting('server_version_num')::integer as server from ${db.schema}.meta`,
    )
    requireServer(db, rows[0]?.server ?? OLDEST_SERVER)
    return Object.fromEntries(rows.map(({ key, value }) => [key, value]))
  } catch (error) {
    if ((error as { code?: string }).code === NO_TABLE) return undefined
    throw error
  }
}

function requireServer(db: Postgres, version: number): void {
  if (version >= OLDEST_SERVER) return
  const text = `${Math.floor(version / 10_000)}.${version % 10_000}`
  throw new AppError('unsupported', `${db.location} is PostgreSQL ${text}; fleet needs 14 or later`)
}

/** Two processes may get here at once; the second waits for the first and finds the migration done. */
async function migrate(db: Postgres, steps: readonly string[], prefix: string): Promise<void> {
  const { schema } = db
  const begin = `begin; select pg_advisory_xact_lock(hashtextextended('fleet migrates ${schema}', 0)),
    current_setting('server_version_num')::integer as server`
  await db.transaction({ begin }, async (sql, begun) => {
    requireServer(db, begun['server'] ?? OLDEST_SERVER)
    const from = await versionInside(sql, schema)
    if (from === 0) await sql.once(`create schema if not exists ${schema}`)
    for (const step of steps.slice(from)) await sql.once(step)
    if (from === 0) await sql.change(`insert into meta (key, value) values ('prefix', $1)`, [prefix])
    await sql.change(
      `insert into meta (key, value) values ('version', $1) on conflict (key) do update set value = excluded.value`,
      [String(steps.length)],
    )
  })
}

async function versionInside(sql: Sql, schema: string): Promise<number> {
  const [there] = await sql.rows<{ there: boolean }>(`select to_regclass('${schema}.meta') is not null as there`)
  if (there?.there !== true) return 0
  const [row] = await sql.rows<{ value: string }>(`select value from ${schema}.meta where key = 'version'`)
  return Number(row?.value ?? 0)
}
