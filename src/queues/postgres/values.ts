import type { Sql } from '../../platform/postgres/postgres.ts'
import { isTaken, type QueueValues, type SetValueResult, type ValueBound } from '../../ports/queue-values.ts'

const BEGINS_WITH = 'starts_with(key, $1::text)'
const SET =
  'insert into queue_value (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value'

/** A transaction under the writer's lock. */
type Write = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>

/** The named texts of a queue that many machines share. */
export class PostgresValues implements QueueValues {
  readonly #db: Sql
  readonly #write: Write

  constructor(db: Sql, write: Write) {
    this.#db = db
    this.#write = write
  }

  async list(prefix: string): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#db.rows<{ key: string; value: string }>(
      `select key, value from queue_value where ${BEGINS_WITH} order by key`,
      [prefix],
    )
    return new Map(rows.map(({ key, value }) => [key, value]))
  }

  async get(key: string): Promise<string | undefined> {
    return await read(this.#db, key)
  }

  async set(key: string, value: string, bound?: ValueBound): Promise<SetValueResult> {
    return await this.#write(async (sql): Promise<SetValueResult> => {
      const before = await read(sql, key)
      if (isTaken(before, value, bound)) return { kind: 'taken' }
      if (before === undefined && bound !== undefined) {
        const [row] = await sql.rows<{ n: number }>(
          `select count(*)::integer as n from queue_value where ${BEGINS_WITH}`,
          [bound.prefix],
        )
        const count = row?.n ?? 0
        if (count >= bound.most) return { kind: 'full', count }
      }
      await setValue(sql, key, value)
      return { kind: 'set', before }
    })
  }

  async remove(key: string): Promise<string | undefined> {
    return await this.#write(async (sql) => {
      const before = await read(sql, key)
      await sql.change('delete from queue_value where key = $1', [key])
      return before
    })
  }
}

/** Call inside a transaction with the writer's lock. */
export async function setValue(sql: Sql, key: string, value: string): Promise<void> {
  await sql.change(SET, [key, value])
}

async function read(sql: Sql, key: string): Promise<string | undefined> {
  return (await sql.rows<{ value: string }>('select value from queue_value where key = $1', [key]))[0]?.value
}
