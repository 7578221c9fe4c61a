import type { RetryingWork } from './retrying-work.ts'
import type { ActiveRuns } from './run/active-runs.ts'
import type { World } from './world.ts'

/** Less than this is no reason to touch what waits. */
const STEP = 5000

export interface ClockNews {
  readonly runs: ActiveRuns
  /** It was set forward, or the machine has slept. */
  forward(): void
  wake(): void
}

/** Set forward, it only brings on what waits; set back by a day it would put off every retry by one. */
export class WallClock {
  readonly #world: World
  readonly #work: RetryingWork
  readonly #news: ClockNews
  /** Of the monotonic one. */
  #ahead: number

  constructor(world: World, work: RetryingWork, news: ClockNews) {
    this.#world = world
    this.#work = work
    this.#news = news
    this.#ahead = world.clock.now() - world.clock.monotonic()
  }

  everySecond(now: number): void {
    const { clock, queue, ledger, log } = this.#world
    const ahead = clock.now() - now
    const by = Math.round(this.#ahead - ahead)
    this.#ahead = ahead
    // As after a suspend: whatever waited for a moment of the wall clock may be due, and a lease may be over.
    if (by <= -STEP) {
      this.#news.forward()
      this.#news.wake()
    }
    if (by < STEP) return
    log('clock-set-back', { by_ms: by })
    this.#work.run(`follow the clock back by ${by} ms`, async () => {
      await queue.clockSetBack(by)
      ledger.clockSetBack(by)
      // As in the ledger: what began before a pause must not look as if it had begun after it.
      for (const live of this.#news.runs.live) live.record = { ...live.record, startedAt: live.record.startedAt - by }
      this.#news.wake()
    })
  }
}
