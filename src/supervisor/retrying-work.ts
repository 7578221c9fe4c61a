import { AppError } from '../errors.ts'
import { CROWD_MS, paced } from './paced.ts'
import type { World } from './world.ts'

const LONGEST_REST = 30_000
const BEGINNING = new Set(['claim', 'begin', 'launch'])

/**
 * Every loop survives its own errors. What somebody depends on is tried until it is done; what the next supervisor would
 * find out by itself is written behind, all of a turn in one transaction; and trouble is told once and rested on.
 */
export class RetryingWork {
  readonly #world: World
  readonly #done: () => void
  /** What has to be done and could not be: the store was in trouble, or the disk full. */
  readonly #owed = new Map<string, () => Promise<void>>()
  readonly #behind: (() => void)[] = []
  readonly #flushSoon = paced(CROWD_MS, () => this.flush())
  #underWay = 0
  #rest = 0
  /** What failed last, by what was to be done. */
  readonly #told = new Map<string, string>()
  /** Nothing new is begun before. Of the monotonic clock. */
  restUntil = 0

  /** `done` is called whenever something that was owed is not any more. */
  constructor(world: World, done: () => void) {
    this.#world = world
    this.#done = done
  }

  get pending(): number {
    return this.#owed.size + this.#behind.length + this.#underWay
  }

  /** Work that will be done, now or at a later try. */
  run(name: string, work: () => Promise<void>): void {
    this.#underWay++
    const done = () => {
      this.#underWay--
      this.#told.delete(name)
      this.#done()
    }
    work().then(done, (error: unknown) => {
      this.#underWay--
      this.retryLater(name, work)
      this.trouble(error, name)
    })
  }

  /** At the next try. */
  retryLater(name: string, work: () => Promise<void>): void {
    this.#owed.set(name, work)
  }

  tryAgain(): void {
    this.flush()
    for (const [name, work] of [...this.#owed]) {
      this.#owed.delete(name)
      this.run(name, work)
    }
  }

  /** Work that comes round again by itself. */
  attempt(what: string, work: () => void): void {
    try {
      work()
      if (this.#told.size > 0) this.#told.delete(what)
    } catch (error) {
      this.trouble(error, what)
    }
  }

  writeLater(write: () => void): void {
    this.#behind.push(write)
    this.#flushSoon()
  }

  /** What could not be written stays, and goes with the next that can. */
  flush(): void {
    if (this.#behind.length === 0) return
    this.attempt('write to the ledger', () => {
      this.#world.ledger.together(() => {
        for (const write of this.#behind) write()
      })
      this.#behind.length = 0
    })
    this.#done()
  }

  trouble(error: unknown, what: string): void {
    // What is wrong with one run is no reason to begin no other.
    if (BEGINNING.has(what) || (error instanceof AppError && error.code === 'queue')) {
      this.#rest = Math.min(Math.max(1000, this.#rest * 2), LONGEST_REST)
      this.restUntil = this.#world.clock.monotonic() + this.#rest
    }
    const why = error instanceof Error ? error.message : String(error)
    if (this.#told.get(what) === why) return
    this.#told.set(what, why)
    const stack = error instanceof AppError || !(error instanceof Error) ? undefined : error.stack
    this.#world.log('work-failed', { what, why, stack })
  }

  /** Something went as it should: the next trouble is a new one. */
  recovered(): void {
    this.#rest = 0
    this.restUntil = 0
    for (const what of BEGINNING) this.#told.delete(what)
  }
}
