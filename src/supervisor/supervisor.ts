import type { HostState } from '../domain/fleet/host.ts'
import { READ_EVERY_MS } from '../domain/fleet/schedule.ts'
import { isMoved, LOSS_RULES, type StoreLoss } from '../domain/fleet/store-loss.ts'
import { Claiming } from './claim/claiming.ts'
import { HeldLeases } from './claim/held-leases.ts'
import { Following } from './following.ts'
import { Landings } from './landing/landings.ts'
import { mendLanes, tryDownLanesAgain } from './lanes.ts'
import { Mode } from './mode.ts'
import { Requests } from './requests.ts'
import { RetryingWork } from './retrying-work.ts'
import { ActiveRuns } from './run/active-runs.ts'
import { endUnrecorded } from './run/end-unrecorded.ts'
import { writeDown } from './run/follow.ts'
import { Leftovers } from './run/leftovers.ts'
import type { LiveRun } from './run/live-run.ts'
import { PortBlocks } from './run/port-blocks.ts'
import { findWorktree } from './run/worktree.ts'
import { PendingOrders } from './shared/pending-orders.ts'
import { Tally } from './tally.ts'
import { WallClock } from './wall-clock.ts'
import type { World } from './world.ts'

/** How often a supervisor with agents looks whether anything has changed, and an idle one. */
const TICK = 50
const POLL = 250
/** How often figures go to the ledger, letters are read, and failed work is retried. */
const WRITE_EVERY = 1000
/** How long a stopping supervisor tries to settle its runs with the queue: normally, and if it must stop at once. */
const SETTLE_MS = 10_000
const SETTLE_AT_ONCE_MS = 3000

/** How long after the loss of a lock the supervisor looks whether its store is lost too. */
const LOOK_AGAIN_MS = 500

const DENIED = 'open denied tasks'

export interface Ending {
  /** Tasks that this supervisor closed. */
  readonly done: number
  /** Tasks that this supervisor left blocked. */
  readonly blocked: number
  /** A person or a signal ended it, so it may have left work that it could have done. */
  readonly asked: boolean
  /** A file of the home was lost, so this supervisor could not go on. */
  readonly lost?: StoreLoss
}

export interface SupervisorOptions {
  /** Ends when nothing is left to do, instead of waiting for more. */
  readonly once?: boolean
  /** false: only look after the runs that exist already, until somebody ends the supervisor. */
  readonly claiming?: boolean
  /** When the home's lock was taken: requests made since then are for this supervisor. */
  readonly since?: number
  /** Called with the supervisor's mode when it has started, and whenever the mode changes. */
  readonly became?: (mode: HostState) => void
  /** Called when the machine begins to lack something that a run needs, and when it has it again. */
  readonly lacks?: (what: string | undefined) => void
}

/** Claims tasks, runs agents on them, follows each to a settled end. One per home. */
export class Supervisor {
  readonly #world: World
  readonly #mode: Mode
  readonly #work: RetryingWork
  readonly #runs: ActiveRuns
  readonly #following: Following
  readonly #landings: Landings
  readonly #tally = new Tally()
  readonly #leftovers: Leftovers
  readonly #orders: PendingOrders
  readonly #claiming: Claiming
  readonly #wallClock: WallClock
  /** Nothing may be claimed until every earlier run is accounted for: a new claim would look orphaned. */
  #adopting = true
  #timer: NodeJS.Timeout | undefined
  #wroteAt = Number.NEGATIVE_INFINITY
  #readAt = Number.NEGATIVE_INFINITY
  /** How long to keep trying to settle once every run has ended, and when the last one did. */
  #settleMs = SETTLE_MS
  #allEndedAt: number | undefined
  /** A person or a signal ends it. */
  #asked = false
  #loss: StoreLoss | undefined
  /** Aborted by a second request to stop, while agents of a lost store are being ended. */
  readonly #hurry = new AbortController()
  /** Agents could write to the home since its files were last looked at. */
  #exposed = true
  #resolve: (ending: Ending) => void = () => {}
  /** Resolves when the supervisor is over, for whatever reason. */
  readonly finished: Promise<Ending>

  constructor(world: World, options: SupervisorOptions = {}) {
    const { once = false, since = world.clock.now() } = options
    const wake = () => this.wake()
    this.#world = world
    this.#mode = new Mode(options.claiming === false ? 'tending' : 'claiming', options.became)
    this.#work = new RetryingWork(world, () => this.#endIfDone())
    const held = new HeldLeases(world)
    const ports = new PortBlocks(world, (holder) => this.#runs.has(holder) || this.#landings.needsPorts(holder))
    this.#runs = new ActiveRuns(world, this.#work, { held, ports, tally: this.#tally, changed: () => this.#runEnded() })
    const runs = this.#runs
    this.#landings = new Landings(world, this.#work, { ports, tally: this.#tally, changed: () => this.#landingEnded() })
    this.#following = new Following(world, this.#work, { runs, started: wake })
    this.#leftovers = new Leftovers(world, this.#work, runs)
    this.#orders = new PendingOrders(world, this.#work)
    const requests = new Requests(world, { runs, drain: () => this.drain(), since })
    const idle = () => this.#endIfDone()
    this.#claiming = new Claiming(world, this.#work, {
      runs,
      held,
      requests,
      orders: this.#orders,
      mode: this.#mode,
      landings: this.#landings,
      once,
      isLost: () => this.#endIfLost(),
      lacks: options.lacks ?? (() => {}),
      idle,
    })
    const forward = () => this.#claiming.leases.renewSoon()
    this.#wallClock = new WallClock(world, this.#work, { runs, forward, wake })
    this.finished = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  get running(): number {
    return this.#runs.count
  }

  /** Its mode and runs, for other machines to see. */
  get standing(): { readonly mode: HostState; readonly live: readonly LiveRun[] } {
    return { mode: this.#mode.told, live: this.#runs.live }
  }

  /** Adopts living runs, settles ended ones, releases orphaned claims. Only then does it claim. */
  async start(): Promise<void> {
    // `keep` may come before `start`.
    if (this.#mode.is('over')) return
    const { ledger, log } = this.#world
    // Retried, because a store that is busy right now must not end the supervisor.
    this.#work.run('try lanes again', async () => tryDownLanesAgain(this.#world))
    for (const worktree of ledger.worktrees()) {
      this.#work.attempt(`find the worktree of ${worktree.task}`, () => findWorktree(this.#world, worktree))
    }
    for (const run of ledger.openRuns()) {
      // Failing to adopt one run must not keep the others from being adopted.
      await this.#runs.adopt(run).catch((error: unknown) => {
        this.#work.trouble(error, `adopt ${run.id}`)
        this.#work.retryLater(`adopt ${run.id}`, () => this.#runs.adopt(run))
      })
    }
    this.#leftovers.owed = true
    this.#landings.tidy()
    await this.#claiming.releaseOrphans()
    if (this.#mode.is('claiming')) await this.#letDeniedGo().catch((error) => this.#work.trouble(error, DENIED))
    this.#adopting = false
    this.#mode.say()
    log('supervisor-started', { adopted: this.#runs.count })
    this.#schedule(0)
    this.wake()
  }

  #landingEnded(): void {
    // Its programs could write to the home.
    this.#exposed = true
    this.#land()
    this.queueChanged()
  }

  /** Something may have changed. A hint: the supervisor also polls. */
  wake(): void {
    if (!this.#adopting) this.#claiming.lookSoon()
  }

  /** Another process wrote to the queue, and may have taken a task away. The ledger does not show that. */
  queueChanged(): void {
    this.#claiming.queueChanged()
    this.wake()
  }

  /** The configuration changed, which may have fixed a lane that is down. */
  reconfigured(): void {
    this.#work.attempt('try lanes again', () => tryDownLanesAgain(this.#world))
    this.#work.run(DENIED, () => this.#letDeniedGo())
    this.wake()
  }

  /** The permissions may have changed: tasks that others denied something are tried again. */
  async #letDeniedGo(): Promise<void> {
    const { steering, policy, log } = this.#world
    const tasks = await steering.letDeniedGo(policy().permissions)
    if (tasks.length === 0) return
    log('denied-tasks-opened', { tasks })
    this.wake()
  }

  /** No new claims; over when the last run has ended. */
  drain(): void {
    if (!this.#mode.is('claiming', 'tending')) return
    this.#asked = true
    this.#mode.become('draining')
    this.#world.log('draining')
    this.#schedule(0)
  }

  /** Stops agents gracefully, keeps their sessions, and opens their tasks again; `atOnce`: without grace. */
  stop({ by, atOnce = false }: { by: string; atOnce?: boolean }): void {
    if (atOnce) this.#hurry.abort()
    if (this.#mode.is('over')) return
    this.#asked = true
    this.#mode.become('stopping')
    if (atOnce) this.#settleMs = SETTLE_AT_ONCE_MS
    this.#world.log('stopping', { runs: this.#runs.count, atOnce })
    this.#landings.stop('end')
    this.#runs.stopAll({ want: { code: 'stopped', text: `the supervisor was stopped by ${by}` }, atOnce })
    this.#schedule(0)
  }

  /** Ends and leaves every agent running: the next supervisor adopts them. */
  keep({ force = false } = {}): void {
    // The next supervisor would take an agent that is being stopped for one that failed.
    if (this.#mode.is('over') || (this.#mode.is('stopping') && !force)) return
    this.#asked = true
    this.#runs.letGo('keep')
    this.#landings.stop('keep')
    for (const live of this.#runs.live) this.#work.attempt('write down', () => writeDown(this.#world, live))
    this.#work.flush()
    this.#world.log('agents-left-running', { runs: this.#runs.count })
    this.#end()
  }

  /** The one timer: fast while agents print, slow while there is nothing to do. */
  #schedule(afterMs: number): void {
    if (this.#mode.is('over') || this.#adopting) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#tick(), afterMs)
  }

  /** Read, watch, confirm. Synchronous, so that nothing interleaves with it. */
  #tick(): void {
    const now = this.#world.clock.monotonic()
    let unread = false
    if (now - this.#readAt >= READ_EVERY_MS) {
      unread = this.#following.readAll(now)
      // If a run has unread output, poll again immediately.
      this.#readAt = unread ? Number.NEGATIVE_INFINITY : now
    }
    this.#work.attempt('confirm', () => this.#leftovers.confirm(now))
    if (now - this.#wroteAt >= WRITE_EVERY) {
      this.#wroteAt = now
      if (this.#endIfLost()) return
      this.#everySecond(now)
    }
    this.#work.attempt('poll', () => {
      if (this.#claiming.isDue(now)) this.wake()
    })
    this.#endExposure()
    this.#endIfDone()
    this.#schedule(unread ? 0 : this.#runs.count > 0 || this.#leftovers.owed ? TICK : POLL)
  }

  #everySecond(now: number): void {
    this.#following.writeAll()
    this.#land()
    this.#work.tryAgain()
    this.#runs.answerHung()
    this.#work.attempt('look at processes', () => this.#leftovers.observe(now))
    mendLanes(this.#world, this.#runs.live).then(
      (mended) => mended && this.wake(),
      (error) => this.#work.trouble(error, 'mend lanes'),
    )
    this.#wallClock.everySecond(now)
    this.#claiming.leases.everySecond(now)
  }

  /**
   * A store that was replaced would take in nothing that happens here, and a lock that was replaced lets a second supervisor
   * start. So a supervisor that finds one ends.
   */
  #endIfLost(): boolean {
    if (this.#loss !== undefined || this.#mode.is('over')) return true
    const loss = this.#world.stores.lost()
    if (loss === undefined) return false
    this.#loss = loss
    clearTimeout(this.#timer)
    const { agents } = LOSS_RULES[loss.what]
    this.#world.log('store-lost', { ...loss, runs: this.#runs.count, agents })
    const checks = agents === 'keep' ? 'keep' : 'end'
    this.#runs.letGo(checks)
    this.#landings.stop(checks)
    if (agents === 'keep') this.#timer = setTimeout(() => this.#keepUnlessMoreIsLost(), LOOK_AGAIN_MS)
    else void this.#endAgentsUnrecorded(loss)
    return true
  }

  /** A home that is being deleted may lose its lock before its store. */
  #keepUnlessMoreIsLost(): void {
    const loss = this.#world.stores.lost()
    if (loss !== undefined && LOSS_RULES[loss.what].agents === 'stop') {
      this.#loss = loss
      this.#world.log('store-lost', { ...loss, runs: this.#runs.count, agents: 'stop' })
      void this.#endAgentsUnrecorded(loss)
      return
    }
    for (const live of this.#runs.live) this.#work.attempt('write down', () => writeDown(this.#world, live))
    this.#work.flush()
    this.#end()
  }

  /** No other process sees the ledger any more, so nothing is settled. */
  async #endAgentsUnrecorded(loss: StoreLoss): Promise<void> {
    const { stores, policy, ledger } = this.#world
    this.#mode.becomeSilently('over')
    this.#work.abandon()
    const { live } = this.#runs
    const want = { code: 'stopped', text: `the supervisor lost ${LOSS_RULES[loss.what].name}` } as const
    // A home that was only moved may come back, and must not count the stop as a failure.
    if (isMoved(loss)) {
      const note = (): void => live.forEach(({ record }) => void ledger.stopping(record.id, want))
      this.#work.attempt('note the stop', () => ledger.together(note))
    }
    const ended = endUnrecorded(this.#world, live, { graceMs: policy().limits.grace, hurry: this.#hurry.signal })
    // Another home may stand there by now.
    const rescued =
      loss.what === 'home' ? undefined : stores.rescue(live.map(({ record }) => ({ run: record.id, want })))
    if (rescued !== undefined) this.#loss = { ...loss, rescued }
    const left = await ended
    if (left > 0) this.#world.log('agents-left-running', { runs: left })
    this.#end()
  }

  /** Once no agent is left, a change of the home's files is a person's again. */
  #endExposure(): void {
    if (this.#runs.count > 0) this.#exposed = true
    if (!this.#exposed || this.#runs.count > 0 || this.#leftovers.owed) return
    this.#work.attempt('look at the files of the home', () => {
      if (!this.#landings.isUnderWay) this.#exposed = !this.#world.homeFiles.endExposure()
    })
  }

  #land(): void {
    if (this.#mode.is('claiming')) this.#landings.look()
  }

  #runEnded(): void {
    this.#land()
    this.#leftovers.owed = true
    // It may have begun and ended between two ticks.
    this.#exposed = true
    this.wake()
  }

  #endIfDone(): void {
    this.#work.attempt('answer orders', () => this.#orders.answerDone())
    if (this.#adopting || !this.#mode.is('draining', 'stopping')) return
    if (this.#leftovers.owed) return
    this.#endExposure()
    if (this.#runs.count + this.#work.pending === 0 && this.#claiming.isIdle) this.#end()
    else if (this.#mode.is('draining') && this.#runs.onlyWait && this.#claiming.isIdle) this.#endWaiting()
    else if (this.#mode.is('stopping') && this.#runs.allEnded) this.#endUnsettled()
  }

  /** Work that waits for a lane is left to the next supervisor: a drain waits for agents, not for limits. */
  #endWaiting(): void {
    this.#runs.letGo('keep')
    this.#work.flush()
    this.#world.log('checks-left-waiting', { runs: this.#runs.count })
    this.#end()
  }

  /** Only settling is left, and the queue or the disk does not answer: the next supervisor settles. */
  #endUnsettled(): void {
    const now = this.#world.clock.monotonic()
    this.#allEndedAt ??= now
    if (now - this.#allEndedAt < this.#settleMs) return
    this.#runs.letGo('end')
    this.#work.flush()
    this.#world.log('ended-before-settling', { runs: this.#runs.count })
    this.#end()
  }

  #end(): void {
    if (this.#loss === undefined) this.#mode.become('over')
    else this.#mode.becomeSilently('over')
    clearTimeout(this.#timer)
    const { done } = this.#tally
    const blocked = this.#tally.blockedWith(this.#loss === undefined ? this.#landings.waiting : [])
    const lost = this.#loss === undefined ? {} : { lost: this.#loss }
    this.#resolve({ done, blocked, asked: this.#asked, ...lost })
  }
}
