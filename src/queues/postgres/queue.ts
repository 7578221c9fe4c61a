import type { Comment } from '../../domain/task/comment.ts'
import type { Dependency } from '../../domain/task/dependency.ts'
import type { HistoryEntry } from '../../domain/task/history.ts'
import type { TaskRecord } from '../../domain/task/interchange.ts'
import type { Task } from '../../domain/task/task.ts'
import type { Postgres, Sql } from '../../platform/postgres/postgres.ts'
import { wait } from '../../platform/runtime/wait.ts'
import type { Clock, Millis } from '../../ports/clock.ts'
import type { Hosts } from '../../ports/hosts.ts'
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
import { labelGlob, labelRegex } from '../label-match.ts'
import { orderOf } from '../order.ts'
import { type ListedRow, listedOf, withDueDeferralOpen } from '../row.ts'
import { changeTask, closeTask, readTask, reopenTask } from './change.ts'
import { claimsBy, claimTasks, locksHeld, nextRetry, reclaim, renewLease } from './claims.ts'
import { LISTED_COLUMNS } from './columns.ts'
import { commentsOf, insertComment } from './comments.ts'
import { openDueDeferrals } from './deferral.ts'
import { addEdge, edgesOf, removeEdge } from './dependencies.ts'
import { type Where, whereOf } from './filter.ts'
import { historyOf } from './history.ts'
import { postgresHosts } from './hosts.ts'
import { importRecords } from './import.ts'
import { insertTask } from './insert.ts'
import { resolveId } from './lookup.ts'
import { closeCompletedMolecule } from './molecule.ts'
import { type Moment, momentAt } from './moment.ts'
import type { PostgresStore } from './open.ts'
import { PostgresOrders } from './orders.ts'
import { PostgresRecords } from './records.ts'
import { removeTasks } from './remove.ts'
import { settleBlocked, settleLinked, settleUnlinked } from './settle.ts'
import { blockedTasks, countByGroup, countTasks, statsOf } from './stats.ts'
import { amendTask, takeTask } from './take.ts'
import { PostgresValues, setValue } from './values.ts'
import { beginWriting } from './writers-lock.ts'

export interface PostgresQueueOptions {
  /** Replaces the server's clock, for tests that move it. */
  readonly clock?: Clock
}

/** A result up to this size is read into memory at once. */
const FEW = 1000
const LOST_BACKOFF_MS = 100

/**
 * The queue that many machines share. Claiming, renewing and settling are one statement each. Everything else is a
 * transaction under one lock, the writer's lock, so that only one writer at a time changes the graph, as in SQLite.
 * The files beside this one do the work.
 */
export class PostgresQueue implements TaskStore {
  readonly shared = true
  readonly prefix: string
  readonly hosts: Hosts
  readonly records: PostgresRecords
  readonly orders: PostgresOrders
  readonly values: PostgresValues
  readonly #db: Postgres
  readonly #clock: Clock | undefined
  readonly #wakers = new Set<() => void>()
  readonly #channel: string
  readonly #notify: string

  constructor({ db, prefix }: PostgresStore, options: PostgresQueueOptions = {}) {
    this.#db = db
    this.prefix = prefix
    this.#clock = options.clock
    this.#channel = `fleet_${db.schema}`
    this.#notify = `pg_notify('${this.#channel}', '')`
    this.hosts = postgresHosts(db, { own: () => this.#own, now: () => this.#localNow() })
    this.records = new PostgresRecords(db)
    this.orders = new PostgresOrders(db, this.#notify)
    this.values = new PostgresValues(db, (work) => this.#write(work))
  }

  get location(): string {
    return this.#db.location
  }

  async create(draft: TaskDraft, by: string): Promise<Task> {
    return await this.#write(async (sql, { at }) => {
      const id = await insertTask(sql, draft, { by, at, prefix: this.prefix })
      return (await readTask(sql, id)) as Task
    })
  }

  async get(id: string): Promise<Task | undefined> {
    return await readTask(this.#db, id)
  }

  async ready(want: { limit: number }): Promise<readonly Task[]> {
    return await this.#rows(this.#db, { ready: true, assignee: '', sort: 'claim', limit: want.limit })
  }

  async claim(want: ClaimWish): Promise<readonly Claim[]> {
    const wish = { ...want, leaseMs: Math.round(want.leaseMs) }
    for (;;) {
      const { claims, due, lost } = await claimTasks(this.#db, wish, this.#own)
      // Lost every task to others: back off with jitter, so that many claimers do not race for the same tasks again.
      if (lost && claims.length === 0) await wait(LOST_BACKOFF_MS * (0.5 + Math.random()))
      // There may be more tasks, so wake the waiters. Do it before returning, so that they know when they see the claims.
      if (lost) for (const wake of this.#wakers) wake()
      if (!due) return claims
      await this.#write((sql, { at }) => openDueDeferrals(sql, at))
    }
  }

  async locksHeld(): Promise<readonly HeldLock[]> {
    return await locksHeld(this.#db)
  }

  async claimsOf(by: string): Promise<readonly Claim[]> {
    return await claimsBy(this.#db, by)
  }

  /** Without effect if the server's clock counts: retry delays are stored in it. */
  async clockSetBack(by: Millis): Promise<void> {
    if (this.#clock === undefined) return
    await this.#db.change('update task set not_before = not_before - $1::bigint where not_before is not null', [by])
  }

  async nextRetryAt(): Promise<Millis | undefined> {
    const wait = await nextRetry(this.#db, this.#own)
    return wait === undefined ? undefined : this.#localNow() + wait
  }

  async renew(claim: Claim, leaseMs: number): Promise<boolean> {
    return await renewLease(this.#db, claim, Math.round(leaseMs), this.#own)
  }

  async settle(claim: Claim, next: NextStep): Promise<boolean> {
    const step = this.#withWait(next)
    const alone = await settleUnlinked(this.#db, claim, step, { own: this.#own, notify: this.#notify })
    if (alone !== 'unsure') return alone === 'settled'
    return await this.#write(async (sql, { now, at }) => {
      if ((await settleLinked(sql, claim, next, now)) === 'stale') return false
      if (next.to === 'closed') await closeCompletedMolecule(sql, claim.id, { by: claim.by, at })
      return true
    })
  }

  async settleBlocked(claim: Claim, next: NextStep, { remove }: { remove: readonly string[] }): Promise<boolean> {
    const step = this.#withWait(next)
    return await this.#write(async (sql, { now, at }) => {
      if ((await settleBlocked(sql, claim, step, { now, remove })) === 'stale') return false
      if (next.to === 'closed') await closeCompletedMolecule(sql, claim.id, { by: claim.by, at })
      return true
    })
  }

  #withWait(next: NextStep): NextStep & { wait?: number } {
    if (next.to !== 'open' || next.notBefore === undefined) return next
    return { ...next, wait: this.#waitUntil(next.notBefore) }
  }

  async reclaimExpired(): Promise<readonly string[]> {
    return await reclaim(this.#db, this.#own, this.#notify)
  }

  onWake(wake: () => void): Disposable {
    const listener = this.#db.listen(this.#channel, wake)
    this.#wakers.add(wake)
    return {
      [Symbol.dispose]: () => {
        this.#wakers.delete(wake)
        listener[Symbol.dispose]()
      },
    }
  }

  async take(id: string, by: string): Promise<TakeResult> {
    return await this.#write(async (sql, { at }) => {
      await openDueDeferrals(sql, at)
      return await takeTask(sql, id, { by, at })
    })
  }

  async close(id: string, how: CloseOptions, by: string): Promise<CloseResult> {
    return await this.#write(async (sql, { at }) => {
      const result = await closeTask(sql, id, how, { by, at })
      if (result.kind !== 'closed' && result.kind !== 'already') return result
      const molecule = await closeCompletedMolecule(sql, id, { by, at })
      return molecule === undefined ? result : { ...result, molecule }
    })
  }

  async reopen(id: string, how: { reason?: string }, by: string): Promise<ReopenResult> {
    return await this.#write((sql, { at }) => reopenTask(sql, id, how, { by, at }))
  }

  async addDependency(edge: NewDependency, by: string): Promise<AddDependencyResult> {
    return await this.#write((sql, { at }) => addEdge(sql, edge, { by, at }))
  }

  async comment(id: string, text: string, by: string): Promise<void> {
    await this.addComment(id, { author: by, text })
  }

  async resolve(text: string): Promise<IdMatch> {
    return await resolveId(this.#db, text, this.prefix)
  }

  async *find(query: TaskQuery): AsyncIterable<ListedTask> {
    if (query.limit !== undefined && query.limit > 0 && query.limit <= FEW) {
      yield* await this.#rows(this.#db, query)
      return
    }
    const { text, args, taskOf } = await this.#select(this.#db, query)
    for await (const row of this.#db.iterate<ListedRow>(text, args)) yield taskOf(row)
  }

  async count(filter: TaskFilter): Promise<number> {
    return await countTasks(this.#db, await this.#where(this.#db, filter))
  }

  async countBy(filter: TaskFilter, by: CountGroup): Promise<readonly { group: string; count: number }[]> {
    return await countByGroup(this.#db, await this.#where(this.#db, filter), by)
  }

  async stats(): Promise<Stats> {
    return await this.#db.reading(async (sql) => statsOf(sql, await this.#where(sql, { ready: true })))
  }

  async edges(ids: readonly string[], direction: 'down' | 'up'): Promise<readonly Dependency[]> {
    return await edgesOf(this.#db, ids, direction)
  }

  async comments(id: string): Promise<readonly Comment[]> {
    return await commentsOf(this.#db, id)
  }

  async history(id: string): Promise<readonly HistoryEntry[]> {
    return await historyOf(this.#db, id)
  }

  async blocked(filter: TaskFilter): Promise<readonly { task: ListedTask; blockedBy: readonly string[] }[]> {
    return await this.#db.reading(async (sql) => blockedTasks(sql, await this.#where(sql, filter)))
  }

  async labels(): Promise<readonly { label: string; count: number }[]> {
    return await this.#db.rows('select label, count(*) as count from label group by label order by label')
  }

  async takeNext(query: TaskQuery, by: string): Promise<ListedTask | undefined> {
    return await this.#write(async (sql, { at, now }) => {
      await openDueDeferrals(sql, at)
      for (let before = ''; ; ) {
        // At the same time as above: a deferral that becomes due later is still stored, and its task could not be taken.
        const [next] = await this.#rows(sql, { ...query, ready: true, assignee: '', limit: 1 }, now)
        if (next === undefined || next.id === before) return undefined
        before = next.id
        const taken = await takeTask(sql, next.id, { by, at })
        // Otherwise somebody claimed it in between: it is no longer ready, and another task is next.
        if (taken.kind === 'taken') return (await this.#rows(sql, { ids: [next.id] }))[0]
      }
    })
  }

  async update(id: string, change: TaskChange, by: string): Promise<Task | undefined> {
    return await this.#write((sql, { at }) => changeTask(sql, id, change, { by, at }))
  }

  async amend(id: string, amendment: Amendment, by: string): Promise<AmendResult> {
    return await this.#write(async (sql, { at }) => {
      if (amendment.claim === true) await openDueDeferrals(sql, at)
      return await amendTask(sql, id, amendment, { by, at })
    })
  }

  async remove(ids: readonly string[], by: string): Promise<RemoveResult> {
    return await this.#write((sql, { at }) => removeTasks(sql, ids, { by, at }))
  }

  async addDependencies(edges: readonly NewDependency[], by: string): Promise<BulkDependencyResult> {
    return await this.#writeUnless<BulkDependencyResult>(async (sql, { at }, undo) => {
      let added = 0
      for (const edge of parentsFirst(edges)) {
        const result = await addEdge(sql, edge, { by, at })
        if (result.kind === 'added') added++
        else if (result.kind !== 'already') return undo({ kind: 'refused', edge, why: result })
      }
      return { kind: 'added', added }
    })
  }

  async removeDependency(edge: { issue_id: string; depends_on_id: string }, by: string): Promise<boolean> {
    return await this.#write((sql, { at }) => removeEdge(sql, edge, { by, at }))
  }

  async addComment(id: string, { author, text }: { author: string; text: string }): Promise<Comment> {
    return await this.#write((sql, { at }) => insertComment(sql, id, { author, text, at }))
  }

  async import(records: Iterable<TaskRecord>, how: ImportOptions, by: string): Promise<ImportReport> {
    return await this.#writeUnless<ImportReport>(async (sql, { at }, undo) => {
      const report = await importRecords(sql, records, { ...how, by, at, prefix: this.prefix })
      for (const [key, value] of how.values ?? []) await setValue(sql, key, value)
      return how.dryRun === true ? undo(report) : report
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#db[Symbol.asyncDispose]()
  }

  async #rows(sql: Sql, query: TaskQuery, at = this.#own): Promise<ListedTask[]> {
    const { text, args, taskOf } = await this.#select(sql, query, at)
    return (await sql.once<ListedRow>(text, args)).map(taskOf)
  }

  async #select(sql: Sql, query: TaskQuery, at = this.#own) {
    const where = await this.#where(sql, query, at)
    const order = orderOf(query, { now: this.#localNow(), naturalId: 'task.id_order' })
    const limit = query.limit === undefined || query.limit <= 0 ? 'all' : Math.trunc(query.limit)
    return {
      text: `select ${LISTED_COLUMNS} from task where ${where.sql} order by ${order} limit ${limit}`,
      args: where.args,
      taskOf: query.ready === true ? withDueDeferralOpen : listedOf,
    }
  }

  /** Matches label patterns here, so that they mean the same in every store, whatever patterns the server has. */
  async #where(sql: Sql, filter: TaskFilter, own = this.#own): Promise<Where> {
    const patterns = [
      ...(filter.labelPattern === undefined ? [] : [labelGlob(filter.labelPattern)]),
      ...(filter.labelRegex === undefined ? [] : [labelRegex(filter.labelRegex)]),
    ]
    if (patterns.length === 0) return whereOf(filter, { own })
    const labels = (await sql.rows<{ label: string }>('select distinct label from label')).map((row) => row.label)
    const labelSets = patterns.map((pattern) => labels.filter((label) => pattern.test(label)))
    return whereOf(filter, { own, labelSets })
  }

  /** The time of the test's clock; null: the server's. */
  get #own(): number | null {
    return this.#clock?.now() ?? null
  }

  #localNow(): number {
    return this.#clock?.now() ?? Date.now()
  }

  /** The caller's clock may differ from the server's, so the server gets a duration. */
  #waitUntil(moment: Millis): number {
    return Math.ceil(moment - this.#localNow())
  }

  /** A transaction under the writer's lock. Its commit wakes the supervisors. */
  async #write<T>(work: (sql: Sql, moment: Moment) => Promise<T>): Promise<T> {
    const begin = beginWriting(this.#db.schema)
    return await this.#db.transaction({ begin, end: `select ${this.#notify}` }, (sql, begun) =>
      work(sql, momentAt(this.#own ?? Number(begun['now']))),
    )
  }

  /** The same, but `undo(answer)` rolls back and returns that answer. */
  async #writeUnless<T>(work: (sql: Sql, moment: Moment, undo: (answer: T) => never) => Promise<T>): Promise<T> {
    let undone: { readonly answer: T } | undefined
    const undo = (answer: T): never => {
      undone = { answer }
      throw undone
    }
    try {
      return await this.#write((sql, moment) => work(sql, moment, undo))
    } catch (error) {
      if (undone !== undefined && error === undone) return undone.answer
      throw error
    }
  }
}
