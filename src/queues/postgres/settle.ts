import type { Sql } from '../../platform/postgres/postgres.ts'
import type { Claim, NextStep } from '../../ports/queue.ts'
import { HELD } from './claims.ts'
import { MOMENT } from './moment.ts'
import { recomputeReadiness, statusChanged } from './readiness.ts'

/** $5 is the step's argument: a reason, a delay in milliseconds, notes, or a date. */
const BECOMES: Record<NextStep['to'], string> = {
  closed: `status = 'closed', is_blocked = 0, closed_at = (select at from moment), close_reason = $5::text`,
  open: `status = 'open', not_before = (select ms from moment) + $5::bigint`,
  blocked: `status = 'blocked',
    notes = case when $5::text = '' then notes when notes = '' then $5::text else notes || chr(10) || $5::text end`,
  deferred: `status = 'deferred', defer_until = $5::text`,
}

/**
 * A task that a claim left blocked. No two claims of a task have the same token. $7: labels that it must have. Two decisions
 * about the same question both find the task blocked; the first takes the label away.
 */
const LEFT_BLOCKED = `id = $2 and claim_token = $3 and status = 'blocked' and assignee = ''
  and $7::text[] <@ array(select label from label where task = $2)`

/** $6: labels to add. One statement writes the task, its labels and its history together or not at all. */
const settling = (to: NextStep['to'], { where, notify, from = 'in_progress' }: Settling) => `
  with ${MOMENT}, settled as (
    update task set ${BECOMES[to]}, lease_until = null, assignee = '', updated_at = (select at from moment)
    where ${where} returning id
  ),
  labelled as (
    insert into label (task, label) select id, unnest($6::text[]) from settled on conflict do nothing
  ),
  noted as (
    insert into history (task, at, actor, kind, changes) select id, (select at from moment), $4, ${to === 'closed' ? `'closed', '{}'` : released(from, to)} from settled
  )
  select id, ${notify} from settled`

const released = (from: string, to: string) => `'released', '{"status":["${from}","${to}"]}'`

interface Settling {
  readonly where: string
  readonly notify: string
  /** The status before. */
  readonly from?: 'in_progress' | 'blocked'
}

interface Circumstances {
  /** The caller's time in milliseconds; null: the server's. */
  readonly own: number | null
  /** SQL expression that wakes supervisors. */
  readonly notify: string
}

/**
 * Settles without the writer's lock, where no other task's readiness can change: a release, a park, and the close of a task
 * that never had an edge, which most tasks are. `unsure`: not settled; the claim is stale, or other tasks may depend on it.
 */
export async function settleUnlinked(
  sql: Sql,
  claim: Claim,
  next: NextStep & { wait?: number },
  { own, notify }: Circumstances,
): Promise<'settled' | 'stale' | 'unsure'> {
  if (next.to === 'deferred') return 'unsure'
  const frees = next.to === 'open' && next.notBefore === undefined
  const where = next.to === 'closed' ? `${HELD} and linked = 0` : HELD
  const rows = await sql.rows(settling(next.to, { where, notify: frees ? notify : 'null' }), values(claim, next, own))
  if (rows.length > 0) return 'settled'
  return next.to === 'closed' ? 'unsure' : 'stale'
}

/** Call with the writer's lock. `freed`: settled, and another task may have become ready. */
export async function settleLinked(
  sql: Sql,
  claim: Claim,
  next: NextStep,
  now: number,
): Promise<'stale' | 'settled' | 'freed'> {
  const rows = await sql.rows(settling(next.to, { where: HELD, notify: 'null' }), values(claim, next, now))
  return rows.length === 0 ? 'stale' : await settled(sql, claim, next)
}

/** The same for a task that the claim left blocked. */
export async function settleBlocked(
  sql: Sql,
  claim: Claim,
  next: NextStep & { wait?: number },
  { now, remove }: { now: number; remove: readonly string[] },
): Promise<'stale' | 'settled' | 'freed'> {
  // The actor is $4, and the condition does not mention it.
  const text = settling(next.to, { where: LEFT_BLOCKED, notify: 'null', from: 'blocked' })
  const rows = await sql.rows(text, [...values(claim, next, now), [...remove]])
  if (rows.length === 0) return 'stale'
  if (remove.length > 0) {
    await sql.change('delete from label where task = $1 and label = any($2::text[])', [claim.id, [...remove]])
  }
  return await settled(sql, claim, next)
}

async function settled(sql: Sql, claim: Claim, next: NextStep): Promise<'settled' | 'freed'> {
  if (next.to === 'closed') return (await statusChanged(sql, claim.id)) ? 'freed' : 'settled'
  // A deferral applies to the children too.
  if (next.to === 'deferred') await recomputeReadiness(sql, [claim.id])
  return 'settled'
}

function values(claim: Claim, next: NextStep & { wait?: number }, own: number | null) {
  const labels = next.to === 'blocked' ? [...(next.addLabels ?? [])] : []
  return [own, claim.id, claim.token, claim.by, argumentOf(next), labels]
}

function argumentOf(next: NextStep & { wait?: number }): string | number | null {
  switch (next.to) {
    case 'closed':
      return next.reason
    case 'open':
      return next.wait ?? null
    case 'blocked':
      return next.notes ?? ''
    case 'deferred':
      return next.until
  }
}
