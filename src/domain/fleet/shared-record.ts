import { type Outcome, RULES } from '../run/outcome.ts'
import { freshState, type Question, type TaskState } from '../run/run.ts'
import { waitKindOf } from '../run/wait-kind.ts'
import type { NextStep } from '../task/next-step.ts'
import { sameHome } from './claimer.ts'

/** The state of a task that travels with it from machine to machine. */
export interface SharedRecord {
  readonly task: string
  /** The claimer of its last attempt, whose machine has its session and files. '' before the first attempt. */
  readonly host: string
  /** That machine's name. */
  readonly machine: string
  readonly state: TaskState
  /** The next step decided by its last run. */
  readonly next: NextStep | null
  /** Oldest first. A run asks only once, so its run identifies a question; question ids are valid in one home only. */
  readonly questions: readonly Question[]
}

/** Replaces the stored record with this machine's, but keeps every answer given on another machine. */
export function mergedRecord(current: SharedRecord | undefined, mine: SharedRecord): SharedRecord {
  return { ...mine, questions: mergedQuestions(current?.questions ?? [], mine.questions) }
}

export function mergedQuestions(recorded: readonly Question[], own: readonly Question[]): readonly Question[] {
  const byRun = new Map(recorded.map((question) => [question.run, question]))
  for (const question of own) {
    const known = byRun.get(question.run)
    if (known === undefined || isOpen(known)) byRun.set(question.run, { ...question, id: known?.id ?? question.id })
  }
  return [...byRun.values()].sort((a, b) => a.askedAt - b.askedAt)
}

/** Drops the session of another home: a coder's session can only be resumed where it was created. */
export function stateAt({ host, state }: SharedRecord, claimer: string): TaskState {
  return sameHome(host, claimer) ? state : { ...state, session: null }
}

export function isOpen({ answeredAt }: Question): boolean {
  return answeredAt === null
}

/** Answers the newest open question, as the ledger does; undefined if there is none. */
export function withAnswer(
  record: SharedRecord,
  { text, by, at }: { text: string; by: string; at: number },
): SharedRecord | undefined {
  const newest = record.questions.findLastIndex(isOpen)
  if (newest === -1) return undefined
  const questions = record.questions.map((question, i) =>
    i === newest ? { ...question, answer: text, answeredBy: by, answeredAt: at } : question,
  )
  return { ...record, questions }
}

/** Reads a record that another machine wrote, perhaps with another version of fleet. Missing fields get defaults. */
export function recordFrom(task: string, written: Partial<SharedRecord>): SharedRecord {
  const state = { ...freshState(task), ...written.state, task }
  return {
    task,
    host: written.host ?? '',
    machine: written.machine ?? '',
    state: {
      ...state,
      waitingKind: waitKindOf(state),
      lastOutcome: state.lastOutcome === null ? null : knownOutcome(state.lastOutcome),
    },
    next: written.next ?? null,
    questions: (written.questions ?? []).map((question) => ({ ...question, task })),
  }
}

function knownOutcome(outcome: Outcome): Outcome {
  return Object.hasOwn(RULES, outcome.code) ? outcome : { ...outcome, code: 'error' }
}
