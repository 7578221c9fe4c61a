import type { RecordedChanges } from '../domain/run/changes.ts'
import type { Outcome } from '../domain/run/outcome.ts'
import type {
  Figures,
  HashedPrefix,
  Lane,
  Proc,
  Question,
  Request,
  Run,
  Seen,
  Spent,
  TaskState,
} from '../domain/run/run.ts'
import type { NextStep } from '../domain/task/next-step.ts'

/**
 * The record of runs, kept beside the queue in the home's own store. Synchronous: it is local, and the supervisor's
 * decisions must not be interleaved with its own writes. Each method is one transaction; `together` makes one of many.
 */
export interface Ledger {
  together<T>(work: () => T): T

  /** Written before anything is started: what is not in the ledger does not run. Gives it the task's next attempt number. */
  begin(run: NewRun): Run
  launched(run: string, proc: Proc, how: { namespace: boolean; launch?: string }): void
  /** Before it is asked to end: a supervisor that adopts it must know what was wanted. */
  stopping(run: string, want?: Outcome): void
  wanted(run: string): Outcome | undefined
  /** Its agent has gone, and its checks run. Does not undo a stop that has a reason. */
  checking(run: string): void
  progress(run: string, figures: Figures, stdout?: HashedPrefix): void
  seen(run: string): Seen
  /** The run's last word: outcome, figures, and what its task is to become, whose new state is written with it. */
  ended(run: string, end: RunEnd): void
  settled(run: string): void

  run(id: string): Run | undefined
  /** Not settled yet, oldest first. */
  openRuns(): readonly Run[]
  openRunOf(task: string): Run | undefined
  /** Oldest first. */
  runsOf(task: string): readonly Run[]
  /** By the attempts that have ended. */
  spentOn(task: string): Spent
  /** Newest end first. */
  recentlyEnded(limit: number): readonly Run[]

  stateOf(task: string): TaskState
  saveState(state: TaskState): void
  /** Tasks that fleet itself keeps waiting, soonest first. */
  waiting(limit: number): readonly TaskState[]

  /** Of a model, as its coder told it in an earlier run; undefined: it never did. */
  contextWindow(coder: string, model: string): number | undefined
  saveContextWindow(coder: string, model: string, tokens: number): void

  lanes(): readonly Lane[]
  saveLane(lane: Lane): void

  ask(question: Pick<Question, 'task' | 'run' | 'askedAt' | 'text' | 'options' | 'suggestion'>): Question
  /** The newest open one of the task. undefined: there was none. */
  answer(task: string, given: { text: string; by: string; at: number }): Question | undefined
  questionsOf(task: string): readonly Question[]
  /** Oldest first. */
  openQuestions(): readonly Question[]

  /** What other machines know of the task: its state, and what was asked or answered there. Answers with what was new. */
  learn(state: TaskState, questions: readonly Question[]): readonly LearntQuestion[]

  request(kind: Request['kind'], task: string, by: string, at: number): Request
  requestById(id: number): Request | undefined
  pendingRequests(): readonly Request[]
  done(request: number, at: number, answer: string): void

  /** Whether claiming is stopped by `fleet pause`, by whom and since when. */
  paused(): { readonly by: string; readonly at: number } | undefined
  pause(by: string, at: number): void
  resume(): void

  /** Changes with every commit of another process: the cheap question whether there is anything to look at. */
  version(): number
  /** The wall clock was set back by so much: what waits for a moment of it waits no longer for that, and what began stays as old. */
  clockSetBack(by: number): void
}

export interface LearntQuestion {
  readonly question: Question
  /** It was not known here. */
  readonly asked: boolean
  /** Its answer was not. */
  readonly answered: boolean
}

export interface RunEnd {
  readonly at: number
  readonly outcome: Outcome
  readonly figures: Figures
  readonly changed?: RecordedChanges
  readonly state: TaskState
  readonly next: NextStep | undefined
}

export type NewRun = Pick<
  Run,
  'id' | 'task' | 'claimedBy' | 'token' | 'coder' | 'model' | 'lane' | 'cwd' | 'title' | 'startedAt' | 'resumes'
>
