import { rfc3339 } from '../../domain/time.ts'
import { AppError } from '../../errors.ts'
import { doltSignature } from '../../platform/dolt-signature.ts'
import type { Database } from '../../platform/sqlite.ts'
import { type Bd, type BdCommand, queueTrouble, type Said } from './bd.ts'
import { takeLook } from './mirror.ts'
import { abandon, acquit, type Owed, owe, owedOf, told } from './owed.ts'
import { setState, stateOf } from './tables.ts'

/** Where there is no embedded database whose files tell: a look this long ago is recent enough. */
const RECENT_MS = 2000
/** Whoever waits for others' changes looks at bd's files this often, and asks bd itself no more often than that. */
const WATCH_MS = 1000
const ASK_MS = 30_000
/** bd was told so often, and still shows the old state. */
const TRIES = 3

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
  #last: Promise<unknown> = Promise.resolve()

  constructor(db: Database, { bd, beads }: { bd: Bd; beads: string }) {
    this.db = db
    this.bd = bd
    this.#beads = beads
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
  async fresh(): Promise<void> {
    if (this.#isFresh()) return
    await this.alone(() => this.refresh())
  }

  /** The same inside `alone`. */
  async refresh({ olderThanMs = Number.POSITIVE_INFINITY } = {}): Promise<void> {
    if (!this.#isFresh() || this.#age() > olderThanMs) await this.look()
  }

  #isFresh(): boolean {
    const signature = doltSignature(this.#beads)
    if (signature === '') return this.#age() < RECENT_MS
    return signature === this.db.guard(() => stateOf(this.db, 'signature'))
  }

  #age(): number {
    return Math.abs(Date.now() - Number(this.db.guard(() => stateOf(this.db, 'looked'))))
  }

  /** Everything bd has, whatever the signs say. What it was told and does not show, it is told again. Returns what it said. */
  async look(): Promise<string> {
    const since = Date.now()
    const signature = doltSignature(this.#beads)
    const text = await this.bd.read(['export', '--all'])
    const lines = text.split('\n').filter((line) => line.startsWith('{'))
    const lost = takeLook(this.db, { lines, since, now: rfc3339(since) })
    this.db.write(() => {
      setState(this.db, 'signature', signature)
      setState(this.db, 'looked', String(since))
    })
    for (const each of lost) await this.#tellAgain(each)
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

  /** Tells bd what it is owed of this task. false: bd refused, and is owed nothing any more. */
  async tell(task: string): Promise<boolean> {
    return (await this.#refusalOf(task)) === undefined
  }

  async mustTell(task: string): Promise<void> {
    const refusal = await this.#refusalOf(task)
    if (refusal === undefined) return
    this.db.write(() => this.db.sql(`update beads_seen set line = '', status = '?' where task = ?`).run(task))
    await this.look()
    throw new AppError('failed', `bd refused: ${refusal}`, { hint: 'it stands as bd has it' })
  }

  /** `later`: bd cannot be asked, and it stays owed. */
  async tryToTell(task: string): Promise<'told' | 'refused' | 'later'> {
    try {
      return (await this.tell(task)) ? 'told' : 'refused'
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'queue') throw error
      this.leave([task])
      return 'later'
    }
  }

  /** The debts of several tasks by one command. */
  async tellTogether(tasks: readonly string[], command: BdCommand): Promise<void> {
    if (tasks.length === 0) return
    try {
      await this.write(command)
      this.tellDone(tasks)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'queue') throw error
      this.leave(tasks)
    }
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

  async #refusalOf(task: string): Promise<string | undefined> {
    for (const { commands, told } of owedOf(this.db, task)) {
      for (const command of told === null ? commands : []) {
        const said = await this.call(command)
        if (said.ok) continue
        this.db.write(() => acquit(this.db, task))
        return said.reason
      }
    }
    this.tellDone([task])
    return undefined
  }

  async #tellAgain({ task, tries, commands }: Owed): Promise<void> {
    if (tries >= TRIES) {
      throw queueTrouble(`bd was told ${TRIES} times about ${task} and still shows what was before`)
    }
    for (const command of commands) await this.call(command)
    this.tellDone([task])
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
      this.db.write(() => setState(this.db, 'signature', doltSignature(this.#beads)))
    }
    return result
  }

  /** Whoever reads next asks bd, whatever the signs say, and tells it these. */
  leave(tasks: readonly string[]): void {
    this.db.write(() => {
      for (const task of tasks) abandon(this.db, task)
      setState(this.db, 'signature', '?')
    })
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
