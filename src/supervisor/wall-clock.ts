import type { RetryingWork } from './retrying-work.ts'
import type { ActiveRuns } from './run/active-runs.ts'
import type { World } from './world.ts'

/** A smaller step leaves everything that waits as it is. */
const STEP = 5000

export interface WallClockParts {
  readonly runs: ActiveRuns
  /** Called when the clock was set forward, or the machine has slept. */
  forward(): void
  wake(): void
}

/**
 * Notices when the wall clock is set. Forward only brings retries on sooner; back by a day would delay every retry by a day,
 * so the times are moved with it.
 */
export class WallClock {
  readonly #world: World
  readonly #work: RetryingWork
  readonly #parts: WallClockParts
  /** How far the wall clock is ahead of the monotonic one. */
  #ahead: number

  constructor(world: World, work: RetryingWork, parts: WallClockParts) {
    this.#world = world
    this.#work = work
    this.#parts = parts
    this.#ahead = world.clock.now() - world.clock.monotonic()
  }

  everySecond(now: number): void {
    const { clock, queue, ledger, log } = this.#world
    const ahead = clock.now() - now
    const by = Math.round(this.#ahead - ahead)
    this.#ahead = ahead
    // As after a suspend: anything that waits for a wall-clock time may be due, and a lease may have run out.
    if (by <= -STEP) {
      this.#parts.forward()
      this.#parts.wake()
    }
    if (by < STEP) return
    log('clock-set-back', { by_ms: by })
    this.#work.run(`follow the clock back by ${by} ms`, async () => {
      await queue.clockSetBack(by)
      ledger.clockSetBack(by)
      // As in the ledger: a run that began before a lane's pause must not look as if it began after it.
      for (const live of this.#parts.runs.live) live.record = { ...live.record, startedAt: live.record.startedAt - by }
      this.#parts.wake()
    })
  }
}
