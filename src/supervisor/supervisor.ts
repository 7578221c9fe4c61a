import type { Outcome } from '../domain/outcome.ts'
import type { Run } from '../domain/run.ts'
import { type RunEffect, type RunInput, step } from '../domain/run-machine.ts'
import { watch } from '../domain/watchdog.ts'
import { AppError } from '../errors.ts'
import type { Claim } from '../ports/queue.ts'
import { waitsForRetry, wishOf } from './admit.ts'
import { adopt } from './adopt.ts'
import { recordEnd, settle } from './conclude.ts'
import { amendReceipt, examine } from './examine.ts'
import { follow, readLetters, writeDown } from './follow.ts'
import { mendLanes, tryDownLanesAgain } from './lanes.ts'
import { beginRun, makeReady, type Plan, plan, start } from './launch.ts'
import { type LiveRun, placeOf, vitalsOf } from './live-run.ts'
import { refuse } from './refuse.ts'
import { type Marked, Sweeper } from './sweeper.ts'
import type { World } from './world.ts'

const LEASE = 120_000
const RENEW_EVERY = 20_000
/** How often what agents print is read, and how often an idle supervisor asks whether anything has changed. */
const TICK = 50
const POLL = 250
/** How often figures go to the ledger, letters are looked for, and what failed is tried again. */
const WRITE_EVERY = 1000
const LONGEST_BACKOFF = 30_000

export interface Ending {
  /** Tasks that this supervisor left blocked. */
  readonly blocked: number
}

/** Claims tasks, runs agents on them, follows each to a settled end. One per home. */
export class Supervisor {
  readonly #world: World
  readonly #once: boolean
  readonly #runs = new Map<string, LiveRun>()
  /** Claimed, and not running yet. */
  readonly #starting = new Map<string, Claim>()
  /** What has to be written and could not be: the store was in trouble. Tried again until it is. */
  readonly #owed = new Map<string, () => Promise<void>>()
  readonly #sweeper: Sweeper
  /** Until everything that was left is accounted for, nothing may be claimed: a new claim would look like a stray one. */
  #adopting = true
  #mode: 'claiming' | 'draining' | 'stopping' | 'over' = 'claiming'
  #stop: { want: Outcome; atOnce: boolean } | undefined
  #blocked = 0
  #turning = false
  #again = false
  #version = -1
  #timer: NodeJS.Timeout | undefined
  #wroteAt = Number.NEGATIVE_INFINITY
  #renewedAt = 0
  #lookAt = Number.NEGATIVE_INFINITY
  #backoff = 0
  #restUntil = 0
  readonly #behind: (() => void)[] = []
  #trouble: string | undefined
  #withheld: string | undefined
  #resolve: (ending: Ending) => void = () => {}
  /** When it is over, for whatever reason. */
  readonly finished: Promise<Ending>

  constructor(world: World, options: { once?: boolean; claiming?: boolean } = {}) {
    this.#world = world
    this.#once = options.once ?? false
    if (options.claiming === false) this.#mode = 'draining'
    this.#sweeper = new Sweeper(world.agents)
    this.finished = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  get running(): number {
    return this.#runs.size + this.#starting.size
  }

  /** Adopt what lives, settle what ended, give back what was claimed and never begun: only then claim. */
  async start(): Promise<void> {
    const { ledger, log } = this.#world
    this.#renewedAt = this.#world.clock.monotonic()
    tryDownLanesAgain(this.#world)
    for (const run of ledger.openRuns()) await this.#adopt(run)
    this.#sweeper.owed = true
    await this.#giveBackStrays()
    this.#adopting = false
    log('supervisor started', { adopted: this.#runs.size })
    if (this.#stop !== undefined) this.#stopAll(this.#stop)
    this.#schedule(0)
    this.wake()
  }

  /** Something may have changed. A hint: it also looks by itself. */
  wake(): void {
    void this.#turn()
  }

  /** The configuration is another one: what kept a lane down may be mended. */
  reconfigured(): void {
    this.#attempt('try lanes again', () => tryDownLanesAgain(this.#world))
    this.wake()
  }

  /** No new claims; over when the last run has ended. */
  drain(): void {
    if (this.#mode !== 'claiming') return
    this.#mode = 'draining'
    this.#world.log('draining')
    this.#schedule(0)
  }

  /** Stops agents gracefully, sessions kept, tasks open again; `atOnce` without grace. */
  stop(how: { by: string; atOnce?: boolean }): void {
    if (this.#mode === 'over') return
    this.#mode = 'stopping'
    const want: Outcome = { code: 'stopped', text: `the supervisor was stopped by ${how.by}` }
    this.#stop = { want, atOnce: how.atOnce === true }
    this.#world.log('stopping', { runs: this.#runs.size, atOnce: how.atOnce === true })
    this.#stopAll(this.#stop)
    if (!this.#adopting) this.#schedule(0)
  }

  #stopAll(stop: { want: Outcome; atOnce: boolean }): void {
    for (const live of [...this.#runs.values()]) this.#advance(live, { kind: 'stop', ...stop })
  }

  /** Lets go of everything as it is: the next supervisor adopts it. */
  keep(): void {
    if (this.#mode === 'over') return
    for (const live of this.#runs.values()) this.#attempt('write down', () => writeDown(this.#world, live))
    this.#world.log('leaving agents to the next supervisor', { runs: this.#runs.size })
    this.#end()
  }

  /** Ends one task's run. undefined: it is not running. */
  stopTask(task: string, want: Outcome, how: { atOnce?: boolean } = {}): LiveRun | undefined {
    const live = [...this.#runs.values()].find((each) => each.record.task === task)
    if (live !== undefined) this.#advance(live, { kind: 'stop', want, ...how })
    return live
  }

  // ---- one run ----

  async #begin(claim: Claim): Promise<void> {
    const world = this.#world
    const planned = await plan(world, claim)
    if (planned.kind === 'refused') {
      if (await refuse(world, claim, planned)) this.#blocked++
      return
    }
    if (this.#stopAsked() !== undefined) return void (await world.queue.settle(claim, { to: 'open' }))
    // From here on there is a run, and whatever happens to it is settled like any other.
    const live = beginRun(world, claim, planned.plan)
    this.#runs.set(live.record.id, live)
    try {
      await this.#launch(live, planned.plan)
    } catch (error) {
      this.#inTrouble(error, 'launch')
      const text = error instanceof Error ? error.message : String(error)
      this.#advance(live, { kind: 'launch-failed', outcome: { code: 'never-started', text } })
    }
  }

  async #launch(live: LiveRun, plan: Plan): Promise<void> {
    const { ledger, log, namespace } = this.#world
    const readied = await makeReady(this.#world, live.record, plan)
    if ('code' in readied) return this.#advance(live, { kind: 'launch-failed', outcome: readied })
    const stop = this.#stopAsked()
    if (stop !== undefined) return this.#advance(live, { kind: 'stop', want: stop.want })
    const started = start(this.#world, live, readied, () => this.#leaderGone(live))
    if ('code' in started) return this.#advance(live, { kind: 'launch-failed', outcome: started })
    live.record = { ...live.record, proc: started, namespace, phase: 'running' }
    const { id, task, attempt, coder } = live.record
    this.#writeBehind(() => ledger.launched(id, started, { namespace }))
    log('run started', { task, attempt, run: id, coder, pid: started.pid })
    this.#advance(live, { kind: 'launched' })
  }

  /** A function, because it changes while we await. */
  #stopAsked(): { want: Outcome; atOnce: boolean } | undefined {
    return this.#stop
  }

  async #adopt(run: Run): Promise<void> {
    const world = this.#world
    const found = await adopt(world, run)
    world.log('run found', { task: run.task, run: run.id, attempt: run.attempt, was: run.phase, is: found.kind })
    if (found.kind === 'ended') return this.#later(`settle ${run.id}`, () => this.#settle(found.run))
    const { live } = found
    this.#runs.set(run.id, live)
    if (found.kind === 'gone') this.#advance(live, { kind: 'gone' })
    if (found.kind === 'never-started') {
      const outcome: Outcome = { code: 'never-started', text: 'the supervisor ended before the agent was started' }
      live.state = { phase: 'preparing' }
      this.#advance(live, { kind: 'launch-failed', outcome })
    }
  }

  /** The wrapper tells by its exit file whether the agent ended; without it, only the wrapper was killed. */
  #leaderGone(live: LiveRun): void {
    if (this.#mode === 'over') return
    const { agents } = this.#world
    live.exit = agents.exitOf(placeOf(live))
    if (live.exit === undefined && agents.look(placeOf(live)).kind === 'alive') live.leaderless = true
    else this.#advance(live, { kind: 'exited' })
  }

  #advance(live: LiveRun, input: RunInput): void {
    const { state, effects } = step(live.state, input, this.#world.clock.monotonic())
    live.state = state
    for (const effect of effects) this.#perform(live, effect)
  }

  #perform(live: LiveRun, effect: RunEffect): void {
    const { agents, ledger } = this.#world
    switch (effect.do) {
      case 'terminate':
        this.#attempt('stop', () => ledger.stopping(live.record.id))
        agents.signal(placeOf(live), 'SIGTERM')
        break
      case 'kill':
        agents.signal(placeOf(live), 'SIGKILL')
        this.#confirm(live)
        break
      case 'confirm':
        this.#confirm(live)
        break
      case 'judge':
        this.#sweeper.owed = true
        this.#later(`judge ${live.record.id}`, async () => {
          const outcome = await examine(this.#world, live, effect.want)
          this.#advance(live, { kind: 'judged', outcome })
        })
        break
      case 'settle':
        this.#later(`conclude ${live.record.id}`, () => this.#conclude(live, effect.outcome))
        break
    }
  }

  /** After an end of its own an empty group will do, and late finds go on the receipt; after a stop a sweep must agree. */
  #confirm(live: LiveRun, marked?: Marked): void {
    if (this.#world.agents.groupAlive(placeOf(live))) return
    const { state } = live
    const byItself = state.phase === 'leaving' && !state.forced
    if (marked === undefined && !byItself) return // the next tick looks
    const found = (byItself ? undefined : marked?.get(live.record.id)) ?? []
    for (const each of found) this.#world.agents.kill(each)
    live.leftovers.push(...found)
    if (found.length === 0) this.#advance(live, { kind: 'gone' })
  }

  async #conclude(live: LiveRun, outcome: Outcome): Promise<void> {
    const world = this.#world
    const { id, task, attempt } = live.record
    live.end ??= recordEnd(world, live, outcome)
    await this.#settle(live.end.run)
    const { failures } = live.end
    this.#attempt('write the task folder', () => {
      world.attempts.project(task, { attempt, failures })
      world.attempts.appendLog(task, [...live.pendingLog.splice(0), endLine(world, live, outcome)])
    })
    for (const request of live.requests) world.ledger.done(request, world.clock.now(), tookText(live))
    this.#runs.delete(id)
    this.wake()
  }

  async #settle(run: Run): Promise<void> {
    const { ledger, log } = this.#world
    const { next, ours } = await settle(this.#world, run)
    const { task, attempt, id, outcome } = run
    this.#writeBehind(() => ledger.settled(id))
    log('run ended', { task, attempt, run: id, outcome: outcome?.code, why: outcome?.text, becomes: next?.to, ours })
    if (ours && next?.to === 'blocked') this.#blocked++
  }

  /** What may be lost with this process, because the next one finds it out: one transaction for all of a turn. */
  #writeBehind(write: () => void): void {
    if (this.#behind.push(write) === 1) setImmediate(() => this.#flush())
  }

  #flush(): void {
    if (this.#behind.length === 0) return
    this.#attempt('write to the ledger', () => {
      this.#world.ledger.together(() => {
        for (const write of this.#behind) write()
      })
      this.#behind.length = 0
    })
    this.#endIfDone()
  }

  // ---- all of them ----

  /** Every `TICK`: read, watch, confirm. Synchronous, so that nothing is interleaved with it. */
  #tick(): void {
    const { clock, policy } = this.#world
    const now = clock.monotonic()
    const live = [...this.#runs.values()]
    const doubtful = live.some(
      (each) => each.state.phase === 'stopping' || (each.state.phase === 'leaving' && each.state.forced),
    )
    const marked = doubtful || this.#sweeper.owed ? this.#sweeper.look(now) : undefined
    const { limits } = policy()
    let busy = false
    for (const each of live) {
      this.#attempt('follow', () => {
        if (['running', 'stopping', 'leaving'].includes(each.state.phase)) busy = follow(this.#world, each) || busy
        const input = watch(each.state, vitalsOf(each), limits, now)
        if (input !== undefined) this.#advance(each, input)
        if (each.state.phase === 'stopping' || each.state.phase === 'leaving') this.#confirm(each, marked)
        else if (each.state.phase === 'running' && (each.adopted || each.leaderless)) this.#lookAtOrphan(each)
      })
    }
    if (marked !== undefined) this.#endStrangers(marked)
    this.#schedule(busy ? 0 : TICK)
  }

  /** Nobody tells when it exits, so it is looked at. */
  #lookAtOrphan(live: LiveRun): void {
    const { agents } = this.#world
    if (agents.groupAlive(placeOf(live))) return
    const sighting = agents.look(placeOf(live))
    if (sighting.kind === 'gone') this.#advance(live, { kind: 'gone' })
  }

  /** Also while nothing runs: lanes may be mended, and leases of others run out. */
  #everySecond(): void {
    const world = this.#world
    const now = world.clock.monotonic()
    if (now - this.#wroteAt < WRITE_EVERY) return
    this.#wroteAt = now
    if (this.#runs.size > 0) this.#attempt('write down', () => world.ledger.together(() => this.#writeAllDown()))
    this.#flush()
    for (const [name, work] of this.#owed) {
      this.#owed.delete(name)
      this.#later(name, work)
    }
    void mendLanes(world, this.#runs.values()).then(
      (mended) => mended && this.wake(),
      (error) => this.#inTrouble(error),
    )
    if (now - this.#renewedAt >= RENEW_EVERY) {
      this.#renewedAt = now
      void this.#renew()
    }
  }

  #writeAllDown(): void {
    for (const live of this.#runs.values()) {
      if (live.state.phase === 'preparing') continue
      readLetters(this.#world, live)
      writeDown(this.#world, live)
    }
  }

  /** What was left by runs that have ended: setsid, double forks. Only what this home's ledger knows. */
  #endStrangers(marked: Marked): void {
    const { ledger, agents, log } = this.#world
    for (const [id, found] of marked) {
      if (this.#runs.has(id)) continue
      const run = ledger.run(id)
      if (run === undefined || (run.phase !== 'ended' && run.phase !== 'settled')) continue
      for (const each of found) agents.kill(each)
      log('ended what a run left behind', { task: run.task, run: id, found })
      this.#attempt('amend the receipt', () => amendReceipt(this.#world, run, found))
      this.#sweeper.owed = true
    }
  }

  async #renew(): Promise<void> {
    const { queue, log } = this.#world
    try {
      for (const live of [...this.#runs.values()]) {
        if (live.state.phase === 'ended' || (await queue.renew(live.claim, LEASE))) continue
        this.#takenAway(live)
      }
      const reopened = await queue.reclaimExpired()
      if (reopened.length > 0) log('reopened tasks whose lease ran out', { tasks: reopened })
    } catch (error) {
      this.#inTrouble(error)
    }
  }

  #takenAway(live: LiveRun): void {
    this.#world.log('somebody else has the task now', { task: live.record.task, run: live.record.id })
    const want: Outcome = { code: 'taken-away', text: 'a person closed, reopened, reassigned or deleted the task' }
    this.#advance(live, { kind: 'stop', want })
  }

  // ---- claiming ----

  /** One at a time; a wake in the middle means once more. */
  async #turn(): Promise<void> {
    this.#again = true
    if (this.#turning || this.#adopting) return
    this.#turning = true
    try {
      while (this.#again && this.#mode !== 'over') {
        this.#again = false
        await this.#look()
      }
      this.#trouble = undefined
      this.#backoff = 0
    } catch (error) {
      this.#inTrouble(error)
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
      this.#answerRequests()
      await this.#checkClaims()
    }
    this.#lookAt = Number.POSITIVE_INFINITY
    if (this.#mode !== 'claiming') return
    if (world.clock.monotonic() < this.#restUntil) {
      this.#lookAt = this.#restUntil
      return
    }
    const wish = wishOf(world, [...this.#runs.values()], [...this.#starting.keys()])
    if (wish.why !== undefined || wish.limit > 0) this.#withhold(wish.why)
    if (wish.limit === 0) return this.#lookAgainAt(wish.lookAgainAt)
    const claims = await world.queue.claim({ ...wish, by: world.name, leaseMs: LEASE })
    for (const claim of claims) this.#startOn(claim)
    if (claims.length === wish.limit) return
    const retryAt = await world.queue.nextRetryAt()
    this.#lookAgainAt(Math.min(wish.lookAgainAt, retryAt ?? Number.POSITIVE_INFINITY))
    if (this.#once && this.running === 0 && !waitsForRetry(world, retryAt)) this.drain()
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

  #startOn(claim: Claim): void {
    this.#starting.set(claim.id, claim)
    this.#begin(claim)
      .catch((error: unknown) => {
        this.#inTrouble(error, 'begin')
        this.#later(`give back ${claim.id}`, async () => void (await this.#world.queue.settle(claim, { to: 'open' })))
      })
      .finally(() => {
        this.#starting.delete(claim.id)
        this.#endIfDone()
      })
  }

  /** A person who closed, reopened, reassigned or deleted a running task wants its run to end. */
  async #checkClaims(): Promise<void> {
    if (this.#runs.size === 0) return
    const held = new Map((await this.#world.queue.claimsOf(this.#world.name)).map(({ id, token }) => [id, token]))
    for (const live of this.#runs.values()) {
      if (live.state.phase === 'ended') continue
      if (held.get(live.claim.id) !== live.claim.token) this.#takenAway(live)
    }
  }

  /** Claims of this name that no run has: a supervisor died between the two. */
  async #giveBackStrays(): Promise<void> {
    const { queue, ledger, name, log } = this.#world
    for (const claim of await queue.claimsOf(name)) {
      // Also one that has ended and could not be settled yet.
      if (ledger.openRunOf(claim.id)?.token === claim.token) continue
      await queue.settle(claim, { to: 'open' })
      log('gave back a claim without a run', { task: claim.id })
    }
  }

  #answerRequests(): void {
    const { ledger, clock, log } = this.#world
    for (const request of ledger.pendingRequests()) {
      log('asked to', { what: request.kind, task: request.task, by: request.by })
      if (request.kind === 'drain') {
        this.drain()
        ledger.done(request.id, clock.now(), 'draining')
        continue
      }
      const want: Outcome =
        request.kind === 'kill'
          ? { code: 'killed', text: `stopped by ${request.by}`, by: request.by }
          : { code: 'paused', text: `paused by ${request.by}`, by: request.by }
      const live = this.stopTask(request.task, want)
      if (live === undefined) ledger.done(request.id, clock.now(), 'it was not running')
      else live.requests.push(request.id)
    }
  }

  // ---- surviving itself ----

  /** Work whose failure is written down and tried again, because somebody depends on its being done. */
  #later(name: string, work: () => Promise<void>): void {
    work().then(
      () => this.#endIfDone(),
      (error: unknown) => {
        this.#owed.set(name, work)
        this.#inTrouble(error, name)
      },
    )
  }

  #attempt(what: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#inTrouble(error, what)
    }
  }

  /** Said once, not at every try. */
  #inTrouble(error: unknown, what = 'claim'): void {
    const text = error instanceof Error ? error.message : String(error)
    const now = this.#world.clock.monotonic()
    this.#backoff = Math.min(Math.max(1000, this.#backoff * 2), LONGEST_BACKOFF)
    this.#restUntil = now + this.#backoff
    this.#lookAt = this.#restUntil
    if (this.#trouble === text) return
    this.#trouble = text
    try {
      this.#world.log('in trouble, trying again', {
        what,
        why: text,
        stack: error instanceof AppError ? undefined : (error as Error).stack,
      })
    } catch {
      // A full disk takes the log too.
    }
  }

  /** The one timer: fast while agents print, slow while there is nothing to do. */
  #schedule(afterMs: number): void {
    if (this.#mode === 'over') return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (this.#runs.size + this.#owed.size + this.#behind.length > 0 || this.#sweeper.owed) this.#tick()
      else this.#schedule(POLL)
      this.#attempt('look after what is slow', () => this.#everySecond())
      this.#poll()
    }, afterMs)
  }

  #poll(): void {
    this.#attempt('poll', () => {
      const due = this.#world.clock.monotonic() >= this.#lookAt
      if (due || this.#world.ledger.version() !== this.#version) this.wake()
    })
    this.#endIfDone()
  }

  #endIfDone(): void {
    if (this.#adopting || this.#mode === 'claiming' || this.#mode === 'over') return
    if (this.running + this.#owed.size + this.#behind.length === 0 && !this.#sweeper.owed) this.#end()
  }

  #end(): void {
    this.#mode = 'over'
    clearTimeout(this.#timer)
    this.#resolve({ blocked: this.#blocked })
  }
}

/** For the person who asked for the end and waits. */
function tookText({ leftovers, state }: LiveRun): string {
  const outcome = state.phase === 'ended' ? state.outcome.text : 'ended'
  const took = leftovers.map(({ pid, command }) => `${pid} (${command.slice(0, 60)})`)
  return took.length === 0 ? outcome : `${outcome}; killed what was left: ${took.join(', ')}`
}

function endLine(world: World, { record }: LiveRun, { code, text }: Outcome): string {
  const ts = new Date(world.clock.now()).toISOString()
  return JSON.stringify({
    v: 1,
    ts,
    run: record.id,
    attempt: record.attempt,
    event: 'ended',
    outcome: code,
    why: world.redact(text),
  })
}
