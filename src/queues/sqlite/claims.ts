import { FreeLocks, locksOf } from '../../domain/task/lock.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { Claim, ClaimWish, HeldLock, NextStep, TakeResult } from '../../ports/queue.ts'
import { takeDecision } from '../refusals.ts'
import { metadataOf, type TaskRow, taskOf } from '../row.ts'
import { claimable, HAS_LOCKS } from '../terms.ts'
import { TASK_COLUMNS } from './columns.ts'
import { DUE, openDueDeferrals } from './deferral.ts'
import { record } from './history.ts'
import { heldUpBy, recomputeReadiness, statusChanged } from './readiness.ts'

/** ?1 is the time as text, ?2 in milliseconds. */
const STARTABLE = `${claimable()} and (hold_until is null or hold_until <= ?1) and (not_before is null or not_before <= ?2)`

/** Names the index: without statistics the planner may choose another one, and a claim would scan the whole queue. */
const NEXT = `
  select seq, id, claim_token, not_before, ${HAS_LOCKS} as locks, exists (${DUE}) as due from task indexed by task_claimable
  where ${STARTABLE} order by priority, created_at, seq limit 1`

const CANDIDATES = `
  select seq, id, claim_token, not_before, metadata from task indexed by task_claimable
  where ${STARTABLE} order by priority, created_at, seq`

/** Conditional on the token just read, so that only one claimer can win even outside an immediate transaction. */
const CLAIM = `
  update task set status = 'in_progress', assignee = ?1, started_at = coalesce(started_at, ?2), updated_at = ?2,
    claim_token = claim_token + 1, lease_until = ?3
  where seq = ?4 and claim_token = ?5 and status = 'open'`

interface Moment {
  readonly now: number
  readonly at: string
}

interface Next {
  seq: number
  id: string
  claim_token: number
  not_before: number | null
}

/** Call inside an immediate transaction, like every function in this file that writes. */
export function claimTasks(db: Database, want: ClaimWish, moment: Moment): Claim[] {
  if (want.admits !== undefined) return claimAdmitted(db, { ...want, admits: want.admits }, moment)
  const claims: Claim[] = []
  while (claims.length < want.limit) {
    const claim = claimNext(db, want, moment)
    if (claim === undefined) break
    claims.push(claim)
  }
  return claims
}

function claimNext(db: Database, want: ClaimWish, moment: Moment): Claim | undefined {
  // `due`: a deferral is due, and its task may come first.
  const select = () => db.sql<Next & { due: number; locks: number }>(NEXT).get(moment.at, moment.now)
  const first = select()
  const next = first?.due !== 0 && openDueDeferrals(db, moment.at) ? select() : first
  if (next?.locks === 1) return claimAdmitted(db, { ...want, limit: 1, admits: () => true }, moment)[0]
  return next === undefined ? undefined : claimOne(db, next, want, moment)
}

/** Chooses all tasks before the first write, so that the index does not change while it is read. */
function claimAdmitted(db: Database, want: Required<ClaimWish>, moment: Moment): Claim[] {
  if (want.limit <= 0) return []
  openDueDeferrals(db, moment.at)
  const admitted: Next[] = []
  const locks = new FreeLocks(() => locksHeld(db).map(({ lock }) => lock))
  for (const task of db.sql<Next & { metadata: string }>(CANDIDATES).iterate(moment.at, moment.now)) {
    const metadata = metadataOf(task)
    const needs = locksOf(metadata)
    // `admits` counts each task that it admits, so it is asked last.
    if (!locks.areFree(needs) || !want.admits({ id: task.id, metadata })) continue
    locks.take(needs)
    admitted.push(task)
    if (admitted.length >= want.limit) break
  }
  return admitted.flatMap((task) => claimOne(db, task, want, moment) ?? [])
}

/** Separate statements: RETURNING costs more than the extra lookup. */
function claimOne(db: Database, task: Next, want: ClaimWish, { now, at }: Moment): Claim | undefined {
  if (db.sql(CLAIM).run(want.by, at, now + want.leaseMs, task.seq, task.claim_token).changes !== 1) return undefined
  // A separate update, because few tasks have a retry delay and setting the column above would slow down every claim.
  if (task.not_before !== null) db.sql('update task set not_before = null where seq = ?').run(task.seq)
  record(db, { task: task.id, at, actor: want.by, kind: 'claimed' })
  return { id: task.id, by: want.by, token: task.claim_token + 1 }
}

/** In claim order of their tasks. */
export function locksHeld(db: Database): HeldLock[] {
  return db
    .sql<{ id: string; assignee: string; metadata: string }>(
      `select id, assignee, metadata from task indexed by task_leased
       where lease_until is not null and status = 'in_progress' and ${HAS_LOCKS} order by priority, created_at, seq`,
    )
    .all()
    .flatMap((task) => locksOf(metadataOf(task)).map((lock) => ({ lock, task: task.id, by: task.assignee })))
}

/** In claim order. */
export function claimsBy(db: Database, by: string): Claim[] {
  return db
    .sql<{ id: string; token: number }>(
      `select id, claim_token as token from task indexed by task_leased
       where lease_until is not null and assignee = ? and status = 'in_progress' order by priority, created_at, seq`,
    )
    .all(by)
    .map(({ id, token }) => ({ id, by, token }))
}

const SPACED = `
  select not_before as at from task indexed by task_spaced
  where not_before > ?2 and ${claimable()} and (hold_until is null or hold_until <= ?1) order by not_before limit 1`

export function nextRetry(db: Database, { now, at }: Moment): number | undefined {
  return db.sql<{ at: number }>(SPACED).get(at, now)?.at
}

const HELD = `id = ? and claim_token = ? and assignee = ? and status = 'in_progress' and lease_until is not null`

export function isHeld(db: Database, { id, token, by }: Claim): boolean {
  return db.sql(`select 1 from task where ${HELD}`).get(id, token, by) !== undefined
}

export function renewLease(db: Database, claim: Claim, leaseUntil: number): boolean {
  const done = db.sql(`update task set lease_until = ? where ${HELD}`).run(leaseUntil, claim.id, claim.token, claim.by)
  return done.changes === 1
}

/** The status is literal SQL: with a bound value SQLite would update every index that mentions it. */
const settling = (where: string): Record<NextStep['to'], string> => ({
  closed: `update task set status = 'closed', lease_until = null, is_blocked = 0, assignee = '', updated_at = ?1, closed_at = ?1, close_reason = ?2 where ${where}`,
  open: `update task set status = 'open', lease_until = null, updated_at = ?1, assignee = '', not_before = ?2 where ${where}`,
  blocked: `update task set status = 'blocked', lease_until = null, updated_at = ?1, assignee = '',
    notes = case when ?2 = '' then notes when notes = '' then ?2 else notes || char(10) || ?2 end where ${where}`,
  deferred: `update task set status = 'deferred', lease_until = null, updated_at = ?1, assignee = '', defer_until = ?2 where ${where}`,
})

const SETTLE = settling(HELD)
/** No two claims of a task have the same token, so the claimer's name is not needed. */
const LEFT_BLOCKED = `id = ? and claim_token = ? and status = 'blocked' and assignee = ''`
const SETTLE_BLOCKED = settling(LEFT_BLOCKED)

export function isLeftBlocked(db: Database, { id, token }: Claim): boolean {
  return db.sql(`select 1 from task where ${LEFT_BLOCKED}`).get(id, token) !== undefined
}

function argumentOf(next: NextStep): string | number | null {
  switch (next.to) {
    case 'closed':
      return next.reason
    case 'open':
      return next.notBefore === undefined ? null : Math.ceil(next.notBefore)
    case 'blocked':
      return next.notes ?? ''
    case 'deferred':
      return next.until
  }
}

/** `freed`: settled, and another task may have become ready. */
export function settleClaim(db: Database, claim: Claim, next: NextStep, at: string): 'stale' | 'settled' | 'freed' {
  const { id } = claim
  if (db.sql(SETTLE[next.to]).run(at, argumentOf(next), id, claim.token, claim.by).changes !== 1) return 'stale'
  return settled(db, claim, next, { at, from: 'in_progress' })
}

/** The same for a task that the claim left blocked. */
export function settleBlocked(
  db: Database,
  claim: Claim,
  next: NextStep,
  { at, remove }: { at: string; remove: readonly string[] },
): 'stale' | 'settled' | 'freed' {
  const { id } = claim
  const isThere = (label: string) => db.sql('select 1 from label where task = ? and label = ?').get(id, label)
  // Two decisions about the same question both find the task blocked; the first takes the label away.
  if (remove.some((label) => isThere(label) === undefined)) return 'stale'
  if (db.sql(SETTLE_BLOCKED[next.to]).run(at, argumentOf(next), id, claim.token).changes !== 1) return 'stale'
  for (const label of remove) db.sql('delete from label where task = ? and label = ?').run(id, label)
  return settled(db, claim, next, { at, from: 'blocked' })
}

function settled(
  db: Database,
  { id, by }: Claim,
  next: NextStep,
  { at, from }: { at: string; from: string },
): 'settled' | 'freed' {
  if (next.to === 'closed') {
    record(db, { task: id, at, actor: by, kind: 'closed' })
    return statusChanged(db, id) ? 'freed' : 'settled'
  }
  if (next.to === 'blocked') {
    for (const label of next.addLabels ?? [])
      db.sql('insert or ignore into label (task, label) values (?, ?)').run(id, label)
  }
  // A deferral applies to the children too.
  if (next.to === 'deferred') recomputeReadiness(db, [id])
  record(db, { task: id, at, actor: by, kind: 'released', changes: { status: [from, next.to] } })
  return next.to === 'open' && next.notBefore === undefined ? 'freed' : 'settled'
}

/** The token grows, so the old holder's next renew or settle is refused. */
export function reclaim(db: Database, { now, at }: Moment): string[] {
  const rows = db
    .sql<{ id: string; assignee: string }>(
      `select id, assignee from task where lease_until is not null and lease_until < ? and status = 'in_progress'`,
    )
    .all(now)
  const reopen = db.sql(
    `update task set status = 'open', assignee = '', lease_until = null, claim_token = claim_token + 1, updated_at = ? where id = ?`,
  )
  for (const { id, assignee } of rows) {
    reopen.run(at, id)
    record(db, { task: id, at, actor: assignee, kind: 'released', changes: { lease: [assignee, 'expired'] } })
  }
  return rows.map((row) => row.id)
}

/** A person's claim. Taking a task again succeeds; a task that is held up or belongs to somebody else is refused. */
export function takeTask(
  db: Database,
  id: string,
  { by, at, force }: { by: string; at: string; force?: boolean },
): TakeResult {
  const task = db
    .sql<{ status: string; assignee: string; leased: number; held_up: number }>(
      'select status, assignee, lease_until is not null as leased, is_blocked as held_up from task where id = ?',
    )
    .get(id)
  if (task === undefined) return { kind: 'unknown' }
  const { status, assignee } = task
  const current = () => taskOf(db.sql<TaskRow>(`select ${TASK_COLUMNS} from task where id = ?`).get(id) as TaskRow)
  const standing = { status, assignee, leased: task.leased === 1, heldUp: task.held_up === 1 }
  const answer = takeDecision(standing, { by, force: force === true })
  if (answer === 'theirs') return { kind: 'taken', task: current() }
  if (answer === 'held-up') return { kind: 'blocked', by: heldUpBy(db, id) }
  if (answer !== 'take') return answer
  db.sql(
    `update task set status = 'in_progress', assignee = ?1, started_at = coalesce(started_at, ?2), updated_at = ?2,
       claim_token = claim_token + 1, lease_until = null, not_before = null where id = ?3`,
  ).run(by, at, id)
  record(db, {
    task: id,
    at,
    actor: by,
    kind: 'claimed',
    changes: { status: [status, 'in_progress'], assignee: [assignee, by] },
  })
  return { kind: 'taken', task: current() }
}
