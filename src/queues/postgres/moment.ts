import { rfc3339 } from '../../domain/task/time.ts'

/** A time in both stored forms: milliseconds for leases, text for what people read. */
export interface Moment {
  readonly now: number
  readonly at: string
}

export function momentAt(now: number): Moment {
  return { now, at: rfc3339(now) }
}

/** The server's clock in milliseconds: machines share leases, and only this clock is the same for all of them. */
export const SERVER_NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint'

const asText = (ms: string) =>
  `to_char(to_timestamp(${ms} / 1000) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') collate "C"`

/** For `with`: provides `(select ms from moment)` and `(select at from moment)`. $1 is the caller's time; null: the server's. */
export const MOMENT = `moment as materialized (
  select ms, ${asText('ms')} as at from (select coalesce($1::bigint, ${SERVER_NOW}) as ms) clock)`

/** The same for a read-only query: the time at which the statement began. */
const STATEMENT_NOW = 'floor(extract(epoch from statement_timestamp()) * 1000)::bigint'
export const READ_MOMENT = { ms: `(${STATEMENT_NOW})`, at: `(${asText(STATEMENT_NOW)})` }
