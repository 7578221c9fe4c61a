import type { Landings } from '../landing/landings.ts'
import type { Mode } from '../mode.ts'
import type { Requests } from '../requests.ts'
import type { RetryingWork } from '../retrying-work.ts'
import type { ActiveRuns } from '../run/active-runs.ts'
import type { LiveRun } from '../run/live-run.ts'
import { afterLook, type LookFound, waitsForRetry } from '../run-once.ts'
import type { PendingOrders } from '../shared/pending-orders.ts'
import { CROWD_MS, throttled } from '../throttle.ts'
import type { World } from '../world.ts'
import { type Wish, wishOf } from './admit.ts'
import type { HeldLeases } from './held-leases.ts'
import { Leases } from './leases.ts'
import { lostClaims } from './lost-claims.ts'
import { releaseOrphanedClaims } from './orphaned-claims.ts'
import { unreviewedNow } from './unreviewed.ts'

/** After trouble: how soon to look again while one task tries whether it is over. */
const TRIAL_MS = 1000

export interface ClaimingParts {
  readonly runs: ActiveRuns
  readonly held: HeldLeases
  readonly requests: Requests
  readonly orders: PendingOrders
  readonly mode: Mode
  readonly landings: Landings
  readonly once: boolean
  /** Whether the files of the store are no longer those that were opened. Then the supervisor ends. */
  isLost(): boolean
  /** Called when no look is under way any more. */
  idle(): void
  /** Called when the machine begins to lack something that a run needs, and when it has it again. */
  lacks(what: string | undefined): void
}

/** Looks at the queue: hears requests and orders, stops the runs of lost claims, and claims what there is room for. */
export class Claiming {
  readonly #world: World
  readonly #work: RetryingWork
  readonly #parts: ClaimingParts
  readonly leases: Leases
  #look: 'none' | 'under-way' | 'again' = 'none'
  #lastFound: LookFound = 'more'
  /** The queue may have changed since it was last asked about orders and our claims. */
  #queueChanged = true
  /** When to look without being woken. Of the monotonic clock. */
  #lookAt = Number.NEGATIVE_INFINITY
  /** A claim may have succeeded without an answer: the queue has it, and no run does. */
  #mayHaveOrphans = false
  /** Why nothing is claimed although there is room. */
  #withheld: string | undefined
  #lacking: string | undefined

  constructor(world: World, work: RetryingWork, parts: ClaimingParts) {
    this.#world = world
    this.#work = work
    this.#parts = parts
    const news = { takenAway: (live: LiveRun) => this.#stopTakenAway(live), answers: () => this.#queueAnswers() }
    this.leases = new Leases(world, work, { runs: parts.runs, held: parts.held, news })
  }

  get isIdle(): boolean {
    return this.#look === 'none'
  }

  /** Soon, and once for all who ask until then. */
  readonly lookSoon = throttled(CROWD_MS, () => void this.#lookWhileWoken())

  queueChanged(): void {
    this.#queueChanged = true
  }

  isDue(now: number): boolean {
    const queueChanged = this.#queueChanged && now >= this.#work.restUntil
    return queueChanged || now >= this.#lookAt || this.#parts.requests.waiting
  }

  /** Claims of earlier supervisors of this home. What fails now is done before the next claim. */
  async releaseOrphans(): Promise<void> {
    try {
      await releaseOrphanedClaims(this.#world, this.#parts.runs)
    } catch (error) {
      this.#work.trouble(error, 'release orphaned claims')
      this.#mayHaveOrphans = true
    }
  }

  /** One look at a time. A wake during a look means one more. */
  async #lookWhileWoken(): Promise<void> {
    const isUnderWay = this.#look !== 'none'
    this.#look = 'again'
    // Requests are answered even while the queue is not.
    if (isUnderWay) return this.#work.attempt('answer requests', () => this.#hearRequests())
    try {
      while (this.#isWoken() && !this.#parts.mode.is('over')) {
        this.#look = 'under-way'
        this.#heed(await this.#lookOnce())
      }
    } catch (error) {
      this.#lastFound = 'more'
      this.#work.trouble(error, 'claim')
      this.#lookAt = this.#work.restUntil
    } finally {
      this.#look = 'none'
    }
    this.#parts.idle()
  }

  /** A function, because it changes during an await. */
  #isWoken(): boolean {
    return this.#look === 'again'
  }

  #heed(found: LookFound): void {
    const next = this.#parts.once ? afterLook(this.#lastFound, found) : 'wait'
    this.#lastFound = found
    if (next === 'end') this.#parts.mode.become('draining')
    if (next === 'look-again') this.#look = 'again'
  }

  async #lookOnce(): Promise<LookFound> {
    const world = this.#world
    const { runs, mode, once } = this.#parts
    const isIdle = (): boolean => runs.count === 0 || runs.onlyWait
    if (this.#parts.isLost()) return 'more'
    this.#hearRequests()
    if (this.#queueChanged) await this.#askQueue()
    this.#lookAt = Number.POSITIVE_INFINITY
    const unreviewed = await unreviewedNow(world)
    if (!mode.is('claiming')) return 'more'
    if (world.clock.monotonic() < this.#work.restUntil) {
      this.#tellLack(this.#work.resting)
      this.#lookAt = this.#work.restUntil
      return 'more'
    }
    const asking = wishOf(world, { runs: runs.working, starting: runs.starting, unreviewed })
    const { starters, why, paused, lacks } = asking
    // After trouble one task tries whether it is over, and not as many as there is room for.
    const wish = { ...asking, limit: Math.min(asking.limit, this.#work.resting === undefined ? asking.limit : 1) }
    if (why !== undefined || wish.limit > 0) this.#withhold(why, paused)
    this.#tellLack(paused === undefined ? (why ?? this.#work.resting ?? lacks) : undefined)
    if (wish.limit === 0) {
      this.#lookAgainAt(wish.lookAgainAt())
      return isIdle() && wish.forPeople ? 'withheld' : 'more'
    }
    if (this.#mayHaveOrphans) await releaseOrphanedClaims(world, runs)
    const asked = { askedAt: world.clock.sinceBoot(), leaseMs: world.policy().lease }
    this.#mayHaveOrphans = true
    const { limit, admits } = wish
    const claims = await world.queue.claim({ limit, ...(admits && { admits }), by: world.name, leaseMs: asked.leaseMs })
    this.#mayHaveOrphans = false
    this.#work.answered()
    // While nothing waits to be begun, the last trouble keeps nothing waiting.
    if (claims.length === 0) this.#tellLack(lacks)
    // A stop or a drain may have come during the claim.
    if (!mode.is('claiming')) {
      runs.giveBack(claims)
      return 'more'
    }
    this.#parts.held.granted(claims, asked)
    if (claims.length > 0) runs.begin(claims, starters)
    if (claims.length === wish.limit) {
      if (wish.limit < asking.limit) this.#lookAt = world.clock.monotonic() + TRIAL_MS
      return 'more'
    }
    const retryAt = await world.queue.nextRetryAt()
    if (runs.count === 0) this.#work.recovered()
    this.#lookAgainAt(Math.min(wish.lookAgainAt(), retryAt ?? Number.POSITIVE_INFINITY))
    // Other machines may have claimed the ready tasks, and more may have become ready: then the queue has changed again.
    if (!once || !isIdle() || this.#queueChanged) return 'more'
    return waitsForRetry(world, retryAt) || this.#parts.landings.willGoOn ? 'more' : 'nothing'
  }

  #hearRequests(): void {
    if (this.#parts.requests.hear()) this.#queueChanged = true
  }

  /** Asks for orders from other machines, and whether our claims still hold. */
  async #askQueue(): Promise<void> {
    const { runs, orders, requests } = this.#parts
    this.#queueChanged = false
    try {
      if (await orders.take()) requests.answer()
      const { live } = runs
      // A claim without a run yet is checked when the run has begun.
      if (runs.starting.length > 0) this.#queueChanged = true
      for (const each of await lostClaims(this.#world, live)) this.#stopTakenAway(each)
    } catch (error) {
      this.#queueChanged = true
      throw error
    }
  }

  #stopTakenAway(live: LiveRun): void {
    const { queue, log } = this.#world
    log('task-taken-away', { task: live.record.task, run: live.record.id })
    const elsewhere = queue.shared === true ? ', or its lease ran out' : ''
    const text = `a person closed, reopened, reassigned or deleted the task${elsewhere}`
    this.#parts.runs.advance(live, { kind: 'stop', want: { code: 'taken-away', text } })
  }

  #queueAnswers(): void {
    this.#work.recovered()
    this.lookSoon()
  }

  /** Trouble and a shortage that stops all claims are in the log anyway. */
  #tellLack(what: string | undefined): void {
    if (what === this.#lacking) return
    if (what !== undefined && what !== this.#work.resting && this.#withheld === undefined)
      this.#world.log('machine-lacks', { what })
    this.#lacking = what
    this.#parts.lacks(what)
  }

  /** Logged when it begins and when it is over. */
  #withhold(why: string | undefined, paused: Wish['paused']): void {
    if (why === this.#withheld) return
    this.#withheld = why
    if (why === undefined) this.#world.log('claiming-resumed')
    else this.#world.log('claiming-stopped', { why, paused })
  }

  /** `wall` is a time of the wall clock; the wait is measured by the monotonic one, which does not jump. */
  #lookAgainAt(wall: number): void {
    const { clock } = this.#world
    this.#lookAt = clock.monotonic() + Math.max(0, wall - clock.now())
  }
}
