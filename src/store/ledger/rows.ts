import { type Figures, type Lane, NO_FIGURES, type Question, type Run, type TaskState } from '../../domain/run/run.ts'
import { waitKindOf } from '../../domain/run/wait-kind.ts'
import { AppError } from '../../errors.ts'

/** Ledger rows as the driver returns them: columns have the domain's names, structured values are JSON. */

export type RunRow = Omit<Run, 'proc' | 'namespace' | 'outcome' | 'next' | 'figures'> & {
  pid: number | null
  startTime: string | null
  bootId: string | null
  namespace: number
  outcome: string | null
  next: string | null
  figures: string
}

export const RUN_COLUMNS = `id, task, attempt, claimed_by as claimedBy, token, coder, model, lane, cwd,
  coalesce(project, cwd) as project, title, phase,
  started_at as startedAt, ended_at as endedAt, pid, start_time as startTime, boot_id as bootId, namespace, resumes, outcome, next, figures`

export function runOf({ pid, startTime, bootId, ...row }: RunRow): Run {
  return {
    ...row,
    proc: pid === null || startTime === null || bootId === null ? null : { pid, startTime, bootId },
    namespace: row.namespace === 1,
    outcome: row.outcome === null ? null : parsed(row.outcome),
    next: row.next === null ? null : parsed(row.next),
    // Figures that an older fleet did not record are read as not counted.
    figures: { ...NO_FIGURES, ...parsed<Partial<Figures>>(row.figures) },
  }
}

export type StateRow = Omit<TaskState, 'lastOutcome'> & { lastOutcome: string | null }

export const STATE_COLUMNS = `task, attempts, failures, stalls, hand_overs as handOvers, coder, model, session,
  waiting, waiting_kind as waitingKind, waiting_until as waitingUntil, waited_ms as waitedMs, last_outcome as lastOutcome`

export function stateOf(row: StateRow): TaskState {
  const state: TaskState = { ...row, lastOutcome: row.lastOutcome === null ? null : parsed(row.lastOutcome) }
  return { ...state, waitingKind: waitKindOf(state) }
}

export type QuestionRow = Omit<Question, 'options'> & { options: string }

export const QUESTION_COLUMNS = `id, task, run, asked_at as askedAt, text, options, suggestion,
  answered_at as answeredAt, answered_by as answeredBy, answer`

export function questionOf(row: QuestionRow): Question {
  return { ...row, options: parsed(row.options) }
}

export const REQUEST_COLUMNS = `id, kind, task, asked_by as "by", asked_at as askedAt, done_at as doneAt, ending, answer`

export const REFUSED_MODEL_COLUMNS = 'lane, model, reason, since, trial_from as trialFrom'

export type LaneRow = Omit<Lane, 'cap'> & { cap: number | null }

export const LANE_COLUMNS = 'name, state, until, code, reason, since, cap'

export function laneOf({ cap, ...row }: LaneRow): Lane {
  return cap === null ? row : { ...row, cap }
}

/** Only fleet writes these columns, so invalid JSON means that something else changed them. */
export function parsed<T>(text: string): T {
  try {
    return JSON.parse(text) as T
  } catch (error) {
    throw new AppError('queue', 'the store is damaged: a record of the ledger cannot be read', {
      hint: 'fleet doctor names the newest automatic backup and how to restore it',
      cause: error,
    })
  }
}
