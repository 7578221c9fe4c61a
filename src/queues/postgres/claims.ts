import { FreeLocks, locksOf } from '../../domain/task/lock.ts'
import type { Postgres, Sql } from '../../platform/postgres/postgres.ts'
import type { Claim, ClaimWish, HeldLock } from '../../ports/queue.ts'
import { metadataOf } from '../row.ts'
import { claimable, HAS_LOCKS } from '../terms.ts'
import { MOMENT, type Moment } from './moment.ts'

/**
 * Each operation here is one statement, so one short transaction, and skips rows that others have locked. Only tasks with
 * locks are claimed in a transaction of their own, one claimer at a time: a claim of another task can take a lock away.
 */

const STARTABLE = `${claimable()} and (hold_until is null or hold_until <= (select at from moment))
  and (not_before is null or not_before <= (select ms from moment))`

/** A deferral is due, and its task may come first. */
const DUE = `due as materialized (
  select exists (select 1 from task where status = 'deferred' and defer_until <= (select at from moment)) as due)`

/** $2 is the claimer, $3 the lease. `next` selects the tasks and locks their rows. */
const claimed = (next: string) => `
  next as materialized (${next}),
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

/**
 * The limit is literal SQL: with a known limit the planner walks the index instead of sorting all ready tasks. Claims nothing
 * if one of the tasks may take locks.
 */
const claimFirst = (limit: number) => `
  with ${MOMENT}, ${DUE}, first as materialized (
    select seq, ${HAS_LOCKS} as locks from task where not (select due from due) and ${STARTABLE}
    order by priority, created_at, seq limit ${limit} for update of task skip locked
  ),
  ${claimed('select seq from first where not exists (select 1 from first where locks)')}
  select due.due, exists (select 1 from first where locks) as locks, claimed.id, claimed.claim_token as token
  from due left join claimed on true
  order by claimed.priority, claimed.created_at, claimed.seq`

const CLAIM_THESE = `
  with ${MOMENT}, ${claimed(`select task.seq from task join unnest($4::bigint[], $5::bigint[]) as wanted (seq, token)
    on task.seq = wanted.seq and task.claim_token = wanted.token where ${claimable()} for update of task skip locked`)}
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
  /** Nothing was claimed: deferrals that are due must be opened first. */
  readonly due: boolean
  /** There may be more: other claimers took admitted tasks first, or a deferral became due meanwhile. */
  readonly lost: boolean
}

/** `own`: the caller's time in milliseconds; null: the server's. */
export async function claimTasks(db: Postgres, want: ClaimWish, own: number | null): Promise<Claimed> {
  const limit = Math.trunc(want.limit)
  if (limit <= 0) return { claims: [], due: false, lost: false }
  if (want.admits !== undefined) return await claimAdmitted(db, { ...want, limit, admits: want.admits }, own)
  type Row = { due: boolean; locks: boolean; id: string | null; token: number }
  const text = claimFirst(limit)
  const values = [own, want.by, want.leaseMs]
  const rows = limit === 1 ? await db.rows<Row>(text, values) : await db.once<Row>(text, values)
  if (rows[0]?.locks === true) return await claimAdmitted(db, { ...want, limit, admits: () => true }, own)
  const claims = rows.flatMap(({ id, token }) => (id === null ? [] : [{ id, by: want.by, token }]))
  return { claims, due: rows[0]?.due === true, lost: false }
}

const FIRST_PAGE = 32
const LONGEST_PAGE = 1024

/**
 * Calls `admits` on rows that are not locked, because it may refuse thousands of tasks that are for other machines. Claims
 * the admitted tasks that are still free.
 */
async function claimAdmitted(db: Postgres, want: Required<ClaimWish>, own: number | null): Promise<Claimed> {
  const claims: Claim[] = []
  let admitted = 0
  let held: FreeLocks | undefined
  let after: readonly [number, string, number] = [-1, '', 0]
  for (let size = FIRST_PAGE; admitted < want.limit; size = Math.min(size * 4, LONGEST_PAGE)) {
    const rows = await db.rows<{ due: boolean } & (Candidate | { id: null })>(CANDIDATES, [own, ...after, size])
    // Return what is claimed already: no other code knows about these claims.
    if (rows[0]?.due === true) return { claims, due: claims.length === 0, lost: claims.length > 0 }
    const page = rows.flatMap((row) => (row.id === null ? [] : [row as Candidate]))
    // `admits` is synchronous, so what is held is read before the first question, if any of them takes locks.
    held ??= page.some((task) => locksOf(metadataOf(task)).length > 0) ? await freeLocks(db) : undefined
    const chosen: Candidate[] = []
    for (const task of page) {
      if (admitted + chosen.length >= want.limit) break
      const metadata = metadataOf(task)
      const needs = locksOf(metadata)
      if (held?.areFree(needs) === false || !want.admits({ id: task.id, metadata })) continue
      held?.take(needs)
      chosen.push(task)
    }
    admitted += chosen.length
    claims.push(...(await claimWithLocks(db, chosen, want, own)))
    const last = page.at(-1)
    if (last === undefined || page.length < size) break
    after = [last.priority, last.created_at, last.seq]
  }
  return { claims, due: false, lost: claims.length < admitted }
}

async function freeLocks(sql: Sql): Promise<FreeLocks> {
  const held = await locksHeld(sql)
  return new FreeLocks(() => held.map(({ lock }) => lock))
}

/** In claim order. Another claimer may have taken a lock since it was read. */
async function claimWithLocks(
  db: Postgres,
  tasks: readonly Candidate[],
  want: ClaimWish,
  own: number | null,
): Promise<Claim[]> {
  const withLocks = tasks.filter((task) => locksOf(metadataOf(task)).length > 0)
  if (withLocks.length === 0) return await claimThese(db, tasks, want, own)
  const begin = `begin; select pg_advisory_xact_lock(hashtextextended('fleet locks ${db.schema}', 0))`
  const claims = await db.transaction({ begin }, async (sql) => {
    const free = await freeLocks(sql)
    const still = withLocks.filter((task) => {
      const needs = locksOf(metadataOf(task))
      const isFree = free.areFree(needs)
      if (isFree) free.take(needs)
      return isFree
    })
    return await claimThese(sql, still, want, own)
  })
  const others = tasks.filter((task) => !withLocks.includes(task))
  const all = [...claims, ...(await claimThese(db, others, want, own))]
  return tasks.flatMap((task) => all.find(({ id }) => id === task.id) ?? [])
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

/** In claim order of their tasks. */
export async function locksHeld(sql: Sql): Promise<HeldLock[]> {
  const rows = await sql.rows<{ id: string; assignee: string; metadata: string }>(
    `select id, assignee, metadata from task
     where lease_until is not null and status = 'in_progress' and ${HAS_LOCKS} order by priority, created_at, seq`,
  )
  return rows.flatMap((task) => locksOf(metadataOf(task)).map((lock) => ({ lock, task: task.id, by: task.assignee })))
}

/** In claim order. */
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

/** Milliseconds until the next delayed retry. */
export async function nextRetry(sql: Sql, own: number | null): Promise<number | undefined> {
  return (await sql.rows<{ wait: number }>(SPACED, [own]))[0]?.wait
}

/** The claim still holds: $2 is the id, $3 the token, $4 the claimer. */
export const HELD = `id = $2 and claim_token = $3 and assignee = $4 and status = 'in_progress' and lease_until is not null`

const RENEW = `with ${MOMENT} update task set lease_until = (select ms from moment) + $5::bigint where ${HELD}`

/** Short enough to notice a dead connection and renew on another one before the lease ends. */
const answerMs = (leaseMs: number) => Math.max(2000, leaseMs / 12)

export async function renewLease(sql: Sql, claim: Claim, leaseMs: number, own: number | null): Promise<boolean> {
  const values = [own, claim.id, claim.token, claim.by, leaseMs]
  return (await sql.change(RENEW, values, { answerMs: answerMs(leaseMs) })) === 1
}

/** The token grows, so the old holder's next renew or settle is refused. Skips rows that are being renewed right now. */
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
