import type { Sql } from '../../platform/postgres/postgres.ts'
import type { Claim, ClaimWish } from '../../ports/queue.ts'
import { metadataOf } from '../row.ts'
import { claimable } from '../terms.ts'
import { MOMENT, type Moment } from './moment.ts'

/** Each of these is one statement, and so one transaction that holds its locks for a moment and waits for nobody's. */

const STARTABLE = `${claimable()} and (hold_until is null or hold_until <= (select at from moment))
  and (not_before is null or not_before <= (select ms from moment))`

/** Some deferral ends now, and what it held back may come first. */
const DUE = `due as materialized (
  select exists (select 1 from task where status = 'deferred' and defer_until <= (select at from moment)) as due)`

/** $2 the claimer, $3 the lease. `next` says which tasks, and has their rows locked. */
const claimsOf = (next: string) => `
  next as materialized (${next} for update of task skip locked),
  claimed as (
    update task set status = 'in_progress', assignee = $2, started_at = coalesce(started_at, (select at from moment)),
      updated_at = (select at from moment), claim_token = claim_token + 1, not_before = null,
      lease_until = (select ms from moment) + $3::bigint
    from next where task.seq = next.seq
    returning task.seq, task.id, task.priority, task.created_at, task.claim_token
  ),
  noted as (
    insert into history (task, at, actor, kind, changes) select id, (select at from moment), $2, 'claimed', '{}' from claimed
  )`

/** The limit stands in the text: where it is known, the planner walks the index instead of sorting all that is ready. */
const claimFirst = (limit: number) => `
  with ${MOMENT}, ${DUE}, ${claimsOf(`select seq from task where not (select due from due) and ${STARTABLE}
    order by priority, created_at, seq limit ${limit}`)}
  select due.due, claimed.id, claimed.claim_token as token from due left join claimed on true
  order by claimed.priority, claimed.created_at, claimed.seq`

const CLAIM_THESE = `
  with ${MOMENT}, ${claimsOf(`select task.seq from task join unnest($4::bigint[], $5::bigint[]) as wanted (seq, token)
    on task.seq = wanted.seq and task.claim_token = wanted.token where ${claimable()}`)}
  select id, claim_token as token from claimed order by priority, created_at, seq`

const CANDIDATES = `
  with ${MOMENT}, ${DUE}, page as (
    select seq, id, claim_token, metadata, priority, created_at from task
    where not (select due from due) and ${STARTABLE} and (priority, created_at, seq) > ($2::integer, $3::text, $4::bigint)
    order by priority, created_at, seq limit $5::integer
  )
  select due.due, page.* from due left join page on true order by page.priority, page.created_at, page.seq`

interface Candidate {
  seq: number
  id: string
  claim_token: number
  metadata: string
  priority: number
  created_at: string
}

export interface Claimed {
  readonly claims: readonly Claim[]
  /** Claimed nothing yet: deferrals have to be ended first. */
  readonly due: boolean
  /** There may be more: others were quicker with some that were admitted, or a deferral has ended meanwhile. */
  readonly lost: boolean
}

/** `own`: the caller's own moment in milliseconds, or null for the server's. */
export async function claimTasks(sql: Sql, want: ClaimWish, own: number | null): Promise<Claimed> {
  const limit = Math.trunc(want.limit)
  if (limit <= 0) return { claims: [], due: false, lost: false }
  if (want.admits !== undefined) return await claimAdmitted(sql, { ...want, limit, admits: want.admits }, own)
  type Row = { due: boolean; id: string | null; token: number }
  const text = claimFirst(limit)
  const values = [own, want.by, want.leaseMs]
  const rows = limit === 1 ? await sql.rows<Row>(text, values) : await sql.once<Row>(text, values)
  const claims = rows.flatMap(({ id, token }) => (id === null ? [] : [{ id, by: want.by, token }]))
  return { claims, due: rows[0]?.due === true, lost: false }
}

const FIRST_PAGE = 32
const LONGEST_PAGE = 1024

/**
 * Asked about rows that nobody locked: what is refused, perhaps thousands of tasks for other machines, is only read. What
 * is admitted is claimed if it still can be.
 */
async function claimAdmitted(sql: Sql, want: Required<ClaimWish>, own: number | null): Promise<Claimed> {
  const claims: Claim[] = []
  let admitted = 0
  let after: readonly [number, string, number] = [-1, '', 0]
  for (let size = FIRST_PAGE; admitted < want.limit; size = Math.min(size * 4, LONGEST_PAGE)) {
    const rows = await sql.rows<{ due: boolean } & (Candidate | { id: null })>(CANDIDATES, [own, ...after, size])
    // What was claimed before it is handed out first: nobody else knows of it.
    if (rows[0]?.due === true) return { claims, due: claims.length === 0, lost: claims.length > 0 }
    const page = rows.flatMap((row) => (row.id === null ? [] : [row as Candidate]))
    const chosen: Candidate[] = []
    for (const task of page) {
      if (admitted + chosen.length >= want.limit) break
      if (want.admits({ id: task.id, metadata: metadataOf(task) })) chosen.push(task)
    }
    admitted += chosen.length
    claims.push(...(await claimThese(sql, chosen, want, own)))
    const last = page.at(-1)
    if (last === undefined || page.length < size) break
    after = [last.priority, last.created_at, last.seq]
  }
  return { claims, due: false, lost: claims.length < admitted }
}

async function claimThese(
  sql: Sql,
  tasks: readonly Candidate[],
  { by, leaseMs }: ClaimWish,
  own: number | null,
): Promise<Claim[]> {
  if (tasks.length === 0) return []
  const seqs = tasks.map((task) => task.seq)
  const tokens = tasks.map((task) => task.claim_token)
  const rows = await sql.rows<{ id: string; token: number }>(CLAIM_THESE, [own, by, leaseMs, seqs, tokens])
  return rows.map(({ id, token }) => ({ id, by, token }))
}

/** In the order in which they were claimable. */
export async function claimsBy(sql: Sql, by: string): Promise<Claim[]> {
  const rows = await sql.rows<{ id: string; token: number }>(
    `select id, claim_token as token from task
     where lease_until is not null and assignee = $1 and status = 'in_progress' order by priority, created_at, seq`,
    [by],
  )
  return rows.map(({ id, token }) => ({ id, by, token }))
}

const SPACED = `
  with ${MOMENT} select not_before - (select ms from moment) as wait from task
  where not_before > (select ms from moment) and ${claimable()}
    and (hold_until is null or hold_until <= (select at from moment))
  order by not_before limit 1`

/** In how many milliseconds the next spaced retry is due. */
export async function nextSpaced(sql: Sql, own: number | null): Promise<number | undefined> {
  return (await sql.rows<{ wait: number }>(SPACED, [own]))[0]?.wait
}

/** The holder's own words: $2 the id, $3 the token, $4 the claimer. */
export const HELD = `id = $2 and claim_token = $3 and assignee = $4 and status = 'in_progress' and lease_until is not null`

const RENEW = `with ${MOMENT} update task set lease_until = (select ms from moment) + $5::bigint where ${HELD}`

/** A connection that is dead must be found out in time to try another. */
const answerMs = (leaseMs: number) => Math.max(2000, leaseMs / 12)

export async function renewLease(sql: Sql, claim: Claim, leaseMs: number, own: number | null): Promise<boolean> {
  const values = [own, claim.id, claim.token, claim.by, leaseMs]
  return (await sql.change(RENEW, values, { answerMs: answerMs(leaseMs) })) === 1
}

/** The token grows here too: the old holder's next renew or settle finds itself fenced off. What is just being renewed is left. */
const reclaimWith = (notify: string) => `
  with ${MOMENT}, lapsed as materialized (
    select seq, assignee from task
    where lease_until is not null and lease_until < (select ms from moment) and status = 'in_progress'
    order by seq for update skip locked
  ),
  reopened as (
    update task set status = 'open', assignee = '', lease_until = null, claim_token = claim_token + 1,
      updated_at = (select at from moment)
    from lapsed where task.seq = lapsed.seq returning task.seq, task.id, lapsed.assignee as holder
  ),
  noted as (
    insert into history (task, at, actor, kind, changes)
    select id, (select at from moment), holder, 'released',
      json_build_object('lease', json_build_array(holder, 'expired'))::text from reopened order by seq
  )
  select id, ${notify} from reopened order by seq`

export async function reclaim(sql: Sql, own: Moment['now'] | null, notify: string): Promise<string[]> {
  return (await sql.rows<{ id: string }>(reclaimWith(notify), [own])).map((row) => row.id)
}
