import type { Task } from '../../domain/task/task.ts'
import type { Sql } from '../../platform/postgres/postgres.ts'
import type { TakeResult } from '../../ports/queue.ts'
import type { Amendment, AmendResult } from '../../ports/task-store.ts'
import { amendmentRefusal, closesWithoutForce, takeDecision } from '../refusals.ts'
import { changeTask, lockTasks, openNeighbourRefusal, readLocked, readTask, type Who } from './change.ts'
import { record } from './history.ts'
import { heldUpBy } from './readiness.ts'

/** A person's claim. Taking a task again succeeds; a task that is held up or belongs to somebody else is refused. */
export async function takeTask(
  sql: Sql,
  id: string,
  { by, at, force }: Who & { force?: boolean },
): Promise<TakeResult> {
  await lockTasks(sql, [id])
  const [task] = await sql.rows<{ status: string; assignee: string; leased: boolean; held_up: boolean }>(
    'select status, assignee, lease_until is not null as leased, is_blocked = 1 as held_up from task where id = $1',
    [id],
  )
  if (task === undefined) return { kind: 'unknown' }
  const { status, assignee, leased, held_up: heldUp } = task
  const current = async () => (await readTask(sql, id)) as Task
  const answer = takeDecision({ status, assignee, leased, heldUp }, { by, force: force === true })
  if (answer === 'theirs') return { kind: 'taken', task: await current() }
  if (answer === 'held-up') return { kind: 'blocked', by: (await heldUpBy(sql, [id])).get(id) ?? [] }
  if (answer !== 'take') return answer
  await sql.change(
    `update task set status = 'in_progress', assignee = $1, started_at = coalesce(started_at, $2), updated_at = $2,
       claim_token = claim_token + 1, lease_until = null, not_before = null where id = $3`,
    [by, at, id],
  )
  const changes = { status: [status, 'in_progress'], assignee: [assignee, by] } as const
  await record(sql, { task: id, at, actor: by, kind: 'claimed', changes })
  return { kind: 'taken', task: await current() }
}

/** Refusals are decided before anything is written. A later error (a refused parent) rolls back the claim too. */
export async function amendTask(sql: Sql, id: string, amendment: Amendment, who: Who): Promise<AmendResult> {
  const before = await readLocked(sql, id)
  if (before === undefined) return { kind: 'unknown' }
  const refused = amendmentRefusal(before, amendment, who.by)
  if (refused !== undefined) return refused
  const why = closesWithoutForce(before, amendment) ? await openNeighbourRefusal(sql, id) : undefined
  if (why !== undefined) return { kind: 'close-refused', why }
  if (amendment.claim === true) {
    const taken = await takeTask(sql, id, { ...who, force: amendment.force === true })
    if (taken.kind !== 'taken') return { kind: 'claim-refused', why: taken, status: before.status }
  }
  const task = await changeTask(sql, id, amendment.change, who)
  return task === undefined ? { kind: 'unknown' } : { kind: 'amended', task, before }
}
