import { postgresAddress } from '../domain/queue/postgres-url.ts'
import type { Contents } from '../domain/task/contents.ts'
import { Postgres, type Sql } from '../platform/postgres/postgres.ts'
import { contentsOf, fillStore } from '../queues/postgres/contents.ts'
import { postgresHosts } from '../queues/postgres/hosts.ts'
import { openPostgresStore } from '../queues/postgres/open.ts'
import { fillRecords, PostgresRecords } from '../queues/postgres/records.ts'
import { beginWriting } from '../queues/postgres/writers-lock.ts'
import { fingerprint, isSameTasks, occupied, recordsOf, requireSameContents } from './compare.ts'
import type { Source, Target } from './ends.ts'

/** A queue on a server, which other machines may use at the same time. */

export async function serverSource(url: string): Promise<Source> {
  const { db } = await openPostgresStore({ url })
  return {
    kind: 'postgres',
    location: locationOf(db),
    records: new PostgresRecords(db),
    hosts: () => postgresHosts(db, { own: () => null, now: Date.now }).all(),
    async read() {
      const contents = await db.reading((sql) => contentsOf(sql, Date.now()))
      return { contents, native: recordsOf(contents), leftBehind: [] }
    },
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  }
}

export async function serverTarget(url: string, home: string): Promise<Target> {
  const db = await Postgres.connect({ url })
  const location = locationOf(db)
  /** Whether this home already migrated these tasks there, however they have changed since. Throws if others are there. */
  const isMigrated = async (sql: Sql, there: Contents, contents: Contents): Promise<boolean> => {
    if (there.tasks.length === 0) return false
    if ((await migrationMark(sql)) === markOf(home, contents) || isSameTasks(recordsOf(there), recordsOf(contents)))
      return true
    throw occupied(
      location,
      there.tasks.length,
      'they are not the tasks to be migrated: name another schema, ?schema=... in the URL',
    )
  }
  return {
    kind: 'postgres',
    location,
    fit: (contents) => ({ contents, omitted: [] }),
    async check(contents) {
      if (!(await hasStore(db))) return
      await db.reading(async (sql) => isMigrated(sql, await contentsOf(sql, Date.now()), contents))
    },
    async fill(contents, { records, confirmUnchanged }) {
      await using store = (await openPostgresStore({ url, create: true, prefix: contents.prefix })).db
      const end = `select pg_notify('fleet_${store.schema}', '')`
      await store.transaction({ begin: beginWriting(store.schema), end }, async (sql) => {
        const there = await contentsOf(sql, Date.now())
        // An earlier, interrupted migration brought them: other machines may own them by now, so leave them alone.
        if (!(await isMigrated(sql, there, contents))) {
          await fillStore(sql, contents, Date.now())
          await fillRecords(sql, records)
          await sql.change(MARK, [markOf(home, contents)])
          const back = await contentsOf(sql, Date.now())
          requireSameContents(
            contents,
            {
              ...back,
              prefix: contents.prefix,
              history: back.history.slice(there.history.length),
              values: among(back.values ?? {}, contents.values ?? {}),
            },
            location,
          )
        }
        await confirmUnchanged()
      })
      return []
    },
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  }
}

/** Other homes may have their own memories there. */
function among(found: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(found).filter(([key]) => Object.hasOwn(wanted, key)))
}

const MARK = `insert into meta (key, value) values ('brought', $1) on conflict (key) do update set value = excluded.value`

async function migrationMark(sql: Sql): Promise<string | undefined> {
  return (await sql.rows<{ value: string }>(`select value from meta where key = 'brought'`))[0]?.value
}

function markOf(home: string, contents: Contents): string {
  return `${home} ${fingerprint(recordsOf(contents))}`
}

async function hasStore(db: Postgres): Promise<boolean> {
  const [row] = await db.once<{ there: boolean }>(`select to_regclass('${db.schema}.meta') is not null as there`)
  return row?.there === true
}

/** Names the schema if it is not the default: it distinguishes the queues of one database. */
function locationOf({ location, schema }: Postgres): string {
  return schema === postgresAddress('postgres://any')?.schema ? location : `${location} (schema ${schema})`
}
