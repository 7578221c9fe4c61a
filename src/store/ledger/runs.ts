import type { Outcome } from '../../domain/run/outcome.ts'
import { type Figures, NO_FIGURES, type Proc, type Run, type Seen } from '../../domain/run/run.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { Launched, NewRun, RunEnd } from '../../ports/ledger.ts'
import { keepLaunch, keepReceipt } from './records.ts'
import { parsed, RUN_COLUMNS, type RunRow, runOf } from './rows.ts'

/**
 * The life cycle of a run in the store. Every step is conditional on the phase, so that a late write cannot undo a decision:
 * a run ends once, and its figures do not change afterwards.
 */

/** Counts attempts made here and attempts learnt from other machines. */
const NEXT_ATTEMPT = `1 + max(coalesce((select max(attempt) from run where task = ?2), 0),
  coalesce((select attempts from task_state where task = ?2), 0))`

const BEGIN = `
  insert into run (id, task, attempt, claimed_by, token, coder, model, lane, cwd, project, title, phase, started_at, resumes,
    figures, evidence)
  values (?1, ?2, ${NEXT_ATTEMPT}, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'launching', ?11, ?12, ?13,
    iif(?14 is null, null, json_object('letterCheck', ?14)))`

/** Ends the task's waiting. Later attempts use the same coder and model. */
const BEGUN = `
  insert into task_state (task, attempts, failures, stalls, hand_overs, coder, model)
  values (?1, (select max(attempt) from run where task = ?1), 0, 0, 0, ?2, ?3)
  on conflict (task) do update set attempts = excluded.attempts, coder = excluded.coder, model = excluded.model,
    waiting = null, waiting_kind = null, waiting_until = null`

export function beginRun(db: Database, { letterCheck, ...run }: NewRun): Run {
  const { id, task, claimedBy, token, coder, model, lane, cwd, project = cwd, title, startedAt, resumes } = run
  const figures = JSON.stringify(NO_FIGURES)
  const of = [id, task, claimedBy, token, coder, model, lane, cwd, project, title, startedAt, resumes] as const
  db.sql(BEGIN).run(...of, figures, letterCheck ?? null)
  db.sql(BEGUN).run(task, coder, model)
  const { attempt } = db.sql<{ attempt: number }>('select attempt from run where id = ?').get(id) as { attempt: number }
  return {
    ...run,
    project,
    attempt,
    phase: 'launching',
    endedAt: null,
    proc: null,
    namespace: false,
    outcome: null,
    next: null,
    figures: NO_FIGURES,
  }
}

const UNENDED = `phase in ('launching', 'running', 'stopping', 'checking')`

const LAUNCHED = `
  update run set phase = case phase when 'launching' then 'running' else phase end,
    pid = ?, start_time = ?, boot_id = ?, namespace = ?,
    evidence = json_patch(coalesce(evidence, '{}'), ?) where id = ? and ${UNENDED}`

export function runLaunched(db: Database, id: string, proc: Proc, { namespace, launch, output }: Launched): void {
  const evidence = { keyed: true, launch: launch?.sha256, output }
  db.sql(LAUNCHED).run(proc.pid, proc.startTime, proc.bootId, namespace ? 1 : 0, JSON.stringify(evidence), id)
  if (launch !== undefined) keepLaunch(db, id, launch.text)
}

/** Stores the latest reason; the run machine decides which of several counts. */
export function runStopping(db: Database, id: string, want: Outcome | undefined): void {
  const json = want === undefined ? null : JSON.stringify(want)
  db.sql(`update run set phase = 'stopping', want = coalesce(?, want) where id = ? and ${UNENDED}`).run(json, id)
}

export function wantedOf(db: Database, id: string): Outcome | undefined {
  const want = db.sql<{ want: string | null }>('select want from run where id = ?').get(id)?.want ?? null
  return want === null ? undefined : parsed(want)
}

export function runChecking(db: Database, id: string): void {
  db.sql(`update run set phase = 'checking' where id = ? and want is null and ${UNENDED}`).run(id)
}

const PROGRESS = `
  update run set figures = ?,
    evidence = case when ?2 = '{}' then evidence else json_patch(coalesce(evidence, '{}'), ?2) end
  where id = ?3 and ${UNENDED}`

export function runProgress(
  db: Database,
  id: string,
  { figures, seen }: { figures: Figures; seen: Pick<Seen, 'stdout' | 'work' | 'named'> },
): void {
  db.sql(PROGRESS).run(JSON.stringify(figures), JSON.stringify(seen), id)
}

/** In the store, and not in the run's folder: an agent could write there. */
export function runFamily(db: Database, id: string, family: string): void {
  const FAMILY = `update run set evidence = json_set(coalesce(evidence, '{}'), '$.family', ?) where id = ? and ${UNENDED}`
  db.sql(FAMILY).run(family, id)
}

export function seenOf(db: Database, id: string): Seen {
  const evidence = db.sql<{ evidence: string | null }>('select evidence from run where id = ?').get(id)?.evidence
  const { launch, ...rest } =
    evidence == null ? {} : parsed<Omit<Seen, 'launch'> & { launch?: string | null }>(evidence)
  return { ...(launch == null ? {} : { launch }), ...rest }
}

const ENDED = `
  update run set phase = 'ended', ended_at = ?1, outcome = ?2, next = ?3, figures = ?4,
    evidence = case when ?5 = '{}' then evidence else json_patch(coalesce(evidence, '{}'), ?5) end
  where id = ?6 and ${UNENDED}`

/** false: the run had already ended. */
export function runEnded(db: Database, id: string, { at, ...end }: RunEnd): boolean {
  const { outcome, next, figures, changed, touched, traces, receipt } = end
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value))
  const seen = json({ changed, touched, ...traces })
  const isEnded = db.sql(ENDED).run(at, json(outcome), json(next), json(figures), seen, id).changes === 1
  if (isEnded && receipt !== undefined) keepReceipt(db, id, receipt)
  return isEnded
}

export function amendEnd(db: Database, id: string, { outcome, next }: Pick<Run, 'outcome' | 'next'>): void {
  const sql = `update run set outcome = ?, next = ? where id = ? and phase in ('ended', 'settled')`
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
  db.sql(sql).run(json(outcome), json(next), id)
}

export function runSettled(db: Database, id: string): void {
  db.sql(`update run set phase = 'settled' where id = ? and phase = 'ended'`).run(id)
}

export function readRun(db: Database, id: string): Run | undefined {
  return runs(db, 'where id = ?', id)[0]
}

/** Literal SQL that matches the conditions of the partial indexes. */
export const RUN_QUERIES = {
  open: `where phase <> 'settled' order by seq`,
  openOf: `where task = ? and phase <> 'settled' order by attempt desc limit 1`,
  of: 'where task = ? order by attempt',
  ended: 'where ended_at is not null order by ended_at desc, seq desc limit ?',
  endedSince: 'where ended_at >= ? order by ended_at desc limit ?',
} as const

export function runsSince(db: Database, from: number, limit: number): Run[] {
  const open = runs(db, RUN_QUERIES.open).filter(({ endedAt }) => endedAt === null)
  return [...open, ...runs(db, RUN_QUERIES.endedSince, from, limit)]
}

export function runs(db: Database, which: string, ...args: readonly (string | number)[]): Run[] {
  return db
    .sql<RunRow>(`select ${RUN_COLUMNS} from run ${which}`)
    .all(...args)
    .map(runOf)
}
