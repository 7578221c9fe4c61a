import type { Contents } from '../domain/contents.ts'
import { postgresAddress } from '../domain/postgres-url.ts'
import { Postgres } from '../platform/postgres.ts'
import { contentsOf, fillStore } from '../queues/postgres/contents.ts'
import { openPostgresStore } from '../queues/postgres/open.ts'
import { PostgresRecords } from '../queues/postgres/records.ts'
import { beginWriting } from '../queues/postgres/writers-lock.ts'
import { isSame, mustKeepAll, occupied, recordsOf } from './compare.ts'
import type { Source, Target } from './place.ts'

/** A queue on a server, which others may use at the same time. */

export async function serverSource(url: string): Promise<Source> {
  const { db } = await openPostgresStore({ url })
  return {
    kind: 'postgres',
    location: placeOf(db),
    records: new PostgresRecords(db),
    async read() {
      const contents = await db.reading((sql) => contentsOf(sql, Date.now()))
      return { contents, own: recordsOf(contents), stays: [] }
    },
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  }
}

export async function serverTarget(url: string): Promise<Target> {
  const db = await Postgres.connect({ url })
  const location = placeOf(db)
  const refuse = (there: Contents, contents: Contents): void => {
    if (there.tasks.length === 0 || isSame(recordsOf(there), recordsOf(contents))) return
    throw occupied(
      location,
      there.tasks.length,
      'they are not those that are to be moved: name another schema, ?schema=... in the URL',
    )
  }
  return {
    kind: 'postgres',
    location,
    records: new PostgresRecords(db),
    held: (contents) => ({ contents, unheld: [] }),
    async survey(contents) {
      if (await isMade(db)) refuse(await db.reading((sql) => contentsOf(sql, Date.now())), contents)
    },
    async fill(contents, steady) {
      await using store = (await openPostgresStore({ url, create: true, prefix: contents.prefix })).db
      const end = `select pg_notify('fleet_${store.schema}', '')`
      await store.transaction({ begin: beginWriting(store.schema), end }, async (sql) => {
        const there = await contentsOf(sql, Date.now())
        refuse(there, contents)
        // What an earlier move brought there may be in somebody's hands by now: it is left as it is.
        if (there.tasks.length === 0) {
          await fillStore(sql, contents, Date.now())
          const back = await contentsOf(sql, Date.now())
          mustKeepAll(
            contents,
            { ...back, prefix: contents.prefix, history: back.history.slice(there.history.length) },
            location,
          )
        }
        await steady()
      })
      return []
    },
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  }
}

async function isMade(db: Postgres): Promise<boolean> {
  const [row] = await db.once<{ there: boolean }>(`select to_regclass('${db.schema}.meta') is not null as there`)
  return row?.there === true
}

/** Two queues of one database differ by their schema alone. */
function placeOf({ location, schema }: Postgres): string {
  return schema === postgresAddress('postgres://any')?.schema ? location : `${location} (schema ${schema})`
}
