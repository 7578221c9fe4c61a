import type { RefusedModel } from '../../domain/fleet/refused-model.ts'
import type { SupervisorPlace } from '../../domain/fleet/supervisor-place.ts'
import type { Outcome, OutcomeCode } from '../../domain/run/outcome.ts'
import type { Receipt } from '../../domain/run/receipt.ts'
import {
  type Figures,
  freshState,
  type KeptLetter,
  type Lane,
  type Proc,
  type Question,
  type Request,
  type Run,
  type RunRecords,
  type Seen,
  type TaskState,
} from '../../domain/run/run.ts'
import type { Worktree } from '../../domain/run/worktree.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { LandingRecords } from '../../ports/landing-records.ts'
import type { Launched, LearntQuestion, Ledger, NewRun, RequestEnd, RunEnd } from '../../ports/ledger.ts'
import type { MessageRecords } from '../../ports/message-records.ts'
import type { ReviewRecords } from '../../ports/review-records.ts'
import type { VerifyRecords } from '../../ports/verify-records.ts'
import { clockSetBack, clockSetForward } from './clock.ts'
import { recordSupervisor } from './fence-records.ts'
import { landingRecords } from './landing-records.ts'
import { learnQuestions } from './learn.ts'
import { messageRecords } from './messages.ts'
import { amendReceipt, keepLetters, recordsOf, secretOf } from './records.ts'
import { reviewRecords } from './reviews.ts'
import {
  LANE_COLUMNS,
  type LaneRow,
  laneOf,
  parsed,
  QUESTION_COLUMNS,
  type QuestionRow,
  questionOf,
  REFUSED_MODEL_COLUMNS,
  REQUEST_COLUMNS,
  STATE_COLUMNS,
  type StateRow,
  stateOf,
} from './rows.ts'
import {
  beginRun,
  RUN_QUERIES,
  readRun,
  runChecking,
  runEnded,
  runFamily,
  runLaunched,
  runProgress,
  runSettled,
  runStopping,
  runs,
  runsSince,
  seenOf,
  wantedOf,
} from './runs.ts'
import { verifyRecords } from './verify-records.ts'
import { deleteWorktree, readWorktree, readWorktrees, writeWorktree } from './worktrees.ts'

export interface SqliteLedgerOptions {
  /** Called after a commit that a supervisor should react to. */
  readonly committed?: () => void
}

/** The ledger in the home's own store. It may share its connection with the local queue. */
export class SqliteLedger implements Ledger, Disposable {
  readonly reviews: ReviewRecords
  readonly messages: MessageRecords
  readonly landings: LandingRecords
  readonly verify: VerifyRecords
  readonly #db: Database
  readonly #committed: () => void
  #together = false
  #asked = false
  #secret: string | undefined

  constructor(db: Database, options: SqliteLedgerOptions = {}) {
    this.#db = db
    this.reviews = reviewRecords(db)
    this.landings = landingRecords(db, () => this.#wake())
    this.messages = messageRecords(db, () => this.#wake())
    this.#committed = options.committed ?? (() => {})
    this.verify = verifyRecords(db)
  }

  together<T>(work: () => T): T {
    if (this.#together) return work()
    this.#together = true
    try {
      const result = this.#db.write(work)
      if (this.#asked) this.#committed()
      return result
    } finally {
      this.#together = this.#asked = false
    }
  }

  begin(run: NewRun): Run {
    return this.#db.write(() => beginRun(this.#db, run))
  }

  launched(run: string, proc: Proc, how: Launched): void {
    this.#db.write(() => runLaunched(this.#db, run, proc, how))
  }

  stopping(run: string, want?: Outcome): void {
    this.#db.write(() => runStopping(this.#db, run, want))
  }

  wanted(run: string): Outcome | undefined {
    return this.#db.guard(() => wantedOf(this.#db, run))
  }

  checking(run: string): void {
    this.#db.write(() => runChecking(this.#db, run))
  }

  familySeen(run: string, family: string): void {
    this.#db.write(() => runFamily(this.#db, run, family))
  }

  progress(run: string, figures: Figures, seen: Pick<Seen, 'stdout' | 'work' | 'named'> = {}): void {
    this.#db.write(() => runProgress(this.#db, run, { figures, seen }))
  }

  seen(run: string): Seen {
    return this.#db.guard(() => seenOf(this.#db, run))
  }

  recordsOf(run: string): RunRecords {
    return this.#db.guard(() => recordsOf(this.#db, run))
  }

  keepLetters(run: string, letters: readonly KeptLetter[]): void {
    this.#db.write(() => keepLetters(this.#db, run, letters))
  }

  amendReceipt(run: string, receipt: Receipt): void {
    this.#db.write(() => amendReceipt(this.#db, run, receipt))
  }

  worktreeOf(task: string): Worktree | undefined {
    return this.#db.guard(() => readWorktree(this.#db, task))
  }

  worktrees(): readonly Worktree[] {
    return this.#db.guard(() => readWorktrees(this.#db))
  }

  saveWorktree(worktree: Worktree): void {
    this.#db.write(() => writeWorktree(this.#db, worktree))
  }

  forgetWorktree(task: string): void {
    this.#db.write(() => deleteWorktree(this.#db, task))
  }

  secret(): string {
    this.#secret ??= secretOf(this.#db)
    return this.#secret
  }

  ended(run: string, end: RunEnd): void {
    this.#db.write(() => {
      if (runEnded(this.#db, run, end)) this.saveState(end.state)
    })
  }

  settled(run: string): void {
    this.#db.write(() => runSettled(this.#db, run))
  }

  run(id: string): Run | undefined {
    return this.#db.guard(() => readRun(this.#db, id))
  }

  openRuns(): readonly Run[] {
    return this.#db.guard(() => runs(this.#db, RUN_QUERIES.open))
  }

  openRunOf(task: string): Run | undefined {
    return this.#db.guard(() => runs(this.#db, RUN_QUERIES.openOf, task)[0])
  }

  runsOf(task: string): readonly Run[] {
    return this.#db.guard(() => runs(this.#db, RUN_QUERIES.of, task))
  }

  recentlyEnded(limit: number): readonly Run[] {
    return this.#db.guard(() => runs(this.#db, RUN_QUERIES.ended, limit))
  }

  runsSince(from: number, limit: number): readonly Run[] {
    return this.#db.guard(() => runsSince(this.#db, from, limit))
  }

  stateOf(task: string): TaskState {
    const row = this.#db.guard(() =>
      this.#db.sql<StateRow>(`select ${STATE_COLUMNS} from task_state where task = ?`).get(task),
    )
    return row === undefined ? freshState(task) : stateOf(row)
  }

  saveState(state: TaskState): void {
    const { task, attempts, failures, stalls, handOvers, coder, model, session } = state
    const outcome = state.lastOutcome === null ? null : JSON.stringify(state.lastOutcome)
    const waits = [state.waiting, state.waitingKind, state.waitingUntil, state.waitedMs] as const
    this.#db.write(() =>
      this.#db
        .sql(
          `insert or replace into task_state (task, attempts, failures, stalls, hand_overs, coder, model, session,
             waiting, waiting_kind, waiting_until, waited_ms, last_outcome) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(task, attempts, failures, stalls, handOvers, coder, model, session, ...waits, outcome),
    )
  }

  waiting(limit: number): readonly TaskState[] {
    return this.#db.guard(() =>
      this.#db
        .sql<StateRow>(
          `select ${STATE_COLUMNS} from task_state where waiting is not null
           order by waiting_until is null, waiting_until, task limit ?`,
        )
        .all(limit)
        .map(stateOf),
    )
  }

  endedWith(code: OutcomeCode): readonly TaskState[] {
    const sql = `select ${STATE_COLUMNS} from task_state where last_outcome ->> '$.code' = ? order by task`
    return this.#db.guard(() => this.#db.sql<StateRow>(sql).all(code).map(stateOf))
  }

  contextWindow(coder: string, model: string): number | undefined {
    const sql = 'select tokens from context_window where coder = ? and model = ?'
    return this.#db.guard(() => this.#db.sql<{ tokens: number }>(sql).get(coder, model)?.tokens)
  }

  saveContextWindow(coder: string, model: string, tokens: number): void {
    const sql = 'insert or replace into context_window (coder, model, tokens) values (?, ?, ?)'
    this.#db.write(() => this.#db.sql(sql).run(coder, model, tokens))
  }

  lanes(): readonly Lane[] {
    return this.#db.guard(() =>
      this.#db.sql<LaneRow>(`select ${LANE_COLUMNS} from lane order by name`).all().map(laneOf),
    )
  }

  saveLane({ name, state, until, code, reason, since, cap }: Lane): void {
    this.#writeAndWake(() =>
      this.#db
        .sql(`insert or replace into lane (${LANE_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)`)
        .run(name, state, until, code, reason, since, cap ?? null),
    )
  }

  refusedModels(): readonly RefusedModel[] {
    const sql = `select ${REFUSED_MODEL_COLUMNS} from refused_model order by lane, model`
    return this.#db.guard(() => this.#db.sql<RefusedModel>(sql).all())
  }

  refuseModel({ lane, model, reason, since, trialFrom }: RefusedModel): void {
    const sql = 'insert or replace into refused_model (lane, model, reason, since, trial_from) values (?, ?, ?, ?, ?)'
    this.#writeAndWake(() => this.#db.sql(sql).run(lane, model, reason, since, trialFrom))
  }

  acceptModel({ lane, model }: Pick<RefusedModel, 'lane' | 'model'>): void {
    this.#writeAndWake(() => this.#db.sql('delete from refused_model where lane = ? and model = ?').run(lane, model))
  }

  ask(question: Pick<Question, 'task' | 'run' | 'askedAt' | 'text' | 'options' | 'suggestion'>): Question {
    const { task, run, askedAt, text, options, suggestion } = question
    const row = this.#db.write(() =>
      this.#db
        .sql<QuestionRow>(
          `insert into question (task, run, asked_at, text, options, suggestion) values (?, ?, ?, ?, ?, ?)
           returning ${QUESTION_COLUMNS}`,
        )
        .get(task, run, askedAt, text, JSON.stringify(options), suggestion),
    )
    return questionOf(row as QuestionRow)
  }

  answer(task: string, given: { text: string; by: string; at: number }): Question | undefined {
    const row = this.#writeAndWake(() =>
      this.#db
        .sql<QuestionRow>(
          `update question set answered_at = ?, answered_by = ?, answer = ?
           where id = (select max(id) from question where task = ? and answered_at is null) returning ${QUESTION_COLUMNS}`,
        )
        .get(given.at, given.by, given.text, task),
    )
    return row === undefined ? undefined : questionOf(row)
  }

  questionsOf(task: string): readonly Question[] {
    return this.#questions('where task = ? order by id', task)
  }

  openQuestions(): readonly Question[] {
    return this.#questions('where answered_at is null order by id')
  }

  learn(state: TaskState, questions: readonly Question[]): readonly LearntQuestion[] {
    return this.#db.write(() => {
      this.saveState(state)
      return learnQuestions(this.#db, this.questionsOf(state.task), questions)
    })
  }

  request(kind: Request['kind'], task: string, by: string, at: number): Request {
    const insert = `insert into request (kind, task, asked_by, asked_at) values (?, ?, ?, ?) returning ${REQUEST_COLUMNS}`
    return this.#writeAndWake(() => this.#db.sql<Request>(insert).get(kind, task, by, at)) as Request
  }

  requestById(id: number): Request | undefined {
    return this.#db.guard(() => this.#db.sql<Request>(`select ${REQUEST_COLUMNS} from request where id = ?`).get(id))
  }

  pendingRequests(): readonly Request[] {
    return this.#db.guard(() =>
      this.#db.sql<Request>(`select ${REQUEST_COLUMNS} from request where done_at is null order by id`).all(),
    )
  }

  endRequest(request: number, { kind, at, text }: RequestEnd): void {
    this.#db.write(() =>
      this.#db
        .sql('update request set done_at = ?, ending = ?, answer = ? where id = ? and done_at is null')
        .run(at, kind, text, request),
    )
  }

  paused(): { readonly by: string; readonly at: number } | undefined {
    const row = this.#db.guard(() =>
      this.#db.sql<{ value: string }>(`select value from control where key = 'paused'`).get(),
    )
    return row === undefined ? undefined : parsed(row.value)
  }

  pause(by: string, at: number): void {
    this.#writeAndWake(() =>
      // A second pause keeps the name and time of the first.
      this.#db.sql(`insert or ignore into control (key, value) values ('paused', ?)`).run(JSON.stringify({ by, at })),
    )
  }

  resume(): void {
    this.#writeAndWake(() => this.#db.sql(`delete from control where key = 'paused'`).run())
  }

  supervisedBy(place: SupervisorPlace): void {
    this.#db.write(() => recordSupervisor(this.#db, place))
  }

  version(): number {
    return this.#db.guard(() => this.#db.sql<{ data_version: number }>('pragma data_version').get()?.data_version ?? 0)
  }

  clockSetBack(by: number): void {
    this.#db.write(() => clockSetBack(this.#db, by))
  }

  clockSetForward(by: number, now: number): void {
    this.#db.write(() => clockSetForward(this.#db, by, now))
  }

  [Symbol.dispose](): void {
    this.#db[Symbol.dispose]()
  }

  #questions(which: string, ...args: readonly string[]): Question[] {
    return this.#db.guard(() =>
      this.#db
        .sql<QuestionRow>(`select ${QUESTION_COLUMNS} from question ${which}`)
        .all(...args)
        .map(questionOf),
    )
  }

  /** A write that should wake a supervisor once it is committed. */
  #writeAndWake<T>(work: () => T): T {
    const result = this.#db.write(work)
    this.#wake()
    return result
  }

  #wake(): void {
    if (this.#together) this.#asked = true
    else this.#committed()
  }
}
