import { type Lease, leaseOfUnknownAge, renewEveryMs, stopBeforeExpiry } from '../../domain/fleet/lease.ts'
import type { Claim } from '../../ports/queue.ts'
import type { RetryingWork } from '../retrying-work.ts'
import type { ActiveRuns } from '../run/active-runs.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'

export interface LeaseNews {
  /** The run's task now belongs to someone else. */
  takenAway(live: LiveRun): void
  /** The queue answers again after a failure. */
  answers(): void
}

/**
 * Renews the leases of the active runs, and reopens tasks whose holder let the lease lapse. On a shared queue, a run whose
 * lease could not be renewed in time is stopped before it expires; on a queue of one machine no other claimer can take the
 * task over, and the run continues.
 */
export class Leases {
  readonly #world: World
  readonly #work: RetryingWork
  readonly #runs: ActiveRuns
  readonly #news: LeaseNews
  readonly #leases = new Map<string, Lease>()
  /** A grant asked for before then may be older than it looks. */
  #knownSince = Number.NEGATIVE_INFINITY
  #renewedAt = Number.NEGATIVE_INFINITY
  #underWay = false
  #failed = false

  constructor(world: World, work: RetryingWork, { runs, news }: { runs: ActiveRuns; news: LeaseNews }) {
    this.#world = world
    this.#work = work
    this.#runs = runs
    this.#news = news
  }

  /** `askedAt`: a time before the queue was asked. */
  granted(claims: readonly Claim[], { askedAt, leaseMs }: { askedAt: number; leaseMs: number }): void {
    if (askedAt < this.#knownSince) return
    for (const claim of claims) this.#leases.set(keyOf(claim), { leaseMs, until: askedAt + leaseMs })
  }

  /** After a suspend: time may have passed that the monotonic clock did not count, so the rest of each lease is unknown. */
  renewSoon(): void {
    this.#renewedAt = Number.NEGATIVE_INFINITY
    this.#leases.clear()
    this.#knownSince = this.#world.clock.monotonic()
  }

  everySecond(now: number): void {
    if (this.#world.queue.shared === true) for (const live of this.#runs.live) this.#heed(live, now)
    const due = this.#failed || now - this.#renewedAt >= renewEveryMs(this.#world.policy().lease)
    if (!due || this.#underWay) return
    this.#renewedAt = now
    this.#underWay = true
    this.#renewAll()
      .then(
        () => {
          if (this.#failed) this.#news.answers()
          this.#failed = false
        },
        (error: unknown) => {
          this.#failed = true
          this.#work.trouble(error, 'renew leases')
        },
      )
      .finally(() => {
        this.#underWay = false
      })
  }

  #heed(live: LiveRun, now: number): void {
    const { policy, log } = this.#world
    const { lease, limits } = policy()
    const key = keyOf(live.claim)
    const held = this.#leases.get(key) ?? leaseOfUnknownAge(lease, limits.grace, now)
    this.#leases.set(key, held)
    const input = stopBeforeExpiry(held, limits.grace, now)
    if (input === undefined) return
    const { phase } = live.state
    this.#runs.advance(live, input)
    if (live.state.phase !== phase) log('run-cut-off', { task: live.record.task, run: live.record.id })
  }

  async #renewAll(): Promise<void> {
    const { queue, clock, log, policy } = this.#world
    const leaseMs = policy().lease
    const failed: unknown[] = []
    for (const live of this.#runs.live) {
      const askedAt = clock.monotonic()
      try {
        // An ended run too: until it is settled, no other claimer should begin its task.
        if (await queue.renew(live.claim, leaseMs)) this.granted([live.claim], { askedAt, leaseMs })
        else if (live.state.phase !== 'ended') this.#news.takenAway(live)
      } catch (error) {
        // One lost answer must not cost the other runs their leases.
        failed.push(error)
      }
    }
    if (failed.length > 0) throw failed[0]
    const reopened = await queue.reclaimExpired()
    if (reopened.length > 0) log('expired-claims-reopened', { tasks: reopened })
    this.#forgetOld()
  }

  #forgetOld(): void {
    const now = this.#world.clock.monotonic()
    const live = new Set(this.#runs.live.map(({ claim }) => keyOf(claim)))
    for (const [key, { until }] of this.#leases) if (until < now && !live.has(key)) this.#leases.delete(key)
  }
}

function keyOf({ id, token }: Claim): string {
  return `${id} ${token}`
}
