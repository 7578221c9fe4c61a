import { AppError } from '../errors.ts'
import type { World } from './world.ts'

const LONGEST_REST = 30_000

/**
 * Every loop survives its own errors. What somebody depends on is tried until it is done; what the next supervisor would
 * find out by itself is written behind, all of a turn in one transaction; and trouble is told once and rested on.
 */
export class Perseverance {
  readonly #world: World
  readonly #done: () => void
  /** What has to be done and could not be: the store was in trouble, or the disk full. */
  readonly #owed = new Map<string, () => Promise<void>>()
  readonly #behind: (() => void)[] = []
  #rest = 0
  #told: string | undefined
  /** Nothing new is begun before. Of the monotonic clock. */
  restUntil = 0

  /** `done` is called whenever something that was owed is not any more. */
  constructor(world: World, done: () => void) {
    this.#world = world
    this.#done = done
  }

  get pending(): number {
    return this.#owed.size + this.#behind.length
  }

  /** Work that will be done, now or at a later try. */
  until(name: string, work: () => Promise<void>): void {
    work().then(this.#done, (error: unknown) => {
      this.#owed.set(name, work)
      this.trouble(error, name)
    })
  }

  tryAgain(): void {
    for (const [name, work] of [...this.#owed]) {
      this.#owed.delete(name)
      this.until(name, work)
    }
  }

  /** Work that comes round again by itself. */
  attempt(what: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.trouble(error, what)
    }
  }

  behind(write: () => void): void {
    if (this.#behind.push(write) === 1) setImmediate(() => this.flush())
  }

  flush(): void {
    const writes = this.#behind.splice(0)
    if (writes.length === 0) return
    this.until('write to the ledger', async () => {
      this.#world.ledger.together(() => {
        for (const write of writes) write()
      })
    })
  }

  trouble(error: unknown, what: string): void {
    this.#rest = Math.min(Math.max(1000, this.#rest * 2), LONGEST_REST)
    this.restUntil = this.#world.clock.monotonic() + this.#rest
    const why = error instanceof Error ? error.message : String(error)
    if (this.#told === why) return
    this.#told = why
    const stack = error instanceof AppError || !(error instanceof Error) ? undefined : error.stack
    this.#world.log('in trouble, trying again', { what, why, stack })
  }

  /** Something went as it should: the next trouble is a new one. */
  well(): void {
    if (this.#told === undefined) return
    this.#rest = 0
    this.restUntil = 0
    this.#told = undefined
    this.#world.log('out of trouble')
  }
}
