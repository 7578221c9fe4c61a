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
  ImportReport,
  ListedTask,
  RemoveResult,
  TaskChange,
  TaskStore,
} from '../../ports/task-store.ts'
import { amendTask } from '../sqlite/amend.ts'
import { changeTask, closeTask, readTask, reopenTask } from '../sqlite/change.ts'
import { renewLease, takeTask } from '../sqlite/claims.ts'
import { openDueDeferrals } from '../sqlite/deferral.ts'
import { addEdge, removeEdge } from '../sqlite/dependencies.ts'
import { SqliteQueue } from '../sqlite/queue.ts'
import type { Bd } from './bd.ts'
import { claimThrough, rememberClaimer } from './claim.ts'
import { changeCommands, claimCommand, closeCommands, releaseCommand, reopenCommand } from './commands.ts'
import { createThrough } from './create.ts'
import { reclaimThrough, settleBlockedThrough, settleThrough } from './end-claim.ts'
import { Heartbeats } from './heartbeats.ts'
import { bdRefused, Link } from './link.ts'
import { ownershipOf } from './outbox.ts'
import { asPerson } from './person.ts'
import { MirroredReads } from './reads.ts'
import { clockSetBack, makeTables } from './tables.ts'
import { BeadsValues } from './values.ts'

export interface BeadsQueueOptions {
  readonly bd: Bd
  /** The home's `.beads`. */
  readonly beads: string
  readonly clock: Clock
  readonly log?: Log | undefined
  /** Called after a write that could give a supervisor work. */
  readonly committed?: () => void
  /** Called once the queue writes nothing more. */
  readonly closed?: () => void
}

/**
 * The queue of a home that keeps its tasks in bd. Reads come from the mirror, synced first if bd's database changed. Writes
 * are decided in the mirror, by the rules of the local queue, and then sent to bd.
 */
export class BeadsQueue extends MirroredReads implements TaskStore {
  readonly prefix: string
  readonly location: string
  readonly values: BeadsValues
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
    this.values = new BeadsValues(bd)
  }

  // ---- claims ----

  async claim(want: ClaimWish): Promise<readonly Claim[]> {
    return await this.link.inTurn(async () => {
      await this.link.ensureFreshInTurn({ olderThanMs: POLL_MS })
      const claims = await claimThrough(this.link, want, this.#moment())
      for (const claim of claims) this.#heartbeats.begun(claim)
      return claims
    })
  }

  async locksHeld(): Promise<readonly HeldLock[]> {
    return await this.mirror.locksHeld()
  }

  async claimsOf(by: string): Promise<readonly Claim[]> {
    this.#db.write(() => rememberClaimer(this.link, by))
    await this.link.ensureFresh({ olderThanMs: POLL_MS })
    return await this.mirror.claimsOf(by)
  }

  async clockSetBack(by: Millis): Promise<void> {
    await this.mirror.clockSetBack(by)
    this.#db.write(() => clockSetBack(this.#db, by))
  }

  async nextRetryAt(): Promise<Millis | undefined> {
    await this.link.ensureFresh()
    return await this.mirror.nextRetryAt()
  }

  async renew(claim: Claim, leaseMs: Millis): Promise<boolean> {
    await this.link.ensureFresh()
    if (this.link.isOlderThan(POLL_MS)) await this.link.inTurn(() => this.link.syncIfPossible({ olderThanMs: POLL_MS }))
    const ours = this.#db.write(() => renewLease(this.#db, claim, this.#clock.now() + leaseMs))
    if (ours) this.#heartbeats.due(claim)
    else this.#heartbeats.over(claim)
    return ours
  }

  async settle(claim: Claim, next: NextStep): Promise<boolean> {
    return await this.link.inTurn(async () => {
      await this.link.ensureFreshInTurn()
      const done = await settleThrough(this.link, claim, next, { at: () => this.#moment().at, maxAgeMs: POLL_MS })
      this.#heartbeats.over(claim)
      if (done === 'freed') this.#committed()
      return done !== 'stale'
    })
  }

  async settleBlocked(claim: Claim, next: NextStep, { remove }: { remove: readonly string[] }): Promise<boolean> {
    return await this.link.inTurn(async () => {
      await this.link.ensureFreshInTurn()
      const done = await settleBlockedThrough(this.link, claim, next, { at: () => this.#moment().at, remove })
      if (done === 'freed') this.#committed()
      return done !== 'stale'
    })
  }

  async reclaimExpired(): Promise<readonly string[]> {
    const lapsed = `select 1 from task where lease_until is not null and lease_until < ? and status = 'in_progress' limit 1`
    if (this.#db.guard(() => this.#db.sql(lapsed).get(this.#clock.now())) === undefined) return []
    return await this.link.inTurn(async () => {
      await this.link.ensureFreshInTurn()
      return await reclaimThrough(this.link, this.#moment())
    })
  }

  // ---- for people ----

  async create(draft: TaskDraft, by: string): Promise<Task> {
    return await this.link.inTurn(async () => {
      await this.link.ensureFreshInTurn()
      const task = await createThrough(this.link, draft, { by, at: this.#moment().at, prefix: this.prefix })
      this.#committed()
      return task
    })
  }

  async take(id: string, by: string): Promise<TakeResult> {
    return await this.link.inTurn(async () => {
      await this.link.ensureFreshInTurn()
      const { at } = this.#moment()
      const take = () => {
        openDueDeferrals(this.#db, at)
        return takeTask(this.#db, id, { by, at })
      }
      const result = this.#db.write(() => {
        const before = readTask(this.#db, id)
        const taken = take()
        if (taken.kind === 'taken' && before?.status !== 'in_progress') {
          const seen = this.link.lastSeen(id)
          const first = seen === undefined || ownershipOf(seen) === OPEN ? [] : [releaseCommand([id], by)]
          this.link.enqueue(id, [...first, claimCommand([id], by)], [OPEN])
        }
        return taken
      })
      const refusal = await this.link.send(id)
      if (refusal === undefined) {
        if (result.kind === 'taken') await this.link.sync()
        return result
      }
      // Another claimer was first in bd; or the task is free, and bd could not write.
      return this.#db.write(() => {
        const now = take()
        if (now.kind === 'taken') throw bdRefused(refusal)
        return now
      })
    })
  }

  async close(id: string, how: CloseOptions, by: string): Promise<CloseResult> {
    return await this.#decideAndSend(id, (at, enqueue) => {
      const result = closeTask(this.#db, id, how, { by, at })
      if (result.kind === 'closed') {
        const { close_reason: reason, assignee } = result.task
        enqueue(closeCommands(id, { reason, assignee, by }))
      }
      return result
    })
  }

  async reopen(id: string, how: { reason?: string }, by: string): Promise<ReopenResult> {
    return await this.#decideAndSend(id, (at, enqueue) => {
      const result = reopenTask(this.#db, id, how, { by, at })
      if (result.kind === 'reopened') enqueue([reopenCommand(id, { reason: how.reason ?? '', by })])
      return result
    })
  }

  async update(id: string, change: TaskChange, by: string): Promise<Task | undefined> {
    return await this.#decideAndSend(id, (at, enqueue) => {
      const before = readTask(this.#db, id)
      const task = changeTask(this.#db, id, change, { by, at })
      if (before !== undefined && task !== undefined)
        enqueue(changeCommands(change, { before, task, by, force: false }))
      return task
    })
  }

  async amend(id: string, amendment: Amendment, by: string): Promise<AmendResult> {
    const { guards } = await this.link.bd.features()
    return await this.#decideAndSend(id, (at, enqueue) => {
      if (amendment.claim === true) openDueDeferrals(this.#db, at)
      const result = amendTask(this.#db, id, amendment, { by, at })
      if (result.kind !== 'amended') return result
      const { before, task } = result
      enqueue(changeCommands(amendment.change, { before, task, by, force: guards && amendment.force === true }))
      return result
    })
  }

  async addDependency(edge: NewDependency, by: string): Promise<AddDependencyResult> {
    const { issue_id: id, depends_on_id: on, type } = edge
    return await this.#decideAndSend(id, (at, enqueue) => {
      const result = addEdge(this.#db, edge, by, at)
      if (result.kind === 'added') enqueue([{ argv: ['dep', 'add', id, on, `--type=${type}`], by }])
      return result
    })
  }

  async removeDependency(edge: { issue_id: string; depends_on_id: string }, by: string): Promise<boolean> {
    const { issue_id: id, depends_on_id: on } = edge
    return await this.#decideAndSend(id, (at, enqueue) => {
      const gone = removeEdge(this.#db, edge, by, at)
      if (gone) enqueue([{ argv: ['dep', 'remove', id, on], by }])
      return gone
    })
  }

  async comment(id: string, text: string, by: string): Promise<void> {
    await this.addComment(id, { author: by, text })
  }

  async addComment(id: string, { author, text }: { author: string; text: string }): Promise<Comment> {
    return await this.link.inTurn(async () => {
      await this.link.ensureFreshInTurn()
      if (readTask(this.#db, id) === undefined) throw new AppError('not-found', `issue ${id} not found`)
      await this.link.write({ argv: ['comment', id, '--stdin'], by: author, input: text })
      await this.link.sync()
      const added = (await this.mirror.comments(id)).findLast((each) => each.author === author)
      return added ?? { id: '', issue_id: id, author, text, created_at: this.#moment().at }
    })
  }

  // ---- only bd itself does these ----

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

  /** The bd in use. Throws if there is none. */
  async bd(): Promise<{ readonly file: string; readonly features: BdFeatures }> {
    return { file: await this.link.bd.file(), features: await this.link.bd.features() }
  }

  /** A person reopened tasks that were already open. bd records nothing, but their retry delay ends. */
  endWaits(ids: readonly string[]): void {
    this.#db.write(() => {
      for (const id of ids) this.#db.sql(`update task set not_before = null where id = ? and status = 'open'`).run(id)
    })
    this.#committed()
  }

  /** Runs `work`, whose writes to bd come from a person. */
  async asPerson<T>(work: () => Promise<T>): Promise<T> {
    return await asPerson(this.link, work)
  }

  /** Calls `wake` when bd's database changes, and at intervals in case a change goes unnoticed. */
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

  /** Decides in the mirror, then sends to bd. If bd refuses, the mirror takes over bd's state and this throws. */
  async #decideAndSend<T>(id: string, decide: (at: string, enqueue: (commands: Commands) => void) => T): Promise<T> {
    return await this.link.inTurn(async () => {
      await this.link.ensureFreshInTurn()
      const { at } = this.#moment()
      const before = readTask(this.#db, id)
      const ownership = before === undefined ? '' : ownershipOf(before)
      const result = this.#db.write(() => decide(at, (commands) => this.link.enqueue(id, commands, [ownership])))
      await this.link.sendOrThrow(id)
      const after = readTask(this.#db, id)
      // Sync now, or a person who reverts this a moment later would look like a lost write.
      if (after !== undefined && ownershipOf(after) !== ownership) await this.link.sync()
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

/** Sync at least this often, even if the signature has not changed: it can miss a write. */
const POLL_MS = 30_000
const OPEN = ownershipOf({ status: 'open', assignee: '' })

function bdDoes(what: string): AppError {
  return new AppError('unsupported', `a beads queue leaves that to bd`, { hint: `fleet bd ${what}` })
}
