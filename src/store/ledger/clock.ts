import type { Database } from '../../platform/sqlite/database.ts'

/** Stored times, after the wall clock was set. Call in a transaction. */

export function clockSetBack(db: Database, by: number): void {
  db.sql('update task_state set waiting_until = waiting_until - ? where waiting_until is not null').run(by)
  db.sql('update lane set until = until - ?1, since = since - ?1').run(by)
  db.sql('update refused_model set trial_from = trial_from - ?1, since = since - ?1').run(by)
  db.sql('update exposure set since = since - ? where until is null').run(by)
  // Otherwise what an agent writes now would seem older than its worktree.
  db.sql('update worktree set ready_at = ready_at - ?').run(by)
  db.sql(MOVE_RUNS).run(by)
}

/** `now`: the time that it was set to. A pause that this ended ends now. */
export function clockSetForward(db: Database, by: number, now: number): void {
  const before = now - by
  db.sql('update lane set until = ?1 where until > ?2 and until < ?1').run(now, before)
  db.sql('update refused_model set trial_from = ?1 where trial_from > ?2 and trial_from < ?1').run(now, before)
  db.sql(`${MOVE_RUNS} and started_at <= ?2`).run(-by, before)
}

const MOVE_RUNS = `update run set started_at = started_at - ?1,
  figures = case when json_extract(figures, '$.lastEventAt') is null then figures
    else json_set(figures, '$.lastEventAt', json_extract(figures, '$.lastEventAt') - ?1) end
  where phase <> 'settled'`
