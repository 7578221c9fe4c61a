import type { Database } from '../../platform/sqlite.ts'
import type { Claim, NextStep, TakeResult } from '../../ports/queue.ts'
import { DUE, wakeDue } from './deferral.ts'
import { record } from './history.ts'
import { heldUpBy, settleReadiness, statusChanged } from './readiness.ts'
import { TASK_COLUMNS, type TaskRow, taskOf } from './row.ts'
import { claimable } from './schema.ts'

/** Named, because without statistics the planner may prefer another index, and then a claim costs what the queue holds. */
const NEXT = `
  select seq, id, claim_token, exists (${DUE}) as due from task indexed by task_claimable
  where ${claimable()} and (hold_until is null or hold_until <= ?1)
  order by priority, created_at, seq limit 1`

/** Conditional on what was just read, so that even outside an immediate transaction only one claimer can win. */
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
  /** Some deferral ends now, and what it held back may come first. */
  due: number
}

/** Runs inside an immediate transaction. Two plain statements: RETURNING costs more than the look-up it would save. */
export function claimNext(db: Database, want: { by: string; leaseMs: number }, { now, at }: Moment): Claim | undefined {
  const first = db.sql<Next>(NEXT).get(at)
  const next = first?.due !== 0 && wakeDue(db, at) ? db.sql<Next>(NEXT).get(at) : first
  if (next === undefined) return undefined
  if (db.sql(CLAIM).run(want.by, at, now + want.leaseMs, next.seq, next.claim_token).changes !== 1) return undefined
  record(db, { task: next.id, at, actor: want.by, kind: 'claimed' })
  return { id: next.id, by: want.by, token: next.claim_token + 1 }
}

const HELD = `id = ? and claim_token = ? and assignee = ? and status = 'in_progress' and lease_until is not null`

export function renewLease(db: Database, claim: Claim, leaseUntil: number): boolean {
  const done = db.sql(`update task set lease_until = ? where ${HELD}`).run(leaseUntil, claim.id, claim.token, claim.by)
  return done.changes === 1
}

/** The status stands in the text: bound, it would have to be put back into every index that names it. */
const SETTLE: Record<NextStep['to'], string> = {
  closed: `update task set status = 'closed', lease_until = null, is_blocked = 0, updated_at = ?1, closed_at = ?1, close_reason = ?2 where ${HELD}`,
  open: `update task set status = 'open', lease_until = null, updated_at = ?1, assignee = ?2 where ${HELD}`,
  blocked: `update task set status = 'blocked', lease_until = null, updated_at = ?1, assignee = '',
    notes = case when ?2 = '' then notes when notes = '' then ?2 else notes || char(10) || ?2 end where ${HELD}`,
  deferred: `update task set status = 'deferred', lease_until = null, updated_at = ?1, assignee = '', defer_until = ?2 where ${HELD}`,
}

/** `freed`: settled, and with that some task may be ready that was not before. */
export function settleClaim(db: Database, claim: Claim, next: NextStep, at: string): 'stale' | 'settled' | 'freed' {
  const { id } = claim
  const value =
    next.to === 'closed'
      ? next.reason
      : next.to === 'blocked'
        ? (next.notes ?? '')
        : next.to === 'deferred'
          ? next.until
          : ''
  if (db.sql(SETTLE[next.to]).run(at, value, id, claim.token, claim.by).changes !== 1) return 'stale'
  if (next.to === 'closed') {
    record(db, { task: id, at, actor: claim.by, kind: 'closed' })
    return statusChanged(db, id) ? 'freed' : 'settled'
  }
  if (next.to === 'blocked') {
    for (const label of next.addLabels ?? [])
      db.sql('insert or ignore into label (task, label) values (?, ?)').run(id, label)
  }
  // The children wait with it.
  if (next.to === 'deferred') settleReadiness(db, [id])
  record(db, { task: id, at, actor: claim.by, kind: 'released', changes: { status: ['in_progress', next.to] } })
  return next.to === 'open' ? 'freed' : 'settled'
}

/** The token grows here too: the old holder's next renew or settle finds itself fenced off. */
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

interface Standing {
  status: string
  assignee: string
  lease_until: number | null
  is_blocked: number
}

/** A person's claim. Taking twice what is already yours is fine; anybody else's, or what is held up, is not. */
export function takeTask(
  db: Database,
  id: string,
  { by, at, force }: { by: string; at: string; force?: boolean },
): TakeResult {
  const task = db.sql<Standing>('select status, assignee, lease_until, is_blocked from task where id = ?').get(id)
  if (task === undefined) return { kind: 'unknown' }
  const current = () => taskOf(db.sql<TaskRow>(`select ${TASK_COLUMNS} from task where id = ?`).get(id) as TaskRow)
  const running = task.lease_until !== null // a supervisor's, whatever it calls itself
  if (task.assignee === by && task.status === 'in_progress' && !running) return { kind: 'taken', task: current() }
  if (running) return { kind: 'held', by: task.assignee }
  if (task.assignee !== '' && task.assignee !== by) return { kind: 'held', by: task.assignee }
  if (task.status !== 'open') return { kind: 'not-claimable', status: task.status }
  if (task.is_blocked === 1 && force !== true) return { kind: 'blocked', by: heldUpBy(db, id) }
  db.sql(
    `update task set status = 'in_progress', assignee = ?1, started_at = coalesce(started_at, ?2), updated_at = ?2,
       claim_token = claim_token + 1, lease_until = null where id = ?3`,
  ).run(by, at, id)
  record(db, {
    task: id,
    at,
    actor: by,
    kind: 'claimed',
    changes: { status: [task.status, 'in_progress'], assignee: [task.assignee, by] },
  })
  return { kind: 'taken', task: current() }
}
