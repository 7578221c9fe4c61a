import { type Comment, commentTime } from '../../domain/task/comment.ts'
import type { Dependency } from '../../domain/task/dependency.ts'
import type { HistoryEntry } from '../../domain/task/history.ts'
import { naturalKey } from '../../domain/task/id.ts'
import type { TaskRecord } from '../../domain/task/interchange.ts'
import type { Task } from '../../domain/task/task.ts'
import { rfc3339 } from '../../domain/task/time.ts'
import { AppError } from '../../errors.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { Clock, Millis } from '../../ports/clock.ts'
import type {
  AddDependencyResult,
  Claim,
  ClaimWish,
  CloseOptions,
  CloseResult,
  HeldLock,
  NewDependency,
  NextStep,
  ReopenResult,
  TakeResult,
  TaskDraft,
} from '../../ports/queue.ts'
import type {
  Amendment,
  AmendResult,
  BulkDependencyResult,
  CountGroup,
  IdMatch,
  ImportOptions,
  ImportReport,
  ListedTask,
  RemoveResult,
  Stats,
  TaskChange,
  TaskFilter,
  TaskQuery,
  TaskStore,
} from '../../ports/task-store.ts'
import { parentsFirst } from '../edge-rules.ts'
import { labelRegex } from '../label-match.ts'
import { orderOf } from '../order.ts'
import { type ListedRow, listedOf, withDueDeferralOpen } from '../row.ts'
import { amendTask } from './amend.ts'
import { blockedTasks } from './blocked.ts'
import { changeTask, closeTask, readTask, reopenTask } from './change.ts'
import {
  claimsBy,
  claimTasks,
  locksHeld,
  nextRetry,
  reclaim,
  renewLease,
  settleBlocked,
  settleClaim,
  takeTask,
} from './claims.ts'
import { LISTED_COLUMNS } from './columns.ts'
import { openDueDeferrals } from './deferral.ts'
import { addEdge, edgesOf, removeEdge } from './dependencies.ts'
import { whereOf } from './filter.ts'
import { historyOf, record } from './history.ts'
import { importRecords } from './import.ts'
import { exists, insertTask } from './insert.ts'
import { resolveId } from './lookup.ts'
import { closeCompletedMolecule } from './molecule.ts'
import { removeTasks } from './remove.ts'
import { countByGroup, countTasks, statsOf } from './stats.ts'
import { SqliteValues, setValue } from './values.ts'

export interface SqliteQueueOptions {
  readonly clock: Clock
  /** Called after every commit that could give another process work; a claim never does. */
  readonly committed?: () => void
  /** Called before tasks are deleted or may be overwritten. */
  readonly beforeLoss?: () => void
  /** Called before the store is closed. */
  readonly closing?: () => void
}

/** The local queue. Each method is one transaction; the files beside this one do the work. */
export class SqliteQueue implements TaskStore {
  readonly prefix: string
  readonly values: SqliteValues
  readonly #db: Database
  readonly #clock: Clock
  readonly #committed: () => void
  readonly #beforeLoss: () => void
  readonly #closing: () => void

  constructor(db: Database, options: SqliteQueueOptions) {
    this.#db = db
    this.values = new SqliteValues(db)
    this.#clock = options.clock
    this.#committed = options.committed ?? (() => {})
    this.#beforeLoss = options.beforeLoss ?? (() => {})
    this.#closing = options.closing ?? (() => {})
    this.prefix = db.once<{ value: string }>(`select value from meta where key = 'prefix'`).get()?.value ?? 'fleet'
    db.function('natural_id', (id) => naturalKey(String(id)))
    db.function('matches_regex', (pattern, text) => (labelRegex(String(pattern)).test(String(text)) ? 1 : 0))
  }

  get location(): string {
    return this.#db.path
  }

  async create(draft: TaskDraft, by: string): Promise<Task> {
    return this.#write((at) => readTask(this.#db, insertTask(this.#db, draft, { by, at, prefix: this.prefix })) as Task)
  }

  async get(id: string): Promise<Task | undefined> {
    return this.#db.guard(() => readTask(this.#db, id))
  }

  async ready(want: { limit: number }): Promise<readonly Task[]> {
    return this.#rows({ ready: true, assignee: '', sort: 'claim', limit: want.limit })
  }

  async claim(want: ClaimWish): Promise<readonly Claim[]> {
    const now = this.#clock.now()
    return this.#db.write(() => claimTasks(this.#db, want, { now, at: rfc3339(now) }))
  }

  async locksHeld(): Promise<readonly HeldLock[]> {
    return this.#db.guard(() => locksHeld(this.#db))
  }

  async claimsOf(by: string): Promise<readonly Claim[]> {
    return this.#db.guard(() => claimsBy(this.#db, by))
  }

  async clockSetBack(by: Millis): Promise<void> {
    this.#db.write(() =>
      this.#db.sql('update task set not_before = not_before - ? where not_before is not null').run(by),
    )
  }

  async nextRetryAt(): Promise<Millis | undefined> {
    const now = this.#clock.now()
    return this.#db.guard(() => nextRetry(this.#db, { now, at: rfc3339(now) }))
  }

  async renew(claim: Claim, leaseMs: number): Promise<boolean> {
    return this.#db.write(() => renewLease(this.#db, claim, this.#clock.now() + leaseMs))
  }

  async settle(claim: Claim, next: NextStep): Promise<boolean> {
    return this.#settle(claim, next, (at) => settleClaim(this.#db, claim, next, at))
  }

  async settleBlocked(claim: Claim, next: NextStep, { remove }: { remove: readonly string[] }): Promise<boolean> {
    return this.#settle(claim, next, (at) => settleBlocked(this.#db, claim, next, { at, remove }))
  }

  #settle(claim: Claim, next: NextStep, settle: (at: string) => ReturnType<typeof settleClaim>): boolean {
    const at = this.#at()
    const done = this.#db.write(() => {
      const settled = settle(at)
      if (settled === 'stale' || next.to !== 'closed') return settled
      return closeCompletedMolecule(this.#db, claim.id, { by: claim.by, at }) === undefined ? settled : 'freed'
    })
    // Most closes make no task ready. Touching the wake file for them would cost a tenth of the close.
    if (done === 'freed') this.#committed()
    return done !== 'stale'
  }

  async reclaimExpired(): Promise<readonly string[]> {
    return this.#write((at, now) => reclaim(this.#db, { now, at }))
  }

  async take(id: string, by: string): Promise<TakeResult> {
    return this.#write((at) => {
      openDueDeferrals(this.#db, at)
      return takeTask(this.#db, id, { by, at })
    })
  }

  async close(id: string, how: CloseOptions, by: string): Promise<CloseResult> {
    return this.#write((at) => {
      const result = closeTask(this.#db, id, how, { by, at })
      if (result.kind !== 'closed' && result.kind !== 'already') return result
      const molecule = closeCompletedMolecule(this.#db, id, { by, at })
      return molecule === undefined ? result : { ...result, molecule }
    })
  }

  async reopen(id: string, how: { reason?: string }, by: string): Promise<ReopenResult> {
    return this.#write((at) => reopenTask(this.#db, id, how, { by, at }))
  }

  async addDependency(edge: NewDependency, by: string): Promise<AddDependencyResult> {
    return this.#write((at) => addEdge(this.#db, edge, by, at))
  }

  async comment(id: string, text: string, by: string): Promise<void> {
    await this.addComment(id, { author: by, text })
  }

  async resolve(text: string): Promise<IdMatch> {
    return this.#db.guard(() => resolveId(this.#db, text, this.prefix))
  }

  async *find(query: TaskQuery): AsyncIterable<ListedTask> {
    const { statement, args, taskOf } = this.#select(query)
    for (const row of statement.iterate(...args)) yield taskOf(row)
  }

  async count(filter: TaskFilter): Promise<number> {
    return this.#db.guard(() => countTasks(this.#db, whereOf(filter, this.#clock.now())))
  }

  async countBy(filter: TaskFilter, by: CountGroup): Promise<readonly { group: string; count: number }[]> {
    return this.#db.guard(() => countByGroup(this.#db, whereOf(filter, this.#clock.now()), by))
  }

  async stats(): Promise<Stats> {
    return this.#db.read(() => statsOf(this.#db, whereOf({ ready: true }, this.#clock.now())))
  }

  async edges(ids: readonly string[], direction: 'down' | 'up'): Promise<readonly Dependency[]> {
    return this.#db.guard(() => edgesOf(this.#db, ids, direction))
  }

  async comments(id: string): Promise<readonly Comment[]> {
    return this.#db.guard(() =>
      this.#db
        .sql<Comment>(
          'select id, issue_id, author, text, created_at from comment where issue_id = ? order by created_at, rowid',
        )
        .all(id),
    )
  }

  async history(id: string): Promise<readonly HistoryEntry[]> {
    return this.#db.guard(() => historyOf(this.#db, id))
  }

  async blocked(filter: TaskFilter): Promise<readonly { task: ListedTask; blockedBy: readonly string[] }[]> {
    return this.#db.read(() => blockedTasks(this.#db, whereOf(filter, this.#clock.now())))
  }

  async labels(): Promise<readonly { label: string; count: number }[]> {
    return this.#db.guard(() =>
      this.#db
        .sql<{ label: string; count: number }>(
          'select label, count(*) as count from label group by label order by label',
        )
        .all(),
    )
  }

  async takeNext(query: TaskQuery, by: string): Promise<ListedTask | undefined> {
    return this.#write((at) => {
      openDueDeferrals(this.#db, at)
      const [next] = this.#rows({ ...query, ready: true, assignee: '', limit: 1 })
      if (next === undefined || takeTask(this.#db, next.id, { by, at }).kind !== 'taken') return undefined
      return this.#rows({ ids: [next.id] })[0]
    })
  }

  async update(id: string, change: TaskChange, by: string): Promise<Task | undefined> {
    return this.#write((at) => changeTask(this.#db, id, change, { by, at }))
  }

  async amend(id: string, amendment: Amendment, by: string): Promise<AmendResult> {
    return this.#write((at) => {
      if (amendment.claim === true) openDueDeferrals(this.#db, at)
      return amendTask(this.#db, id, amendment, { by, at })
    })
  }

  async remove(ids: readonly string[], by: string): Promise<RemoveResult> {
    this.#beforeLoss()
    return this.#write((at) => removeTasks(this.#db, ids, { by, at }))
  }

  async addDependencies(edges: readonly NewDependency[], by: string): Promise<BulkDependencyResult> {
    const refused = Symbol('refused')
    let why: BulkDependencyResult = { kind: 'added', added: 0 }
    try {
      return this.#write((at) => {
        let added = 0
        for (const edge of parentsFirst(edges)) {
          const result = addEdge(this.#db, edge, by, at)
          if (result.kind === 'added') added++
          else if (result.kind !== 'already') {
            why = { kind: 'refused', edge, why: result }
            throw refused
          }
        }
        return { kind: 'added', added }
      })
    } catch (error) {
      if (error === refused) return why
      throw error
    }
  }

  async removeDependency(edge: { issue_id: string; depends_on_id: string }, by: string): Promise<boolean> {
    return this.#write((at) => removeEdge(this.#db, edge, by, at))
  }

  async addComment(id: string, { author, text }: { author: string; text: string }): Promise<Comment> {
    return this.#write((at) => {
      if (!exists(this.#db, id)) throw new AppError('not-found', `issue ${id} not found`)
      const last =
        this.#db.sql<{ at: string | null }>('select max(created_at) as at from comment where issue_id = ?').get(id)
          ?.at ?? null
      const comment: Comment = {
        id: crypto.randomUUID(),
        issue_id: id,
        author,
        text,
        created_at: commentTime(last, at),
      }
      this.#db
        .sql('insert into comment (id, issue_id, author, text, created_at) values (?, ?, ?, ?, ?)')
        .run(comment.id, id, author, text, comment.created_at)
      record(this.#db, { task: id, at, actor: author, kind: 'commented' })
      return comment
    })
  }

  async import(records: Iterable<TaskRecord>, how: ImportOptions, by: string): Promise<ImportReport> {
    if (how.dryRun !== true) this.#beforeLoss()
    const undo = Symbol('a dry run leaves nothing behind')
    let report: ImportReport | undefined
    try {
      return this.#write((at) => {
        report = importRecords(this.#db, records, { ...how, by, at, prefix: this.prefix })
        for (const [key, value] of how.values ?? []) setValue(this.#db, key, value)
        if (how.dryRun === true) throw undo
        return report
      })
    } catch (error) {
      if (error === undo && report !== undefined) return report
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing()
    this.#db[Symbol.dispose]()
  }

  #rows(query: TaskQuery): ListedTask[] {
    const { statement, args, taskOf } = this.#select(query)
    return this.#db.guard(() => statement.all(...args).map(taskOf))
  }

  #select(query: TaskQuery) {
    const now = this.#clock.now()
    const where = whereOf(query, now)
    const everything = -1
    const limit = query.limit === undefined || query.limit <= 0 ? everything : Math.trunc(query.limit)
    const statement = this.#db.once<ListedRow>(
      `select ${LISTED_COLUMNS} from task where ${where.sql} order by ${orderOf(query, { now, naturalId: 'natural_id(task.id)' })} limit ?`,
    )
    return { statement, args: [...where.args, limit], taskOf: query.ready === true ? withDueDeferralOpen : listedOf }
  }

  #at(): string {
    return rfc3339(this.#clock.now())
  }

  #write<T>(work: (at: string, now: number) => T): T {
    const now = this.#clock.now()
    const result = this.#db.write(() => work(rfc3339(now), now))
    this.#committed()
    return result
  }
}
