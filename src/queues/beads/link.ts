import type { Log } from '../../domain/fleet/log-event.ts'
import { rfc3339 } from '../../domain/task/time.ts'
import { AppError } from '../../errors.ts'
import { doltSignature } from '../../platform/files/dolt-signature.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { Bd, BdCommand, Said } from './bd.ts'
import { takeLook } from './mirror.ts'
import { abandon, acquit, FOLLOWED, type Owed, owe, owedOf, told } from './owed.ts'
import { setState, stateOf } from './tables.ts'

/** Where there is no embedded database whose files tell: a look this long ago is recent enough. */
const RECENT_MS = 2000
/** Whoever waits for others' changes looks at bd's files this often, and asks bd itself no more often than that. */
const WATCH_MS = 1000
const ASK_MS = 30_000
/** bd was told so often, and still shows the old state. */
export const TRIES = 3

/** Until the next look bd is taken to have what it was told. */
const BELIEVED = `
  update beads_seen set (status, assignee) = (select status, assignee from task where id = beads_seen.task)
  where task = ? and exists (select 1 from task where id = beads_seen.task)`

/**
 * Between the mirror and bd: looks at what bd has, tells it what it is owed. A write counts as done when a later look
 * shows it.
 */
export class Link {
  readonly db: Database
  readonly bd: Bd
  readonly #beads: string
  readonly #log: Log
  /** The tasks whose debts bd could not be told, which is logged once. */
  readonly #late = new Set<string>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(db: Database, { bd, beads, log }: { bd: Bd; beads: string; log?: Log | undefined }) {
    this.db = db
    this.bd = bd
    this.#beads = beads
    this.#log = log ?? (() => {})
  }

  /** One piece of work at a time: no write comes between another's decision and its telling. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }

  async idle(): Promise<void> {
    await this.#last
  }

  /** Before a read. Costs a look at some files where nothing changed. */
  async fresh(wish: { olderThanMs?: number } = {}): Promise<void> {
    if (this.#isGood(wish)) return
    await this.alone(() => this.refresh(wish))
  }

  /** The same inside `alone`. */
  async refresh(wish: { olderThanMs?: number } = {}): Promise<void> {
    if (!this.#isGood(wish)) await this.look()
  }

  #isGood({ olderThanMs = Number.POSITIVE_INFINITY }: { olderThanMs?: number }): boolean {
    return this.#isFresh() && this.#age() <= olderThanMs
  }

  /** Another text after every write to bd's database; '': that cannot be told. */
  sign(): string {
    return doltSignature(this.#beads)
  }

  #isFresh(): boolean {
    const signature = this.sign()
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
   * For decisions that stand also if bd cannot be asked: no sign is trusted for ever, and a write of others that fell into
   * one of fleet's own has left none. `unseen`: ask bd if fleet wrote anything since the last look.
   */
  async reassure({ olderThanMs, unseen = false }: { olderThanMs: number; unseen?: boolean }): Promise<void> {
    if (this.isOlderThan(olderThanMs) || (unseen && stateOf(this.db, 'wrote') !== ''))
      await orTrouble(() => this.look())
  }

  /** Everything bd has, whatever the signs say. What it was told and does not show, it is told again. Returns what it said. */
  async look(): Promise<string> {
    const since = Date.now()
    const signature = doltSignature(this.#beads)
    const text = await this.bd.read(['export', '--all'])
    const lines = text.split('\n').filter((line) => line.startsWith('{'))
    const { lost, unread } = takeLook(this.db, { lines, since, now: rfc3339(since) })
    this.db.write(() => {
      setState(this.db, 'signature', signature)
      setState(this.db, 'looked', String(since))
      setState(this.db, 'wrote', '')
    })
    for (const why of unread) this.#log('bd-task-unreadable', { why })
    for (const task of new Set(lost.map((each) => each.task))) {
      await this.#tellAgain(
        task,
        lost.filter((each) => each.task === task),
      )
    }
    return text
  }

  /** What bd said of this task at the last look. */
  seen(id: string): { status: string; assignee: string } | undefined {
    return this.db
      .sql<{ status: string; assignee: string }>('select status, assignee from beads_seen where task = ?')
      .get(id)
  }

  /** Inside the transaction of the change. `hands`: how bd may show the task until it has taken it in. */
  owe(task: string, commands: readonly BdCommand[], hands: readonly string[]): void {
    if (commands.length === 0) return
    const now = Date.now()
    owe(this.db, { task, commands, hands }, now)
    this.touch(task, now)
  }

  /** What a look that began before now shows of this task is old. */
  touch(task: string, now = Date.now()): void {
    this.db
      .sql(
        `insert into beads_seen (task, line, status, assignee, touched) values (?1, '', 'open', '', ?2)
         on conflict (task) do update set touched = ?2`,
      )
      .run(task, now)
  }

  /** Tells bd what it is owed of this task. Told back: why it did not take it; then it is owed nothing, and followed. */
  async tell(task: string): Promise<string | undefined> {
    const refusal = await this.#failureOf(task)
    if (refusal === undefined) return undefined
    this.follow([task])
    await this.look()
    return refusal
  }

  async mustTell(task: string): Promise<void> {
    const refusal = await this.tell(task)
    if (refusal !== undefined) throw refusedBy(refusal)
  }

  /** Of a decision that stands whatever bd says: what it does not take stays owed. `later`: it could not even be asked. */
  async tryToTell(task: string): Promise<'told' | 'failed' | 'later'> {
    const failure = await orTrouble(() => this.#failureOf(task))
    if (failure === undefined) return 'told'
    this.leave([task])
    return failure instanceof AppError ? 'later' : 'failed'
  }

  /** The debts of several tasks by one command. */
  async tellTogether(tasks: readonly string[], command: BdCommand): Promise<void> {
    if (tasks.length === 0) return
    if ((await orTrouble(() => this.write(command))) instanceof AppError) this.leave(tasks)
    else this.tellDone(tasks)
  }

  tellDone(tasks: readonly string[]): void {
    const now = Date.now()
    this.db.write(() => {
      for (const task of tasks) {
        for (const { seq } of owedOf(this.db, task)) told(this.db, seq, now)
        this.touch(task, now)
        this.db.sql(BELIEVED).run(task)
      }
    })
  }

  async #failureOf(task: string): Promise<string | undefined> {
    const untold = owedOf(this.db, task).filter(({ told }) => told === null)
    for (const command of untold.flatMap(({ commands }) => commands)) {
      const said = await this.call(command)
      if (!said.ok) return said.reason
    }
    this.tellDone([task])
    return undefined
  }

  /**
   * The debts of one task, which bd does not show. Only what bd answered counts as a try: one that cannot write (a full
   * disk) is told for as long as that lasts. No debt keeps the others, or whoever looks, waiting.
   */
  async #tellAgain(task: string, debts: readonly Owed[]): Promise<void> {
    if (debts.some(({ tries }) => tries >= TRIES)) {
      this.#log('bd-write-abandoned', { task, tries: TRIES })
      this.follow([task])
      return
    }
    for (const command of debts.flatMap(({ commands }) => commands)) {
      const said = await orTrouble(() => this.call(command))
      if (said instanceof AppError || (!said.ok && !said.refused)) {
        const why = said instanceof AppError ? said.message : said.reason
        if (!this.#late.has(task)) this.#log('bd-write-delayed', { task, why })
        this.#late.add(task)
        return
      }
      if (!said.ok) break
    }
    this.#late.delete(task)
    this.tellDone([task])
  }

  /** Whatever the next look shows of these tasks is how they stand. */
  follow(tasks: readonly string[]): void {
    this.db.write(() => {
      for (const task of tasks) {
        acquit(this.db, task)
        this.db.sql(`update beads_seen set line = '', status = '${FOLLOWED}' where task = ?`).run(task)
      }
      this.#doubtAll()
    })
  }

  async write(command: BdCommand): Promise<Said> {
    return await this.#asOwnWrite(() => this.bd.write(command))
  }

  async call(command: BdCommand): Promise<Said> {
    return await this.#asOwnWrite(() => this.bd.call(command))
  }

  /** Fleet's own writes are in the mirror already: they are no reason to look again. */
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

  /** Whoever reads next asks bd, whatever the signs say, and tells it these. */
  leave(tasks: readonly string[]): void {
    this.db.write(() => {
      for (const task of tasks) abandon(this.db, task)
      this.#doubtAll()
    })
  }

  #doubtAll(): void {
    setState(this.db, 'signature', '?')
    setState(this.db, 'looked', '0')
  }

  watch(wake: () => void): Disposable {
    let known = doltSignature(this.#beads)
    let askedAt = Date.now()
    const timer = setInterval(() => {
      const now = doltSignature(this.#beads)
      if (now === known && Math.abs(Date.now() - askedAt) < ASK_MS) return
      known = now
      askedAt = Date.now()
      wake()
    }, WATCH_MS)
    timer.unref()
    return { [Symbol.dispose]: () => clearInterval(timer) }
  }
}

export function refusedBy(reason: string): AppError {
  return new AppError('failed', `bd refused: ${reason}`, { hint: 'it stands as bd has it' })
}

/** A bd that cannot be asked, or gives no answer, as a value. */
export async function orTrouble<T>(work: () => Promise<T>): Promise<T | AppError> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'queue') throw error
    return error
  }
}
