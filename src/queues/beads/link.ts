import type { Log } from '../../domain/fleet/log-event.ts'
import { rfc3339 } from '../../domain/task/time.ts'
import { AppError } from '../../errors.ts'
import { doltSignature } from '../../platform/files/dolt-signature.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { Bd, BdAnswer, BdCommand } from './bd.ts'
import { applyExport } from './mirror.ts'
import { ACCEPT_NEXT, clearOutbox, enqueue, markOverdue, markSent, type OutboxEntry, outboxOf } from './outbox.ts'
import { setState, stateOf } from './tables.ts'

/** Without an embedded database there is no signature to compare: a sync this recent counts as fresh. */
const RECENT_MS = 2000
/** How often a watcher compares the signature of bd's files. */
const WATCH_MS = 1000
/** A watcher wakes this often even if the signature did not change. */
const WAKE_ANYWAY_MS = 30_000
/** After this many sends that bd does not show, fleet accepts bd's state. */
export const TRIES = 3

/** Until the next sync, assume that bd applied what it was sent. */
const ASSUME_APPLIED = `
  update beads_seen set (status, assignee) = (select status, assignee from task where id = beads_seen.task)
  where task = ? and exists (select 1 from task where id = beads_seen.task)`

/**
 * Connects the mirror to bd: syncs the mirror from bd, and sends the outbox to bd. A write is confirmed only when a later
 * sync shows it.
 */
export class Link {
  readonly db: Database
  readonly bd: Bd
  readonly #beads: string
  readonly #log: Log
  /** Tasks whose entries could not be sent: logged once, not at every retry. */
  readonly #delayed = new Set<string>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(db: Database, { bd, beads, log }: { bd: Bd; beads: string; log?: Log | undefined }) {
    this.db = db
    this.bd = bd
    this.#beads = beads
    this.#log = log ?? (() => {})
  }

  /** Runs one piece of work at a time, so that no write comes between another's decision and its sending. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }

  async idle(): Promise<void> {
    await this.#last
  }

  /** Call before a read. If nothing changed, this costs only a few `stat` calls. */
  async ensureFresh(wish: { olderThanMs?: number } = {}): Promise<void> {
    if (this.#isUpToDate(wish)) return
    await this.inTurn(() => this.ensureFreshInTurn(wish))
  }

  /** The same, for a caller that is already inside `inTurn`. */
  async ensureFreshInTurn(wish: { olderThanMs?: number } = {}): Promise<void> {
    if (!this.#isUpToDate(wish)) await this.sync()
  }

  #isUpToDate({ olderThanMs = Number.POSITIVE_INFINITY }: { olderThanMs?: number }): boolean {
    return this.#isFresh() && this.#age() <= olderThanMs
  }

  /** Changes with every write to bd's database; '' where it cannot be computed. */
  signature(): string {
    return doltSignature(this.#beads)
  }

  #isFresh(): boolean {
    const signature = this.signature()
    if (signature === '') return this.#age() < RECENT_MS
    return signature === this.db.guard(() => stateOf(this.db, 'signature'))
  }

  isOlderThan(millis: number): boolean {
    return this.#age() > millis
  }

  #age(): number {
    return Math.abs(Date.now() - Number(this.db.guard(() => stateOf(this.db, 'looked'))))
  }

  /**
   * For decisions that stand even if bd is unreachable. The signature alone is not enough: after its own
   * write fleet stores the new signature, which hides a foreign write that happened meanwhile. `unseen`: also sync if fleet wrote anything since the last sync.
   */
  async syncIfPossible({ olderThanMs, unseen = false }: { olderThanMs: number; unseen?: boolean }): Promise<void> {
    if (this.isOlderThan(olderThanMs) || (unseen && stateOf(this.db, 'wrote') !== ''))
      await orQueueError(() => this.sync())
  }

  /** Reads everything from bd, whatever the signature says, and resends lost writes. Returns the raw export. */
  async sync(): Promise<string> {
    const since = Date.now()
    const signature = doltSignature(this.#beads)
    const text = await this.bd.read(['export', '--all'])
    const lines = text.split('\n').filter((line) => line.startsWith('{'))
    const { lost, unread } = applyExport(this.db, { lines, since, now: rfc3339(since) })
    this.db.write(() => {
      setState(this.db, 'signature', signature)
      setState(this.db, 'looked', String(since))
      setState(this.db, 'wrote', '')
    })
    for (const why of unread) this.#log('bd-task-unreadable', { why })
    for (const task of new Set(lost.map((each) => each.task))) {
      await this.#resend(
        task,
        lost.filter((each) => each.task === task),
      )
    }
    return text
  }

  /** The task's ownership in bd at the last sync. */
  lastSeen(id: string): { status: string; assignee: string } | undefined {
    return this.db
      .sql<{ status: string; assignee: string }>('select status, assignee from beads_seen where task = ?')
      .get(id)
  }

  /** Call inside the transaction of the change. `expected`: the ownerships bd may show until it has applied the commands. */
  enqueue(task: string, commands: readonly BdCommand[], expected: readonly string[]): void {
    if (commands.length === 0) return
    const now = Date.now()
    enqueue(this.db, { task, commands, expected }, now)
    this.touch(task, now)
  }

  /** A sync that began before now must ignore what bd showed of this task. */
  touch(task: string, now = Date.now()): void {
    this.db
      .sql(
        `insert into beads_seen (task, line, status, assignee, touched) values (?1, '', 'open', '', ?2)
         on conflict (task) do update set touched = ?2`,
      )
      .run(task, now)
  }

  /** Sends the task's outbox. Returns bd's reason if it refuses; then the outbox is cleared and bd's state accepted. */
  async send(task: string): Promise<string | undefined> {
    const refusal = await this.#sendPending(task)
    if (refusal === undefined) return undefined
    this.acceptBdState([task])
    await this.sync()
    return refusal
  }

  async sendOrThrow(task: string): Promise<void> {
    const refusal = await this.send(task)
    if (refusal !== undefined) throw bdRefused(refusal)
  }

  /** For a decision that stands whatever bd answers: failed entries stay in the outbox. `later`: bd was unreachable. */
  async trySend(task: string): Promise<'sent' | 'failed' | 'later'> {
    const failure = await orQueueError(() => this.#sendPending(task))
    if (failure === undefined) return 'sent'
    this.retryLater([task])
    return failure instanceof AppError ? 'later' : 'failed'
  }

  /** Sends the outbox of several tasks as one command. */
  async sendTogether(tasks: readonly string[], command: BdCommand): Promise<void> {
    if (tasks.length === 0) return
    if ((await orQueueError(() => this.write(command))) instanceof AppError) this.retryLater(tasks)
    else this.markSent(tasks)
  }

  markSent(tasks: readonly string[]): void {
    const now = Date.now()
    this.db.write(() => {
      for (const task of tasks) {
        for (const { seq } of outboxOf(this.db, task)) markSent(this.db, seq, now)
        this.touch(task, now)
        this.db.sql(ASSUME_APPLIED).run(task)
      }
    })
  }

  async #sendPending(task: string): Promise<string | undefined> {
    const unsent = outboxOf(this.db, task).filter(({ sentAt }) => sentAt === null)
    for (const command of unsent.flatMap(({ commands }) => commands)) {
      const said = await this.call(command)
      if (!said.ok) return said.reason
    }
    this.markSent([task])
    return undefined
  }

  /**
   * Resends entries that bd does not show. Only an answer from bd counts as a try: while bd cannot write (a full disk),
   * fleet keeps retrying. A failure here never blocks other entries or the sync.
   */
  async #resend(task: string, entries: readonly OutboxEntry[]): Promise<void> {
    if (entries.some(({ tries }) => tries >= TRIES)) {
      this.#log('bd-write-abandoned', { task, tries: TRIES })
      this.acceptBdState([task])
      return
    }
    for (const command of entries.flatMap(({ commands }) => commands)) {
      const said = await orQueueError(() => this.call(command))
      if (said instanceof AppError || (!said.ok && !said.refused)) {
        const why = said instanceof AppError ? said.message : said.reason
        if (!this.#delayed.has(task)) this.#log('bd-write-delayed', { task, why })
        this.#delayed.add(task)
        return
      }
      if (!said.ok) break
    }
    this.#delayed.delete(task)
    this.markSent([task])
  }

  /** Gives up fleet's own view of these tasks: whatever the next sync shows is right. */
  acceptBdState(tasks: readonly string[]): void {
    this.db.write(() => {
      for (const task of tasks) {
        clearOutbox(this.db, task)
        this.db.sql(`update beads_seen set line = '', status = '${ACCEPT_NEXT}' where task = ?`).run(task)
      }
      this.#forceNextSync()
    })
  }

  async write(command: BdCommand): Promise<BdAnswer> {
    return await this.#asOwnWrite(() => this.bd.write(command))
  }

  async call(command: BdCommand): Promise<BdAnswer> {
    return await this.#asOwnWrite(() => this.bd.call(command))
  }

  /** Fleet's own writes are in the mirror already, so they must not trigger a sync. */
  async #asOwnWrite<T>(work: () => Promise<T>): Promise<T> {
    const before = doltSignature(this.#beads)
    const result = await work()
    if (before !== '' && before === stateOf(this.db, 'signature')) {
      this.db.write(() => {
        setState(this.db, 'signature', doltSignature(this.#beads))
        setState(this.db, 'wrote', 'yes')
      })
    }
    return result
  }

  /** The next read syncs, whatever the signature says, and resends these tasks' entries. */
  retryLater(tasks: readonly string[]): void {
    this.db.write(() => {
      for (const task of tasks) markOverdue(this.db, task)
      this.#forceNextSync()
    })
  }

  #forceNextSync(): void {
    setState(this.db, 'signature', '?')
    setState(this.db, 'looked', '0')
  }

  watch(wake: () => void): Disposable {
    let known = doltSignature(this.#beads)
    let askedAt = performance.now()
    const timer = setInterval(() => {
      const now = doltSignature(this.#beads)
      if (now === known && performance.now() - askedAt < WAKE_ANYWAY_MS) return
      known = now
      askedAt = performance.now()
      wake()
    }, WATCH_MS)
    timer.unref()
    return { [Symbol.dispose]: () => clearInterval(timer) }
  }
}

export function bdRefused(reason: string): AppError {
  return new AppError('failed', `bd refused: ${reason}`, { hint: 'fleet now shows the task as bd has it' })
}

/** Returns the error of an unreachable bd as a value; other errors throw. */
export async function orQueueError<T>(work: () => Promise<T>): Promise<T | AppError> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'queue') throw error
    return error
  }
}
