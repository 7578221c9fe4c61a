import type { HostState } from '../domain/host.ts'
import type { Outcome } from '../domain/outcome.ts'
import type { Request } from '../domain/run.ts'
import { watch } from '../domain/watchdog.ts'
import { waitsForRetry, wishOf } from './admit.ts'
import { follow, readLetters, writeDown } from './follow.ts'
import { mendLanes, tryDownLanesAgain } from './lanes.ts'
import { Leases } from './leases.ts'
import { Leftovers } from './leftovers.ts'
import { type LiveRun, vitalsOf } from './live-run.ts'
import { OrdersInHand } from './orders-in-hand.ts'
import { CROWD_MS, paced } from './paced.ts'
import { wrongPayer } from './payer.ts'
import { Perseverance } from './perseverance.ts'
import { RunsInHand } from './runs-in-hand.ts'
import { awaitSidecar, followSidecar } from './sidecar.ts'
import { lookIfSilent, whySilent } from './silence.ts'
import { giveBackStrays } from './strays.ts'
import type { World } from './world.ts'

/** How often a supervisor with agents asks whether anything has changed, and an idle one. */
const TICK = 50
const POLL = 250
/** How often what agents print is read. Their ends are told, and what they printed last is read then. */
const READ_EVERY = 200
/** Less than this is no reason to touch what waits. */
const CLOCK_STEP = 5000
/** How often figures go to the ledger, letters are looked for, and what failed is tried again. */
const WRITE_EVERY = 1000

export interface Ending {
  /** Tasks that this supervisor left blocked. */
  readonly blocked: number
}

/** Claims tasks, runs agents on them, follows each to a settled end. One per home. */
export class Supervisor {
  readonly #world: World
  readonly #once: boolean
  readonly #work: Perseverance
  readonly #runs: RunsInHand
  readonly #leftovers: Leftovers
  readonly #leases: Leases
  readonly #orders: OrdersInHand
  /** Until everything that was left is accounted for, nothing may be claimed: a new claim would look like a stray one. */
  #adopting = true
  /** `tending`: looks after what runs, and claims nothing. */
  #mode: 'claiming' | 'tending' | 'draining' | 'stopping' | 'over'
  #turning = false
  readonly #turnSoon = paced(CROWD_MS, () => void this.#turn())
  #again = false
  #version = -1
  #timer: NodeJS.Timeout | undefined
  #wroteAt = Number.NEGATIVE_INFINITY
  #readAt = Number.NEGATIVE_INFINITY
  /** Of the monotonic one. */
  #clockAhead: number
  #lookAt = Number.NEGATIVE_INFINITY
  /** A claim was not answered: what it took is ours, and nobody knows of it. */
  #strays = false
  /** Why nothing is claimed although there is room. */
  #withheld: string | undefined
  #resolve: (ending: Ending) => void = () => {}
  /** When it is over, for whatever reason. */
  readonly finished: Promise<Ending>

  constructor(world: World, options: { once?: boolean; claiming?: boolean } = {}) {
    this.#world = world
    this.#clockAhead = world.clock.now() - world.clock.monotonic()
    this.#once = options.once ?? false
    this.#mode = options.claiming === false ? 'tending' : 'claiming'
    this.#work = new Perseverance(world, () => this.#endIfDone())
    this.#runs = new RunsInHand(world, this.#work, () => this.#ended())
    this.#leftovers = new Leftovers(world, this.#work, this.#runs)
    const news = { takenAway: (live: LiveRun) => this.#takenAway(live), answers: () => this.#answers() }
    this.#leases = new Leases(world, this.#work, { runs: this.#runs, news })
    this.#orders = new OrdersInHand(world, this.#work)
    this.finished = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  get running(): number {
    return this.#runs.count
  }

  /** What it does now, for others to know. */
  get standing(): { readonly mode: HostState; readonly live: readonly LiveRun[] } {
    return { mode: this.#mode === 'over' ? 'stopping' : this.#mode, live: this.#runs.live }
  }

  /** Adopt what lives, settle what ended, give back what was claimed and never begun: only then claim. */
  async start(): Promise<void> {
    // Let go before it began.
    if (this.#mode === 'over') return
    const { ledger, log, clock } = this.#world
    tryDownLanesAgain(this.#world)
    for (const { id, kind } of ledger.pendingRequests()) {
      if (kind === 'drain') ledger.done(id, clock.now(), 'withdrawn: it was asked of an earlier supervisor')
    }
    for (const run of ledger.openRuns()) {
      // One that cannot be looked at must not keep the others from being looked after.
      await this.#runs.adopt(run).catch((error: unknown) => {
        this.#work.trouble(error, `adopt ${run.id}`)
        this.#work.owe(`adopt ${run.id}`, () => this.#runs.adopt(run))
      })
    }
    this.#leftovers.owed = true
    await giveBackStrays(this.#world, this.#runs)
    this.#adopting = false
    log('supervisor started', { adopted: this.#runs.count })
    this.#schedule(0)
    this.wake()
  }

  /** Something may have changed. A hint: it also looks by itself. */
  wake(): void {
    if (!this.#adopting) this.#turnSoon()
  }

  /** Somebody else has written to the queue: perhaps taken one of our tasks away. The ledger tells nothing of that. */
  queueChanged(): void {
    this.#version = -1
    this.wake()
  }

  /** The configuration is another one: what kept a lane down may be mended. */
  reconfigured(): void {
    this.#work.attempt('try lanes again', () => tryDownLanesAgain(this.#world))
    this.wake()
  }

  /** No new claims; over when the last run has ended. */
  drain(): void {
    if (this.#mode !== 'claiming' && this.#mode !== 'tending') return
    this.#world.log('draining')
    this.#mode = 'draining'
    this.#schedule(0)
  }

  /** Stops agents gracefully, sessions kept, tasks open again; `atOnce` without grace. */
  stop({ by, atOnce = false }: { by: string; atOnce?: boolean }): void {
    if (this.#mode === 'over') return
    this.#mode = 'stopping'
    this.#world.log('stopping', { runs: this.#runs.count, atOnce })
    this.#runs.stopAll({ want: { code: 'stopped', text: `the supervisor was stopped by ${by}` }, atOnce })
    this.#schedule(0)
  }

  /** Lets go of everything as it is: the next supervisor adopts it. */
  keep({ force = false } = {}): void {
    // Agents that are just being stopped would look to the next one as if they had failed.
    if (this.#mode === 'over' || (this.#mode === 'stopping' && !force)) return
    this.#runs.letGo()
    for (const live of this.#runs.live) this.#work.attempt('write down', () => writeDown(this.#world, live))
    this.#work.flush()
    this.#world.log('leaving agents to the next supervisor', { runs: this.#runs.count })
    this.#end()
  }

  // ---- following ----

  /** The one timer: fast while agents print, slow while there is nothing to do. */
  #schedule(afterMs: number): void {
    if (this.#mode === 'over' || this.#adopting) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#tick(), afterMs)
  }

  /** Read, watch, confirm. Synchronous, so that nothing is interleaved with it. */
  #tick(): void {
    const now = this.#world.clock.monotonic()
    let busy = false
    if (now - this.#readAt >= READ_EVERY) {
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
      if (now >= this.#lookAt || this.#world.ledger.version() !== this.#version) this.wake()
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
        busy = follow(this.#world, live) || busy
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
    this.#work.attempt('answer orders', () => this.#orders.tell())
    mendLanes(world, live).then(
      (mended) => mended && this.wake(),
      (error) => this.#work.trouble(error, 'mend lanes'),
    )
    this.#watchClock(now)
    this.#leases.everySecond(now)
  }

  /** Set forward, it only brings on what waits; set back by a day it would put off every retry by one. */
  #watchClock(now: number): void {
    const { clock, queue, ledger, log } = this.#world
    const ahead = clock.now() - now
    const by = Math.round(this.#clockAhead - ahead)
    this.#clockAhead = ahead
    // As after a suspend: whatever waited for a moment of the wall clock may be due, and a lease may be over.
    if (by <= -CLOCK_STEP) {
      this.#leases.renewSoon()
      this.wake()
    }
    if (by < CLOCK_STEP) return
    log('the clock was set back', { by_ms: by })
    this.#work.until(`follow the clock back by ${by} ms`, async () => {
      await queue.clockSetBack(by)
      ledger.clockSetBack(by)
      // As in the ledger: what began before a pause must not look as if it had begun after it.
      for (const live of this.#runs.live) live.record = { ...live.record, startedAt: live.record.startedAt - by }
      this.wake()
    })
  }

  #writeDown(live: LiveRun): void {
    const { task, attempt } = live.record
    const { stderrBytes } = live
    live.stderrBytes = this.#world.attempts.complained(task, attempt)?.bytes ?? 0
    if (live.stderrBytes > stderrBytes) live.complainedAt = this.#world.clock.monotonic()
    awaitSidecar(this.#world, live)
    readLetters(this.#world, live)
    writeDown(this.#world, live)
  }

  // ---- claiming ----

  #takenAway(live: LiveRun): void {
    const { queue, log } = this.#world
    log('somebody else has the task now', { task: live.record.task, run: live.record.id })
    const elsewhere = queue.shared === true ? ', or its lease ran out' : ''
    const text = `a person closed, reopened, reassigned or deleted the task${elsewhere}`
    const want: Outcome = { code: 'taken-away', text }
    this.#runs.advance(live, { kind: 'stop', want })
  }

  #answers(): void {
    this.#work.well()
    this.wake()
  }

  /** One at a time; a wake in the middle means once more. */
  async #turn(): Promise<void> {
    this.#again = true
    if (this.#turning) return
    this.#turning = true
    try {
      while (this.#again && this.#mode !== 'over') {
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
    const version = world.ledger.version()
    if (version !== this.#version) {
      this.#version = version
      await this.#orders.take()
      for (const request of world.ledger.pendingRequests()) this.#answer(request)
      await this.#checkClaims()
    }
    this.#orders.tell()
    this.#lookAt = Number.POSITIVE_INFINITY
    if (this.#mode !== 'claiming') return
    if (world.clock.monotonic() < this.#work.restUntil) {
      this.#lookAt = this.#work.restUntil
      return
    }
    const { starters, why, ...wish } = wishOf(world, this.#runs.live, this.#runs.starting)
    if (why !== undefined || wish.limit > 0) this.#withhold(why)
    if (wish.limit === 0) {
      if (this.#once && this.running === 0 && wish.forPeople) this.#mode = 'draining'
      return this.#lookAgainAt(wish.lookAgainAt())
    }
    if (this.#strays) await giveBackStrays(world, this.#runs)
    const asked = { askedAt: world.clock.monotonic(), leaseMs: world.policy().lease }
    this.#strays = true
    const claims = await world.queue.claim({ ...wish, by: world.name, leaseMs: asked.leaseMs })
    this.#strays = false
    this.#leases.granted(claims, asked)
    if (claims.length > 0) this.#runs.begin(claims, starters)
    if (claims.length === wish.limit) return
    const retryAt = await world.queue.nextRetryAt()
    if (this.#runs.count === 0) this.#work.well()
    this.#lookAgainAt(Math.min(wish.lookAgainAt(), retryAt ?? Number.POSITIVE_INFINITY))
    if (this.#once && this.running === 0 && !waitsForRetry(world, retryAt)) this.#mode = 'draining'
  }

  /** Said when it begins and when it is over. */
  #withhold(why: string | undefined): void {
    if (why === this.#withheld) return
    this.#withheld = why
    this.#world.log(why === undefined ? 'claiming again' : 'claiming nothing', { why })
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
    if (this.#runs.starting.length > 0) this.#version = -1
    const held = new Set<string>()
    // Adopted ones may be held under the name that this machine had before.
    for (const by of new Set(live.map(({ claim }) => claim.by))) {
      for (const { id, token } of await this.#world.queue.claimsOf(by)) held.add(`${id} ${token}`)
    }
    for (const each of live) {
      if (each.state.phase !== 'ended' && !held.has(`${each.claim.id} ${each.claim.token}`)) this.#takenAway(each)
    }
  }

  #answer({ id, kind, task, by }: Request): void {
    const { ledger, clock, log } = this.#world
    log('asked to', { what: kind, task, by })
    if (kind === 'drain') {
      this.drain()
      ledger.done(id, clock.now(), 'draining')
      return
    }
    const [code, did] = kind === 'kill' ? (['killed', 'stopped'] as const) : (['paused', 'paused'] as const)
    const asked = { request: id, want: { code, text: `${did} by ${by}`, by } }
    if (!this.#runs.stopTask(task, asked)) ledger.done(id, clock.now(), 'it was not running')
  }

  // ---- the end ----

  #ended(): void {
    this.#leftovers.owed = true
    this.wake()
  }

  #endIfDone(): void {
    if (this.#adopting || (this.#mode !== 'draining' && this.#mode !== 'stopping')) return
    if (this.#runs.count === 0) this.#work.attempt('answer orders', () => this.#orders.tell())
    if (this.#runs.count + this.#work.pending === 0 && !this.#leftovers.owed) this.#end()
  }

  #end(): void {
    this.#mode = 'over'
    clearTimeout(this.#timer)
    this.#resolve({ blocked: this.#runs.blocked })
  }
}

function isAlive({ state }: LiveRun): boolean {
  return state.phase === 'running' || state.phase === 'stopping' || state.phase === 'leaving'
}
