import type { Sql } from '../../platform/postgres/postgres.ts'
import { record } from './history.ts'
import { settleReadiness } from './readiness.ts'

/** Nobody in particular ends a deferral whose date has come. */
const ACTOR = 'fleet'

const WAKE = `
  with due as materialized (
    select seq, defer_until from task where status = 'deferred' and defer_until <= $1 order by seq for update
  )
  update task set status = 'open', defer_until = null, updated_at = $1 from due where task.seq = due.seq
  returning task.id, due.defer_until`

/** Opens what was deferred to a date that has come. A deferral without a date lasts until somebody ends it. */
export async function wakeDue(sql: Sql, at: string): Promise<void> {
  const due = await sql.rows<{ id: string; defer_until: string }>(WAKE, [at])
  const entries = due.map(({ id, defer_until }) => {
    const changes = { status: ['deferred', 'open'], defer_until: [defer_until, null] } as const
    return { task: id, at, actor: ACTOR, kind: 'updated', changes } as const
  })
  await record(sql, ...entries)
  await settleReadiness(
    sql,
    due.map((task) => task.id),
  )
}
