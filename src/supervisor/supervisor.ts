import type { HostState } from '../domain/fleet/host.ts'
import { READ_EVERY_MS } from '../domain/fleet/schedule.ts'
import type { Outcome } from '../domain/run/outcome.ts'
import { watch } from '../domain/run/watchdog.ts'
import { type Wish, waitsForRetry, wishOf } from './claim/admit.ts'
import { Leases } from './claim/leases.ts'
import { releaseOrphanedClaims } from './claim/orphaned-claims.ts'
import { mendLanes, tryDownLanesAgain } from './lanes.ts'
import { Mode } from './mode.ts'
import { CROWD_MS, paced } from './paced.ts'
import { Requests } from './requests.ts'
import { RetryingWork } from './retrying-work.ts'
import { ActiveRuns } from './run/active-runs.ts'
import { vitalsOf } from './run/figures.ts'
import { follow, readLetters, writeDown } from './run/follow.ts'
import { Leftovers } from './run/leftovers.ts'
import type { LiveRun } from './run/live-run.ts'
import { wrongPayer } from './run/payer.ts'
import { awaitSidecar, followSidecar } from './run/sidecar.ts'
import { lookIfSilent, weighComplaints, whySilent } from './run/silence.ts'
import { PendingOrders } from './shared/pending-orders.ts'
import { WallClock } from './wall-clock.ts'
import type { World } from './world.ts'

/** How often a supervisor with agents asks whether anything has changed, and an idle one. */
const TICK = 50
const POLL = 250
/** How often figures go to the ledger, letters are looked for, and what failed is tried again. */
const WRITE_EVERY = 1000
/** How long a supervisor that is stopped tries to tell the queue what became of its runs, and one that is to end at once. */
const TELL = 10_000
const TELL_AT_ONCE = 3000

export interface Ending {
  /** Tasks that this supervisor left blocked. */
  readonly blocked: number
}

export interface SupervisorOptions {
  readonly once?: boolean
  readonly claiming?: boolean
  /** When others could first know of it. */
  readonly since?: number
  readonly became?: (mode: HostState) => void
}

/** Claims tasks, runs agents on them, follows each to a settled end. One per home. */
export class Supervisor {
  readonly #world: World
  readonly #once: boolean
  readonly #work: RetryingWork
  readonly #runs: ActiveRuns
  readonly #leftovers: Leftovers
  readonly #leases: Leases
  readonly #orders: PendingOrders
  readonly #requests: Requests
  readonly #wallClock: WallClock
  /** Until everything that was left is accounted for, nothing may be claimed: a new claim would look like a stray one. */
  #adopting = true
  readonly #mode: Mode
  #turning = false
  readonly #turnSoon = paced(CROWD_MS, () => void this.#turn())
  #again = false
  /** Something has changed, and the queue was not asked yet what that means for us. */
  #unseen = true
  #timer: NodeJS.Timeout | undefined
  #wroteAt = Number.NEGATIVE_INFINITY
  #readAt = Number.NEGATIVE_INFINITY
  #lookAt = Number.NEGATIVE_INFINITY
  /** A claim was not answered: what it took is ours, and nobody knows of it. */
  #strays = false
  /** The last look had nothing to claim, and saw nothing coming. */
  #foundNothing = false
  /** Why nothing is claimed although there is room. */
  #withheld: string | undefined
  /** A stop without grace was asked for. */
  #atOnce = false
  #allEndedAt: number | undefined
  #resolve: (ending: Ending) => void = () => {}
  /** When it is over, for whatever reason. */
  readonly finished: Promise<Ending>

  constructor(world: World, options: SupervisorOptions = {}) {
    this.#world = world
    this.#once = options.once ?? false
    this.#mode = new Mode(options.claiming === false ? 'tending' : 'claiming', options.became)
    this.#work = new RetryingWork(world, () => this.#endIfDone())
    this.#runs = new ActiveRuns(world, this.#work, () => this.#ended())
    this.#leftovers = new Leftovers(world, this.#work, this.#runs)
    const news = { takenAway: (live: LiveRun) => this.#takenAway(live), answers: () => this.#answers() }
    this.#leases = new Leases(world, this.#work, { runs: this.#runs, news })
    this.#orders = new PendingOrders(world, this.#work)
    const since = options.since ?? world.clock.now()
    this.#requests = new Requests(world, { runs: this.#runs, drain: () => this.drain(), since })
    const forward = () => this.#leases.renewSoon()
    this.#wallClock = new WallClock(world, this.#work, { runs: this.#runs, forward, wake: () => this.wake() })
    this.finished = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  get running(): number {
    return this.#runs.count
  }

  /** What it does now, for others to know. */
  get standing(): { readonly mode: HostState; readonly live: readonly LiveRun[] } {
    return { mode: this.#mode.told, live: this.#runs.live }
  }

  /** Adopt what lives, settle what ended, give back what was claimed and never begun: only then claim. */
  async start(): Promise<void> {
    // Let go before it began.
    if (this.#mode.is('over')) return
    const { ledger, log } = this.#world
    // A store that is busy in this very moment must not end what has hardly begun.
    this.#work.run('try lanes again', async () => tryDownLanesAgain(this.#world))
    for (const run of ledger.openRuns()) {
      // One that cannot be looked at must not keep the others from being looked after.
      await this.#runs.adopt(run).catch((error: unknown) => {
        this.#work.trouble(error, `adopt ${run.id}`)
        this.#work.retryLater(`adopt ${run.id}`, () => this.#runs.adopt(run))
      })
    }
    this.#leftovers.owed = true
    await releaseOrphanedClaims(this.#world, this.#runs).catch((error: unknown) => {
      this.#work.trouble(error, 'give back strays')
      this.#strays = true
    })
    this.#adopting = false
    this.#mode.say()
    log('supervisor-started', { adopted: this.#runs.count })
    this.#schedule(0)
    this.wake()
  }

  /** Something may have changed. A hint: it also looks by itself. */
  wake(): void {
    if (!this.#adopting) this.#turnSoon()
  }

  /** Somebody else has written to the queue: perhaps taken one of our tasks away. The ledger tells nothing of that. */
  queueChanged(): void {
    this.#unseen = true
    this.wake()
  }

  /** The configuration is another one: what kept a lane down may be mended. */
  reconfigured(): void {
    this.#work.attempt('try lanes again', () => tryDownLanesAgain(this.#world))
    this.wake()
  }

  /** No new claims; over when the last run has ended. */
  drain(): void {
    if (!this.#mode.is('claiming', 'tending')) return
    this.#mode.become('draining')
    this.#world.log('draining')
    this.#schedule(0)
  }

  /** Stops agents gracefully, sessions kept, tasks open again; `atOnce` without grace. */
  stop({ by, atOnce = false }: { by: string; atOnce?: boolean }): void {
    if (this.#mode.is('over')) return
    this.#mode.become('stopping')
    this.#atOnce ||= atOnce
    this.#world.log('stopping', { runs: this.#runs.count, atOnce })
    this.#runs.stopAll({ want: { code: 'stopped', text: `the supervisor was stopped by ${by}` }, atOnce })
    this.#schedule(0)
  }

  /** Lets go of everything as it is: the next supervisor adopts it. */
  keep({ force = false } = {}): void {
    // Agents that are just being stopped would look to the next one as if they had failed.
    if (this.#mode.is('over') || (this.#mode.is('stopping') && !force)) return
    this.#runs.letGo()
    for (const live of this.#runs.live) this.#work.attempt('write down', () => writeDown(this.#world, live))
    this.#work.flush()
    this.#world.log('agents-left-running', { runs: this.#runs.count })
    this.#end()
  }

  // ---- following ----

  /** The one timer: fast while agents print, slow while there is nothing to do. */
  #schedule(afterMs: number): void {
    if (this.#mode.is('over') || this.#adopting) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#tick(), afterMs)
  }

  /** Read, watch, confirm. Synchronous, so that nothing is interleaved with it. */
  #tick(): void {
    const now = this.#world.clock.monotonic()
    let busy = false
    // Their ends are told, and the last of it is read then.
    if (now - this.#readAt >= READ_EVERY_MS) {
      busy = this.#followAll(now)
      // Who printed more than was read is read on at once.
      this.#readAt = busy ? Number.NEGATIVE_INFINITY : now
    }
    this.#work.attempt('confirm', () => this.#leftovers.confirm(now))
    if (now - this.#wroteAt >= WRITE_EVERY) {
      this.#wroteAt = now
      this.#everySecond(now)
    }
    this.#work.attempt('poll', () => {
      const unseen = this.#unseen && now >= this.#work.restUntil
      if (unseen || now >= this.#lookAt || this.#requests.waiting) this.wake()
    })
    this.#endIfDone()
    this.#schedule(busy ? 0 : this.#runs.count > 0 || this.#leftovers.owed ? TICK : POLL)
  }

  /** True: somebody has printed more than was read. */
  #followAll(now: number): boolean {
    const { limits } = this.#world.policy()
    let busy = false
    for (const live of this.#runs.live) {
      this.#work.attempt('follow', () => {
        if (!isAlive(live)) return
        const silent = live.output.firstEventAt === undefined
        busy = follow(this.#world, live) || busy
        // Its start is over: others may have waited for that.
        if (silent && live.output.firstEventAt !== undefined && this.#world.startCost(live.record.coder) > 0)
          this.wake()
        busy = followSidecar(this.#world, live) || busy
      })
      this.#work.attempt('look at processes', () => lookIfSilent(this.#world, live, limits, now))
      // Also of one whose output cannot be read.
      this.#work.attempt('watch', () => {
        const silent = whySilent(this.#world, live, watch(live.state, vitalsOf(live), limits, now))
        const input = wrongPayer(this.#world, live) ?? silent
        if (input !== undefined) this.#runs.advance(live, input)
      })
    }
    return busy
  }

  #everySecond(now: number): void {
    const world = this.#world
    const { live } = this.#runs
    this.#work.attempt('write down', () =>
      world.ledger.together(() => {
        for (const each of live.filter(isAlive))
          this.#work.attempt(`write down ${each.record.id}`, () => this.#writeDown(each))
      }),
    )
    this.#work.tryAgain()
    mendLanes(world, live).then(
      (mended) => mended && this.wake(),
      (error) => this.#work.trouble(error, 'mend lanes'),
    )
    this.#wallClock.everySecond(now)
    this.#leases.everySecond(now)
  }

  #writeDown(live: LiveRun): void {
    awaitSidecar(this.#world, live)
    weighComplaints(this.#world, live)
    readLetters(this.#world, live)
    writeDown(this.#world, live)
  }

  // ---- claiming ----

  #takenAway(live: LiveRun): void {
    const { queue, log } = this.#world
    log('task-taken-away', { task: live.record.task, run: live.record.id })
    const elsewhere = queue.shared === true ? ', or its lease ran out' : ''
    const text = `a person closed, reopened, reassigned or deleted the task${elsewhere}`
    const want: Outcome = { code: 'taken-away', text }
    this.#runs.advance(live, { kind: 'stop', want })
  }

  #answers(): void {
    this.#work.recovered()
    this.wake()
  }

  /** One at a time; a wake in the middle means once more. */
  async #turn(): Promise<void> {
    this.#again = true
    // Who asks for something is answered also while the queue does not.
    if (this.#turning) return this.#work.attempt('answer requests', () => this.#hear())
    this.#turning = true
    try {
      while (this.#again && !this.#mode.is('over')) {
        this.#again = false
        await this.#look()
      }
    } catch (error) {
      this.#work.trouble(error, 'claim')
      this.#lookAt = this.#work.restUntil
    } finally {
      this.#turning = false
    }
    this.#endIfDone()
  }

  async #look(): Promise<void> {
    const world = this.#world
    const twice = this.#foundNothing
    this.#foundNothing = false
    this.#hear()
    if (this.#unseen) await this.#askQueue()
    this.#lookAt = Number.POSITIVE_INFINITY
    if (!this.#mode.is('claiming')) return
    if (world.clock.monotonic() < this.#work.restUntil) {
      this.#lookAt = this.#work.restUntil
      return
    }
    const { starters, why, paused, ...wish } = wishOf(world, this.#runs.live, this.#runs.starting)
    if (why !== undefined || wish.limit > 0) this.#withhold(why, paused)
    if (wish.limit === 0) {
      if (this.#once && this.running === 0 && wish.forPeople) this.#mode.become('draining')
      return this.#lookAgainAt(wish.lookAgainAt())
    }
    if (this.#strays) await releaseOrphanedClaims(world, this.#runs)
    const asked = { askedAt: world.clock.monotonic(), leaseMs: world.policy().lease }
    this.#strays = true
    const claims = await world.queue.claim({ ...wish, by: world.name, leaseMs: asked.leaseMs })
    this.#strays = false
    // Told to stop or to drain while the queue was asked.
    if (!this.#mode.is('claiming')) return this.#runs.giveBack(claims)
    this.#leases.granted(claims, asked)
    if (claims.length > 0) this.#runs.begin(claims, starters)
    if (claims.length === wish.limit) return
    const retryAt = await world.queue.nextRetryAt()
    if (this.#runs.count === 0) this.#work.recovered()
    this.#lookAgainAt(Math.min(wish.lookAgainAt(), retryAt ?? Number.POSITIVE_INFINITY))
    // Others may have been quicker with what was ready, and more be there: then the queue has told so meanwhile.
    if (!this.#once || this.running > 0 || this.#unseen || waitsForRetry(world, retryAt)) return
    // A retry may have come due after the claim and before the question: the next look would see it.
    if (twice) return this.#mode.become('draining')
    this.#foundNothing = true
    this.#again = true
  }

  #hear(): void {
    if (this.#requests.hear()) this.#unseen = true
  }

  /** What people elsewhere want of us, and whether what we have is still ours. */
  async #askQueue(): Promise<void> {
    this.#unseen = false
    try {
      if (await this.#orders.take()) this.#requests.answer()
      await this.#checkClaims()
    } catch (error) {
      this.#unseen = true
      throw error
    }
  }

  /** Said when it begins and when it is over. */
  #withhold(why: string | undefined, paused: Wish['paused']): void {
    if (why === this.#withheld) return
    this.#withheld = why
    if (why === undefined) this.#world.log('claiming-resumed')
    else this.#world.log('claiming-stopped', { why, paused })
  }

  /** A moment of the wall clock, waited for by the one that does not jump. */
  #lookAgainAt(wall: number): void {
    const { clock } = this.#world
    this.#lookAt = clock.monotonic() + Math.max(0, wall - clock.now())
  }

  /** A person who closed, reopened, reassigned or deleted a running task wants its run to end. */
  async #checkClaims(): Promise<void> {
    const { live } = this.#runs
    // What is only claimed yet is looked at when it has begun.
    if (this.#runs.starting.length > 0) this.#unseen = true
    const held = new Set<string>()
    // Adopted ones may be held under the name that this machine had before.
    for (const by of new Set(live.map(({ claim }) => claim.by))) {
      for (const { id, token } of await this.#world.queue.claimsOf(by)) held.add(`${id} ${token}`)
    }
    for (const each of live) {
      if (each.state.phase !== 'ended' && !held.has(`${each.claim.id} ${each.claim.token}`)) this.#takenAway(each)
    }
  }

  // ---- the end ----

  #ended(): void {
    this.#leftovers.owed = true
    this.wake()
  }

  #endIfDone(): void {
    this.#work.attempt('answer orders', () => this.#orders.tell())
    if (this.#adopting || !this.#mode.is('draining', 'stopping')) return
    if (this.#leftovers.owed) return
    if (this.#runs.count + this.#work.pending === 0 && !this.#turning) this.#end()
    else if (this.#mode.is('stopping') && this.#runs.allEnded) this.#endUnsettled()
  }

  /** All that is left to do is to tell the queue, which does not answer: the next supervisor does that. */
  #endUnsettled(): void {
    const now = this.#world.clock.monotonic()
    this.#allEndedAt ??= now
    if (now - this.#allEndedAt < (this.#atOnce ? TELL_AT_ONCE : TELL)) return
    this.#work.flush()
    this.#world.log('ended-before-settling', { runs: this.#runs.count })
    this.#end()
  }

  #end(): void {
    this.#mode.become('over')
    clearTimeout(this.#timer)
    this.#resolve({ blocked: this.#runs.blocked })
  }
}

function isAlive({ state }: LiveRun): boolean {
  return state.phase === 'running' || state.phase === 'stopping' || state.phase === 'leaving'
}
