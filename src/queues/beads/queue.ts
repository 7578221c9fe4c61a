import type { Log } from '../../domain/fleet/log-event.ts'
import type { BdFeatures } from '../../domain/queue/bd-version.ts'
import type { Comment } from '../../domain/task/comment.ts'
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
  ImportReport,
  ListedTask,
  RemoveResult,
  TaskChange,
  TaskStore,
} from '../../ports/task-store.ts'
import { amendTask } from '../sqlite/amend.ts'
import { changeTask, closeTask, readTask, reopenTask } from '../sqlite/change.ts'
import { renewLease, takeTask } from '../sqlite/claims.ts'
import { wakeDue } from '../sqlite/deferral.ts'
import { addEdge, removeEdge } from '../sqlite/dependencies.ts'
import { SqliteQueue } from '../sqlite/queue.ts'
import type { Bd } from './bd.ts'
import { claimThrough, rememberClaimer } from './claim.ts'
import { changeCommands, claimCommand, closeCommands, giveBack, reopenCommand } from './commands.ts'
import { createThrough } from './create.ts'
import { reclaimThrough, settleThrough } from './end-claim.ts'
import { Heartbeats } from './heartbeats.ts'
import { Link, refusedBy } from './link.ts'
import { handsOf } from './owed.ts'
import { asPerson } from './person.ts'
import { MirroredReads } from './reads.ts'
import { clockSetBack, makeTables } from './tables.ts'

export interface BeadsQueueOptions {
  readonly bd: Bd
  /** The home's `.beads`. */
  readonly beads: string
  readonly clock: Clock
  readonly log?: Log | undefined
  /** Called after what could give a supervisor something to do. */
  readonly committed?: () => void
  /** Called when nothing more is written. */
  readonly closed?: () => void
}

/**
 * The queue of a home that keeps its tasks in bd. What is read comes from the mirror, brought up to date where bd's
 * database changed; what is written is decided in the mirror, by the rules of the local queue, and then told to bd.
 */
export class BeadsQueue extends MirroredReads implements TaskStore {
  readonly prefix: string
  readonly location: string
  readonly #db: Database
  protected readonly mirror: SqliteQueue
  protected readonly link: Link
  readonly #clock: Clock
  readonly #heartbeats: Heartbeats
  readonly #committed: () => void
  readonly #closed: () => void

  constructor(db: Database, { bd, beads, clock, log, committed, closed = () => {} }: BeadsQueueOptions) {
    super()
    makeTables(db)
    this.#db = db
    this.#clock = clock
    this.#closed = closed
    this.#committed = committed ?? (() => {})
    this.mirror = new SqliteQueue(db, { clock })
    this.link = new Link(db, { bd, beads, log })
    this.#heartbeats = new Heartbeats(this.link)
    this.prefix = this.mirror.prefix
    this.location = beads
  }

  // ---- claims ----

  async claim(want: ClaimWish): Promise<readonly Claim[]> {
    return await this.link.alone(async () => {
      await this.link.refresh({ olderThanMs: POLL_MS })
      const claims = await claimThrough(this.link, want, this.#moment())
      for (const claim of claims) this.#heartbeats.begun(claim)
      return claims
    })
  }

  async claimsOf(by: string): Promise<readonly Claim[]> {
    this.#db.write(() => rememberClaimer(this.link, by))
    await this.link.fresh({ olderThanMs: POLL_MS })
    return await this.mirror.claimsOf(by)
  }

  async clockSetBack(by: Millis): Promise<void> {
    await this.mirror.clockSetBack(by)
    this.#db.write(() => clockSetBack(this.#db, by))
  }

  async nextRetryAt(): Promise<Millis | undefined> {
    await this.link.fresh()
    return await this.mirror.nextRetryAt()
  }

  async renew(claim: Claim, leaseMs: Millis): Promise<boolean> {
    await this.link.fresh()
    if (this.link.isOlderThan(POLL_MS)) await this.link.alone(() => this.link.reassure({ olderThanMs: POLL_MS }))
    const ours = this.#db.write(() => renewLease(this.#db, claim, this.#clock.now() + leaseMs))
    if (ours) this.#heartbeats.due(claim)
    else this.#heartbeats.over(claim)
    return ours
  }

  async settle(claim: Claim, next: NextStep): Promise<boolean> {
    return await this.link.alone(async () => {
      await this.link.refresh()
      const done = await settleThrough(this.link, claim, next, { at: () => this.#moment().at, mayBeOldMs: POLL_MS })
      this.#heartbeats.over(claim)
      if (done === 'freed') this.#committed()
      return done !== 'stale'
    })
  }

  async reclaimExpired(): Promise<readonly string[]> {
    const lapsed = `select 1 from task where lease_until is not null and lease_until < ? and status = 'in_progress' limit 1`
    if (this.#db.guard(() => this.#db.sql(lapsed).get(this.#clock.now())) === undefined) return []
    return await this.link.alone(async () => {
      await this.link.refresh()
      return await reclaimThrough(this.link, this.#moment())
    })
  }

  // ---- what people do ----

  async create(draft: TaskDraft, by: string): Promise<Task> {
    return await this.link.alone(async () => {
      await this.link.refresh()
      const task = await createThrough(this.link, draft, { by, at: this.#moment().at, prefix: this.prefix })
      this.#committed()
      return task
    })
  }

  async take(id: string, by: string): Promise<TakeResult> {
    return await this.link.alone(async () => {
      await this.link.refresh()
      const { at } = this.#moment()
      const take = () => {
        wakeDue(this.#db, at)
        return takeTask(this.#db, id, { by, at })
      }
      const result = this.#db.write(() => {
        const before = readTask(this.#db, id)
        const taken = take()
        if (taken.kind === 'taken' && before?.status !== 'in_progress') {
          const seen = this.link.seen(id)
          const first = seen === undefined || handsOf(seen) === OPEN ? [] : [giveBack([id], by)]
          this.link.owe(id, [...first, claimCommand([id], by)], [OPEN])
        }
        return taken
      })
      const refusal = await this.link.tell(id)
      if (refusal === undefined) {
        if (result.kind === 'taken') await this.link.look()
        return result
      }
      // Somebody was quicker in bd; or it shows the task as free, and could not write.
      return this.#db.write(() => {
        const now = take()
        if (now.kind === 'taken') throw refusedBy(refusal)
        return now
      })
    })
  }

  async close(id: string, how: CloseOptions, by: string): Promise<CloseResult> {
    return await this.#told(id, (at, owe) => {
      const result = closeTask(this.#db, id, how, { by, at })
      if (result.kind === 'closed') {
        const { close_reason: reason, assignee } = result.task
        owe(closeCommands(id, { reason, assignee, by }))
      }
      return result
    })
  }

  async reopen(id: string, how: { reason?: string }, by: string): Promise<ReopenResult> {
    return await this.#told(id, (at, owe) => {
      const result = reopenTask(this.#db, id, how, { by, at })
      if (result.kind === 'reopened') owe([reopenCommand(id, { reason: how.reason ?? '', by })])
      return result
    })
  }

  async update(id: string, change: TaskChange, by: string): Promise<Task | undefined> {
    return await this.#told(id, (at, owe) => {
      const before = readTask(this.#db, id)
      const task = changeTask(this.#db, id, change, { by, at })
      if (before !== undefined && task !== undefined) owe(changeCommands(change, { before, task, by, force: false }))
      return task
    })
  }

  async amend(id: string, amendment: Amendment, by: string): Promise<AmendResult> {
    const { guards } = await this.link.bd.features()
    return await this.#told(id, (at, owe) => {
      if (amendment.claim === true) wakeDue(this.#db, at)
      const result = amendTask(this.#db, id, amendment, { by, at })
      if (result.kind !== 'amended') return result
      const { before, task } = result
      owe(changeCommands(amendment.change, { before, task, by, force: guards && amendment.force === true }))
      return result
    })
  }

  async addDependency(edge: NewDependency, by: string): Promise<AddDependencyResult> {
    const { issue_id: id, depends_on_id: on, type } = edge
    return await this.#told(id, (at, owe) => {
      const result = addEdge(this.#db, edge, by, at)
      if (result.kind === 'added') owe([{ argv: ['dep', 'add', id, on, `--type=${type}`], by }])
      return result
    })
  }

  async removeDependency(edge: { issue_id: string; depends_on_id: string }, by: string): Promise<boolean> {
    const { issue_id: id, depends_on_id: on } = edge
    return await this.#told(id, (at, owe) => {
      const gone = removeEdge(this.#db, edge, by, at)
      if (gone) owe([{ argv: ['dep', 'remove', id, on], by }])
      return gone
    })
  }

  async comment(id: string, text: string, by: string): Promise<void> {
    await this.addComment(id, { author: by, text })
  }

  async addComment(id: string, { author, text }: { author: string; text: string }): Promise<Comment> {
    return await this.link.alone(async () => {
      await this.link.refresh()
      if (readTask(this.#db, id) === undefined) throw new AppError('not-found', `issue ${id} not found`)
      await this.link.write({ argv: ['comment', id, '--stdin'], by: author, input: text })
      await this.link.look()
      const added = (await this.mirror.comments(id)).findLast((each) => each.author === author)
      return added ?? { id: '', issue_id: id, author, text, created_at: this.#moment().at }
    })
  }

  // ---- what only bd does ----

  async takeNext(): Promise<ListedTask | undefined> {
    throw bdDoes('ready --claim')
  }

  async remove(): Promise<RemoveResult> {
    throw bdDoes('delete')
  }

  async addDependencies(): Promise<BulkDependencyResult> {
    throw bdDoes('dep add --file')
  }

  async import(): Promise<ImportReport> {
    throw bdDoes('import')
  }

  /** The bd that is used, or the reason why there is none. */
  async bd(): Promise<{ readonly file: string; readonly features: BdFeatures }> {
    return { file: await this.link.bd.file(), features: await this.link.bd.features() }
  }

  /** A person opened tasks that were open already, which bd does not write down: they need not wait any longer. */
  endWaits(ids: readonly string[]): void {
    this.#db.write(() => {
      for (const id of ids) this.#db.sql(`update task set not_before = null where id = ? and status = 'open'`).run(id)
    })
    this.#committed()
  }

  /** Whatever `work` has bd write is a person's word. */
  async asPerson<T>(work: () => Promise<T>): Promise<T> {
    return await asPerson(this.link, work)
  }

  /** Calls when bd's database was written by others, and now and then where that cannot be told. */
  onWake(wake: () => void): Disposable {
    return this.link.watch(wake)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#heartbeats.ended()
      await this.link.idle()
      await this.mirror[Symbol.asyncDispose]()
    } finally {
      this.#closed()
    }
  }

  /** Decided in the mirror, then told to bd; a refusal of bd's is thrown, and the mirror follows bd again. */
  async #told<T>(id: string, decide: (at: string, owe: (commands: Commands) => void) => T): Promise<T> {
    return await this.link.alone(async () => {
      await this.link.refresh()
      const { at } = this.#moment()
      const before = readTask(this.#db, id)
      const hands = before === undefined ? '' : handsOf(before)
      const result = this.#db.write(() => decide(at, (commands) => this.link.owe(id, commands, [hands])))
      await this.link.mustTell(id)
      const after = readTask(this.#db, id)
      // Seen at once: a person who undoes it the next moment must not be taken for a write that was lost.
      if (after !== undefined && handsOf(after) !== hands) await this.link.look()
      this.#committed()
      return result
    })
  }

  #moment(): { now: number; at: string } {
    const now = this.#clock.now()
    return { now, at: rfc3339(now) }
  }
}

type Commands = ReturnType<typeof closeCommands>

/** Where nothing seems to have changed, bd is asked all the same this often: no sign is trusted for ever. */
const POLL_MS = 30_000
const OPEN = handsOf({ status: 'open', assignee: '' })

function bdDoes(what: string): AppError {
  return new AppError('unsupported', `a beads queue leaves that to bd`, { hint: `fleet bd ${what}` })
}
