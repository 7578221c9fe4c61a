import { type Outcome, RULES } from '../run/outcome.ts'
import { freshState, type Question, type TaskState } from '../run/run.ts'
import type { NextStep } from '../task/next-step.ts'
import { sameHome } from './claimer.ts'

/** What every machine knows of a task, beside the task itself: it travels with it from one to the next. */
export interface SharedRecord {
  readonly task: string
  /** Who claimed it for its last attempt: there its session and its files are. '': nobody has run it yet. */
  readonly host: string
  /** What people call that machine. */
  readonly machine: string
  readonly state: TaskState
  /** What its last run made of it. */
  readonly next: NextStep | null
  /** Oldest first. A run asks once, so the run tells them apart; their ids mean something in one home only. */
  readonly questions: readonly Question[]
}

/** What one machine has to say, on top of what is recorded: an answer that anybody gave stays given. */
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

/** A session can only be gone on with where its coder keeps it. */
export function stateAt({ host, state }: SharedRecord, claimer: string): TaskState {
  return sameHome(host, claimer) ? state : { ...state, session: null }
}

export function isOpen({ answeredAt }: Question): boolean {
  return answeredAt === null
}

/** The newest open one is answered, as in the ledger; undefined: there is none. */
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

/** As another machine wrote it, perhaps with another version of fleet: what is not there reads as not known. */
export function recordFrom(task: string, written: Partial<SharedRecord>): SharedRecord {
  const state = { ...freshState(task), ...written.state, task }
  return {
    task,
    host: written.host ?? '',
    machine: written.machine ?? '',
    state: { ...state, lastOutcome: state.lastOutcome === null ? null : knownOutcome(state.lastOutcome) },
    next: written.next ?? null,
    questions: (written.questions ?? []).map((question) => ({ ...question, task })),
  }
}

function knownOutcome(outcome: Outcome): Outcome {
  return Object.hasOwn(RULES, outcome.code) ? outcome : { ...outcome, code: 'error' }
}
