import type { Run } from '../domain/run/run.ts'
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
 * so the times are moved with it. The times of runs move with it in both directions, so that none seems to have lasted a day
 * longer, or less than nothing. The machine's own sleep is no such step: its clock is right.
 */
export class WallClock {
  readonly #world: World
  readonly #work: RetryingWork
  readonly #parts: WallClockParts
  /** How far the wall clock is ahead of the monotonic one. */
  #ahead: number
  /** How long the machine has slept, by now. */
  #slept: number

  constructor(world: World, work: RetryingWork, parts: WallClockParts) {
    this.#world = world
    this.#work = work
    this.#parts = parts
    const now = world.clock.monotonic()
    this.#ahead = world.clock.now() - now
    this.#slept = this.#sleepBefore(now)
  }

  everySecond(now: number): void {
    const { clock, queue, ledger, log } = this.#world
    const ahead = clock.now() - now
    const jumped = Math.round(this.#ahead - ahead)
    const slept = this.#sleepBefore(now)
    const by = Math.round(jumped + Math.max(0, slept - this.#slept))
    this.#ahead = ahead
    this.#slept = slept
    // As after a suspend: anything that waits for a wall-clock time may be due, and a lease may have run out.
    if (jumped <= -STEP) {
      this.#parts.forward()
      this.#parts.wake()
    }
    if (Math.abs(by) < STEP) return
    if (by < 0) {
      log('clock-set-forward', { by_ms: -by })
      const wall = clock.now()
      this.#work.run(`follow the clock forward by ${-by} ms`, async () => {
        const { from, to } = stepForward(ledger.openRuns(), wall, -by)
        ledger.clockSetForward(to - from, to)
        this.#moveRuns(to - from, from)
      })
      return
    }
    log('clock-set-back', { by_ms: by })
    this.#moveRuns(-by)
    this.#work.run(`follow the clock back by ${by} ms`, async () => {
      await queue.clockSetBack(by)
      ledger.clockSetBack(by)
      this.#parts.wake()
    })
  }

  /** As in the ledger: a run that began before a lane's pause must not look as if it began after it. */
  #moveRuns(by: number, startedBy = Number.POSITIVE_INFINITY): void {
    for (const live of this.#parts.runs.live) {
      if (live.record.startedAt > startedBy) continue
      live.record = { ...live.record, startedAt: live.record.startedAt + by }
      if (live.digest.lastEventAt !== undefined) live.digest.lastEventAt += by
    }
  }

  #sleepBefore(now: number): number {
    const { clock } = this.#world
    return clock.sinceBoot() - now
  }
}

/**
 * The old time at which the clock was set forward, and the new time it is counted as. Up to a second passes before the step
 * is noticed. A run that began within it has the new time already and must stay later than all that is moved.
 */
export function stepForward(
  runs: readonly Pick<Run, 'startedAt'>[],
  now: number,
  by: number,
): { from: number; to: number } {
  const from = now - by
  const begunSince = runs.filter(({ startedAt }) => startedAt > from)
  return { from, to: Math.min(now, ...begunSince.map(({ startedAt }) => startedAt - 1)) }
}
