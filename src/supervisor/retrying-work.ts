import { AppError } from '../errors.ts'
import { CROWD_MS, throttled } from './throttle.ts'
import type { World } from './world.ts'

/** The longest back-off. */
const LONGEST_REST = 30_000
/** Work that begins something new, and therefore backs off after trouble. */
const BEGINNING = new Set(['claim', 'begin', 'launch'])

/**
 * Every loop survives its own errors. Work that others depend on is retried until it is done. Writes that the next supervisor
 * could work out by itself are delayed, and share one transaction. The same trouble is logged once, and backed off from.
 */
export class RetryingWork {
  readonly #world: World
  readonly #done: () => void
  /** Failed work to retry, by name: the store was in trouble, or the disk full. */
  readonly #toRetry = new Map<string, () => Promise<void>>()
  /** Delayed writes. */
  readonly #writes: (() => void)[] = []
  readonly #flushSoon = throttled(CROWD_MS, () => this.flush())
  #underWay = 0
  #rest = 0
  /** The last failure logged for each piece of work. */
  readonly #logged = new Map<string, string>()
  /** Begin nothing new before then. Of the monotonic clock. */
  restUntil = 0
  /** Why nothing could be begun the last time; undefined: something could. */
  resting: string | undefined
  #isOfQueue = false

  /** `done` is called whenever a piece of work is done. */
  constructor(world: World, done: () => void) {
    this.#world = world
    this.#done = done
  }

  get pending(): number {
    return this.#toRetry.size + this.#writes.length + this.#underWay
  }

  /** Whether the work of that name has failed and is yet to be done. */
  isFailing(name: string): boolean {
    return this.#logged.has(name)
  }

  /** Runs it now, and retries it until it succeeds. */
  run(name: string, work: () => Promise<void>): void {
    this.#underWay++
    const done = () => {
      this.#underWay--
      this.#logged.delete(name)
      this.#done()
    }
    work().then(done, (error: unknown) => {
      this.#underWay--
      this.retryLater(name, work)
      this.trouble(error, name)
    })
  }

  /** Runs it at the next retry. */
  retryLater(name: string, work: () => Promise<void>): void {
    this.#toRetry.set(name, work)
  }

  tryAgain(): void {
    this.flush()
    for (const [name, work] of [...this.#toRetry]) {
      this.#toRetry.delete(name)
      this.run(name, work)
    }
  }

  /** Runs work that a later tick repeats anyway. */
  attempt(what: string, work: () => void): void {
    try {
      work()
      if (this.#logged.size > 0) this.#logged.delete(what)
    } catch (error) {
      this.trouble(error, what)
    }
  }

  writeLater(write: () => void): void {
    this.#writes.push(write)
    this.#flushSoon()
  }

  /** Writes everything delayed. A failed transaction stays, and goes with the next. */
  flush(): void {
    if (this.#writes.length === 0) return
    this.attempt('write to the ledger', () => {
      this.#world.ledger.together(() => {
        for (const write of this.#writes) write()
      })
      this.#writes.length = 0
    })
    this.#done()
  }

  /** Nothing of it can be done any more: the store is lost. */
  abandon(): void {
    this.#toRetry.clear()
    this.#writes.length = 0
  }

  trouble(error: unknown, what: string): void {
    // Trouble with one run is no reason to stop beginning others.
    if (BEGINNING.has(what) || (error instanceof AppError && error.code === 'queue')) {
      const now = this.#world.clock.monotonic()
      // Runs that begin together meet the same trouble together.
      if (now >= this.restUntil) {
        this.#rest = Math.min(Math.max(1000, this.#rest * 2), LONGEST_REST)
        this.restUntil = now + this.#rest
      }
      this.resting = error instanceof Error ? error.message : String(error)
      this.#isOfQueue = what === 'claim' || (error instanceof AppError && error.code === 'queue')
    }
    const why = error instanceof Error ? error.message : String(error)
    if (this.#logged.get(what) === why) return
    this.#logged.set(what, why)
    const stack = error instanceof AppError || !(error instanceof Error) ? undefined : error.stack
    this.#world.log('work-failed', { what, why, stack })
  }

  /** The queue has answered: its own trouble is over. That of the machine is over when something has begun. */
  answered(): void {
    if (this.#isOfQueue) this.recovered()
  }

  /** Something succeeded: the next trouble is a new one. */
  recovered(): void {
    this.#rest = 0
    this.restUntil = 0
    this.resting = undefined
    for (const what of BEGINNING) this.#logged.delete(what)
  }
}
