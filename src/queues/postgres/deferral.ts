import type { Sql } from '../../platform/postgres/postgres.ts'
import { record } from './history.ts'
import { recomputeReadiness } from './readiness.ts'

/** The actor in the history of a deferral that ends by its date. */
const ACTOR = 'fleet'

const WAKE = `
  with due as materialized (
    select seq, defer_until from task where status = 'deferred' and defer_until <= $1 order by seq for update
  )
  update task set status = 'open', defer_until = null, updated_at = $1 from due where task.seq = due.seq
  returning task.id, due.defer_until`

/** Opens tasks whose deferral is due. Without a date a deferral lasts until a person ends it. */
export async function openDueDeferrals(sql: Sql, at: string): Promise<void> {
  const due = await sql.rows<{ id: string; defer_until: string }>(WAKE, [at])
  const entries = due.map(({ id, defer_until }) => {
    const changes = { status: ['deferred', 'open'], defer_until: [defer_until, null] } as const
    return { task: id, at, actor: ACTOR, kind: 'updated', changes } as const
  })
  await record(sql, ...entries)
  await recomputeReadiness(
    sql,
    due.map((task) => task.id),
  )
}
