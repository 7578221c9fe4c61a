import type { Sql } from '../../platform/postgres/postgres.ts'
import type { NewOrder, Order, OrderState, Orders } from '../../ports/orders.ts'
import { SERVER_NOW } from './moment.ts'

/** The sender waits less than this for an order to be taken, so an older order is abandoned. */
const FRESH_MS = 60_000
/** The sender waits less than this for the answer to a taken order. */
const ANSWER_MS = 15 * 60_000
const KEPT_MS = 24 * 60 * 60 * 1000

const GIVE = `
  with old as (delete from host_order where asked_at < ${SERVER_NOW} - ${KEPT_MS})
  insert into host_order (host, kind, task, asked_by, asked_at, about) values ($1, $2, $3, $4, ${SERVER_NOW}, $5)
  returning id`

const TAKE = `
  with taken as (
    update host_order set taken_at = ${SERVER_NOW}
    where host = $1 and done_at is null and (taken_at is null or $2::boolean)
      and asked_at > ${SERVER_NOW} - case when taken_at is null then ${FRESH_MS} else ${ANSWER_MS} end
    returning id, host, kind, task, asked_by as by, about
  )
  select * from taken order by id`

const LEASE_LEFT = `
  select lease_until - ${SERVER_NOW} as left from task
  where assignee = $1 and id = $2 and status = 'in_progress' and lease_until is not null`

export class PostgresOrders implements Orders {
  readonly #sql: Sql
  readonly #notify: string

  /** `notify`: SQL expression that wakes supervisors. */
  constructor(sql: Sql, notify: string) {
    this.#sql = sql
    this.#notify = notify
  }

  async give({ host, kind, task, by, about = '' }: NewOrder): Promise<number> {
    const [given] = await this.#sql.rows<{ id: number }>(GIVE, [host, kind, task, by, about])
    await this.#sql.rows(`select ${this.#notify}`)
    return given?.id ?? 0
  }

  async take(host: string, { again = false } = {}): Promise<readonly Order[]> {
    return await this.#sql.rows<Order>(TAKE, [host, again])
  }

  async done(order: number, answer: string): Promise<void> {
    const sql = `update host_order set done_at = ${SERVER_NOW}, answer = $2 where id = $1 and done_at is null`
    await this.#sql.change(sql, [order, answer])
  }

  async get(order: number): Promise<OrderState | undefined> {
    const sql = 'select taken_at is not null as taken, answer from host_order where id = $1'
    const [row] = await this.#sql.rows<{ taken: boolean; answer: string | null }>(sql, [order])
    return row === undefined ? undefined : { taken: row.taken, answer: row.answer ?? undefined }
  }

  async withdraw(order: number): Promise<boolean> {
    return (await this.#sql.change('delete from host_order where id = $1 and taken_at is null', [order])) === 1
  }

  async leaseLeft(host: string, task: string): Promise<number | undefined> {
    const [row] = await this.#sql.rows<{ left: number }>(LEASE_LEFT, [host, task])
    return row === undefined ? undefined : Math.max(0, row.left)
  }
}
