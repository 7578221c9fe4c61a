import type { Database } from '../../platform/sqlite/database.ts'
import { isTaken, type QueueValues, type SetValueResult, type ValueBound } from '../../ports/queue-values.ts'

const BEGINS_WITH = 'substr(key, 1, length(?1)) = ?1'
const SET = 'insert into queue_value (key, value) values (?1, ?2) on conflict (key) do update set value = ?2'

/** The named texts of the local queue. */
export class SqliteValues implements QueueValues {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async list(prefix: string): Promise<ReadonlyMap<string, string>> {
    const all = `select key, value from queue_value where ${BEGINS_WITH} order by key`
    const rows = this.#db.guard(() => this.#db.sql<{ key: string; value: string }>(all).all(prefix))
    return new Map(rows.map(({ key, value }) => [key, value]))
  }

  async get(key: string): Promise<string | undefined> {
    return this.#db.guard(() => this.#read(key))
  }

  async set(key: string, value: string, bound?: ValueBound): Promise<SetValueResult> {
    return this.#db.write((): SetValueResult => {
      const before = this.#read(key)
      if (isTaken(before, value, bound)) return { kind: 'taken' }
      if (before === undefined && bound !== undefined) {
        const counted = `select count(*) as n from queue_value where ${BEGINS_WITH}`
        const count = this.#db.sql<{ n: number }>(counted).get(bound.prefix)?.n ?? 0
        if (count >= bound.most) return { kind: 'full', count }
      }
      setValue(this.#db, key, value)
      return { kind: 'set', before }
    })
  }

  async remove(key: string): Promise<string | undefined> {
    return this.#db.write(() => {
      const before = this.#read(key)
      this.#db.sql('delete from queue_value where key = ?').run(key)
      return before
    })
  }

  #read(key: string): string | undefined {
    return this.#db.sql<{ value: string }>('select value from queue_value where key = ?').get(key)?.value
  }
}

/** Call inside a transaction. */
export function setValue(db: Database, key: string, value: string): void {
  db.sql(SET).run(key, value)
}
