import { rfc3339 } from '../../domain/task/time.ts'

/** A moment as the store keeps it: milliseconds for leases, text for what people read. */
export interface Moment {
  readonly now: number
  readonly at: string
}

export function momentAt(now: number): Moment {
  return { now, at: rfc3339(now) }
}

/** Milliseconds by the server's clock: many machines share its leases, and only this one clock is the same for all. */
export const SERVER_NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint'

const asText = (ms: string) =>
  `to_char(to_timestamp(${ms} / 1000) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') collate "C"`

/** For `with`: `(select ms from moment)` and `(select at from moment)`. $1 is a moment of the caller's own, or null. */
export const MOMENT = `moment as materialized (
  select ms, ${asText('ms')} as at from (select coalesce($1::bigint, ${SERVER_NOW}) as ms) clock)`

/** The same in a query that only reads, and takes the moment at which it began. */
const STATEMENT_NOW = 'floor(extract(epoch from statement_timestamp()) * 1000)::bigint'
export const READ_MOMENT = { ms: `(${STATEMENT_NOW})`, at: `(${asText(STATEMENT_NOW)})` }
