import type { RefusedModel } from '../domain/fleet/refused-model.ts'
import type { SupervisorPlace } from '../domain/fleet/supervisor-place.ts'
import type { RecordedChanges } from '../domain/run/changes.ts'
import type { Outcome, OutcomeCode } from '../domain/run/outcome.ts'
import type { Receipt } from '../domain/run/receipt.ts'
import type {
  Figures,
  KeptLetter,
  Lane,
  Proc,
  Question,
  Request,
  Run,
  RunRecords,
  Seen,
  TaskState,
  Traces,
} from '../domain/run/run.ts'
import type { Worktree } from '../domain/run/worktree.ts'
import type { NextStep } from '../domain/task/next-step.ts'
import type { LandingRecords } from './landing-records.ts'
import type { MessageRecords } from './message-records.ts'
import type { ReviewRecords } from './review-records.ts'
import type { VerifyRecords } from './verify-records.ts'

/**
 * The record of runs, kept beside the queue in the home's own store. Synchronous: it is local, and the supervisor's
 * decisions must not interleave with its own writes. Each method is one transaction; `together` joins several into one.
 */
export interface Ledger {
  /** The decisions of people about the work of runs. */
  readonly reviews: ReviewRecords
  /** The processes of verifications. */
  readonly verify: VerifyRecords

  readonly landings: LandingRecords

  /** The messages of people for agents. */
  readonly messages: MessageRecords

  together<T>(work: () => T): T

  /** Before anything is started: what is not in the ledger does not run. Assigns the task's next attempt number. */
  begin(run: NewRun): Run
  launched(run: string, proc: Proc, how: Launched): void
  /** Before the run is asked to end: a supervisor that adopts it must know why. */
  stopping(run: string, want?: Outcome): void
  wanted(run: string): Outcome | undefined
  /** Its agent has gone, and its checks run. Does not undo a stop that has a reason. */
  checking(run: string): void
  progress(run: string, figures: Figures, seen?: Pick<Seen, 'stdout' | 'work' | 'named'>): void
  /** Its processes as a look has shown them, as text that `seen` returns. */
  familySeen(run: string, family: string): void
  seen(run: string): Seen
  recordsOf(run: string): RunRecords
  /** All that shall be kept: these replace the ones before. */
  keepLetters(run: string, letters: readonly KeptLetter[]): void
  /** Does nothing before the run has ended. */
  amendReceipt(run: string, receipt: Receipt): void
  /** For signatures of what agents can write. It is nowhere but in this store. */
  secret(): string
  /** Ends the run: outcome, figures, the task's new state, and its next step. */
  ended(run: string, end: RunEnd): void
  settled(run: string): void

  run(id: string): Run | undefined
  /** Not settled yet, oldest first. */
  openRuns(): readonly Run[]
  openRunOf(task: string): Run | undefined
  /** Oldest first. */
  runsOf(task: string): readonly Run[]
  /** Newest end first. */
  recentlyEnded(limit: number): readonly Run[]
  /** Those that had not ended at a time; of those that have ended since, the last ones. */
  runsSince(from: number, limit: number): readonly Run[]

  stateOf(task: string): TaskState
  saveState(state: TaskState): void
  /** Tasks that fleet itself makes wait, soonest first. */
  waiting(limit: number): readonly TaskState[]

  /** Tasks whose last attempt ended with this code. */
  endedWith(code: OutcomeCode): readonly TaskState[]

  /** A model's context window as its coder reported it in an earlier run; undefined: it never did. */
  contextWindow(coder: string, model: string): number | undefined
  saveContextWindow(coder: string, model: string, tokens: number): void

  lanes(): readonly Lane[]
  saveLane(lane: Lane): void
  refusedModels(): readonly RefusedModel[]
  refuseModel(refused: RefusedModel): void
  /** The model works: the refusal is forgotten. */
  acceptModel(accepted: Pick<RefusedModel, 'lane' | 'model'>): void

  ask(question: Pick<Question, 'task' | 'run' | 'askedAt' | 'text' | 'options' | 'suggestion'>): Question
  /** Answers the task's newest open question. undefined: there was none. */
  answer(task: string, given: { text: string; by: string; at: number }): Question | undefined
  questionsOf(task: string): readonly Question[]
  /** Oldest first. */
  openQuestions(): readonly Question[]

  /** Takes in what other machines know of the task. Returns the questions and answers that were new. */
  learn(state: TaskState, questions: readonly Question[]): readonly LearntQuestion[]

  request(kind: Request['kind'], task: string, by: string, at: number): Request
  requestById(id: number): Request | undefined
  pendingRequests(): readonly Request[]
  /** The first end counts. */
  endRequest(request: number, end: RequestEnd): void

  /** The author and time of `fleet pause`; undefined: claiming is not paused. */
  paused(): { readonly by: string; readonly at: number } | undefined
  pause(by: string, at: number): void
  resume(): void

  /** The worktree of a task; undefined: it has none, or none any more. */
  worktreeOf(task: string): Worktree | undefined
  /** Also those that are being removed. */
  worktrees(): readonly Worktree[]
  /** Before the worktree is made or changed. */
  saveWorktree(worktree: Worktree): void
  /** Does nothing if the task has got another one since its removal began. */
  forgetWorktree(task: string): void

  /** The supervisor of this home, for commands that ask whether an agent calls them. It stays until the next one. */
  supervisedBy(place: SupervisorPlace): void

  /** Changes with every commit of another process: the cheap way to ask whether anything is new. */
  version(): number
  /** The wall clock was set back by so much: waits end at the same moment as before, and runs keep their age. */
  clockSetBack(by: number): void
  /** The wall clock was set forward by so much, to `now`: runs keep their age, and a pause that this ended ends now. */
  clockSetForward(by: number, now: number): void
}

export interface Launched {
  readonly namespace: boolean
  /** launch.json. */
  readonly launch?: { readonly text: string; readonly sha256: string }
  /** Device and inode of the file that its stdout goes to. */
  readonly output?: string | undefined
}

export interface LearntQuestion {
  readonly question: Question
  /** The question was new here. */
  readonly asked: boolean
  /** The answer was new here. */
  readonly answered: boolean
}

export interface RequestEnd {
  readonly kind: NonNullable<Request['ending']>
  readonly at: number
  /** The answer, or the reason for the withdrawal, for the person who waits. */
  readonly text: string
}

export interface RunEnd {
  readonly at: number
  readonly outcome: Outcome
  readonly figures: Figures
  readonly changed?: RecordedChanges
  readonly touched?: readonly string[]
  readonly traces?: Traces
  readonly receipt?: Receipt
  readonly state: TaskState
  readonly next: NextStep | undefined
}

export type NewRun = Pick<
  Run,
  'id' | 'task' | 'claimedBy' | 'token' | 'coder' | 'model' | 'lane' | 'cwd' | 'title' | 'startedAt' | 'resumes'
> &
  /** Absent: the same as its cwd. */
  Partial<Pick<Run, 'project'>> &
  Pick<Seen, 'letterCheck'>
