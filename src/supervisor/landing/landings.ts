import { goesOnSoon, isApproved, type Landing, waitOf } from '../../domain/landing/landing.ts'
import { AppError } from '../../errors.ts'
import { LET_GO } from '../../ports/verifier.ts'
import type { RetryingWork } from '../retrying-work.ts'
import type { PortBlocks } from '../run/port-blocks.ts'
import type { Tally } from '../tally.ts'
import type { World } from '../world.ts'
import { endChecks } from './check-tree.ts'
import { type Ended, wait } from './fates.ts'
import { landTask, stillWaiting } from './land.ts'
import { courseOf, recordedLane } from './lane-of.ts'
import { end } from './under-way.ts'

/** Repositories in which a landing is under way at the same time. */
const AT_ONCE = 4
/** After trouble. */
const REST_MS = 2000

/** How often fleet looks whether the tasks of landings under way are still its own. */
const WATCH_MS = 2000

interface Active {
  readonly landing: Landing
  readonly abort: AbortController
  lane: string
}

/**
 * The landing queue: one task at a time for each repository and target, others beside it. A landing holds no slot. What is
 * under way when the supervisor ends is done again by the next one.
 */
export class Landings {
  readonly #world: World
  readonly #work: RetryingWork
  readonly #ports: PortBlocks
  readonly #changed: () => void
  /** By task. */
  readonly #active = new Map<string, Active>()
  /** The lanes of tasks, as of their last try; at first as recorded. */
  readonly #lanes = new Map<string, string>()
  /** Of the monotonic clock. */
  #watchedAt = Number.NEGATIVE_INFINITY
  #isOver = false
  /** The processes that a killed supervisor left have been ended. */
  #isTidy = false
  /** Of the monotonic clock. */
  #restUntil = Number.NEGATIVE_INFINITY
  readonly #tally: Tally
  readonly #since: number

  /** `changed`: called when a task has become something else. */
  constructor(
    world: World,
    work: RetryingWork,
    { ports, tally, changed }: { ports: PortBlocks; tally: Tally; changed: () => void },
  ) {
    this.#world = world
    this.#work = work
    this.#ports = ports
    this.#tally = tally
    this.#changed = changed
    this.#since = world.clock.now()
  }

  /** Tasks that still wait to land, and so are blocked. */
  get waiting(): readonly string[] {
    const open = this.#world.ledger.landings.open()
    return open.flatMap(({ task, queuedAt, state }) =>
      queuedAt >= this.#since && state.at !== 'accepting' ? [task] : [],
    )
  }

  /** Begins what can go on. Synchronous and cheap, so that it can be called often. */
  look(): void {
    if (this.#isOver || !this.#isTidy || this.#world.clock.monotonic() < this.#restUntil) return
    this.#work.attempt('look at landings', () => {
      for (const landing of this.#world.ledger.landings.open()) {
        if (this.#active.size >= AT_ONCE) return
        if (this.#mayGo(landing)) this.#begin(landing)
      }
    })
    this.#watch()
  }

  /** A landing whose task a person has taken back ends its checks; the next look gives it up. */
  #watch(): void {
    const now = this.#world.clock.monotonic()
    if (this.#active.size === 0 || now - this.#watchedAt < WATCH_MS) return
    this.#watchedAt = now
    this.#work.run('look at the tasks of landings', async () => {
      for (const { landing, abort } of this.#active.values()) {
        if ((await stillWaiting(this.#world, landing)) === undefined) abort.abort()
      }
    })
  }

  /** Removes and ends what a killed supervisor left, but a check that goes on. */
  tidy(): void {
    const { ledger, landing } = this.#world
    for (const { task, state } of ledger.landings.open()) {
      if (state.at === 'checking') this.#ports.remember(portHolder(task), state.portBase)
    }
    const checked = () => ledger.landings.open().flatMap(({ task, state }) => (state.at === 'checking' ? [task] : []))
    this.#work.attempt('clear away throw-away work trees', () => landing.clearAway(checked()))
    this.#work.run('end what landings left', async () => {
      const kept = checked()
      for (const each of ledger.landings.underWay()) if (!kept.includes(each.task)) await end(this.#world, each)
      this.#isTidy = true
      this.#changed()
    })
  }

  /** Whether a landing holds ports under this name, also for a check that an earlier supervisor left running. */
  needsPorts(holder: string): boolean {
    if ([...this.#active.values()].some(({ landing }) => portHolder(landing.task) === holder)) return true
    const open = this.#world.ledger.landings.open()
    return open.some(({ task, state }) => state.at === 'checking' && portHolder(task) === holder)
  }

  /** Whether programs of a landing may be running, which can write to the home. */
  get isUnderWay(): boolean {
    return this.#world.ledger.landings.underWay().length > 0
  }

  /** Whether a landing goes on by itself now or soon, so that a supervisor that ends when nothing is left waits for it. */
  get willGoOn(): boolean {
    if (this.#active.size > 0) return true
    const open = this.#world.ledger.landings.open()
    return open.some((each) => this.#isAsked(each) && goesOnSoon(waitOf(each)))
  }

  /** Nothing new is begun. `keep`: the checks that run are left to the next supervisor. */
  stop(checks: 'keep' | 'end'): void {
    this.#isOver = true
    for (const { abort } of this.#active.values()) abort.abort(checks === 'keep' ? LET_GO : undefined)
    if (checks === 'end') this.#work.attempt('end the checks of landings', () => this.#endAdoptable())
  }

  /** Checks that an earlier supervisor left running, and this one has not taken up yet. */
  #endAdoptable(): void {
    for (const landing of this.#world.ledger.landings.open()) {
      if (this.#active.has(landing.task)) continue
      this.#work.run(`end the checks of ${landing.task}`, async () => {
        await this.#endChecks(landing.task)
        await end(this.#world, landing)
      })
    }
  }

  async #endChecks(task: string): Promise<void> {
    const landing = this.#world.ledger.landings.of(task)
    if (landing !== undefined) await endChecks(this.#world, landing)
  }

  #mayGo(landing: Landing): boolean {
    const now = this.#world.clock.now()
    const wait = waitOf(landing)
    const isDue = wait === undefined || (wait.until !== null && wait.until <= now)
    return isDue && this.#isAsked(landing) && !this.#active.has(landing.task) && this.#isFree(this.#laneOf(landing))
  }

  #laneOf(landing: Landing): string {
    const known = this.#lanes.get(landing.task) ?? recordedLane(this.#world, landing)
    this.#lanes.set(landing.task, known)
    return known
  }

  #isFree(lane: string, but?: Active): boolean {
    return [...this.#active.values()].every((each) => each === but || each.lane !== lane)
  }

  #isAsked(landing: Landing): boolean {
    return isApproved(landing, this.#world.policy().landing(landing.project).land)
  }

  #begin(landing: Landing): void {
    const { task } = landing
    const abort = new AbortController()
    const active: Active = { landing, abort, lane: this.#laneOf(landing) }
    this.#active.set(task, active)
    const name = `land ${task}`
    this.#work.run(name, async () => {
      try {
        const current = this.#world.ledger.landings.of(task)
        if (current?.run !== landing.run || current.state.at === 'over') return this.#leave(task)
        const { target, lane } = await courseOf(this.#world, current)
        this.#lanes.set(task, lane)
        if (!abort.signal.aborted && !this.#isFree(lane, active)) return this.#leave(task)
        active.lane = lane
        const portBase = () => this.#ports.take(portHolder(task))
        this.#count(task, await landTask(this.#world, current, { target, signal: abort.signal, portBase }))
      } catch (error) {
        if (!abort.signal.aborted) this.#failed(landing, error)
      }
      this.#work.run(`end what is left of ${name}`, () => this.#finish(landing, abort.signal))
    })
  }

  /** The next of its lane waits for this. */
  async #finish(landing: Landing, signal: AbortSignal): Promise<void> {
    try {
      if (isStopped(signal)) await this.#endChecks(landing.task)
      if (signal.reason !== LET_GO) await end(this.#world, landing)
    } catch (error) {
      // The next supervisor does it.
      if (!this.#isOver) throw error
    }
    this.#leave(landing.task)
    this.#changed()
    await this.#world.landing.removed()
  }

  #leave(task: string): void {
    this.#active.delete(task)
    if (this.#world.ledger.landings.of(task)?.state.at === 'over') this.#lanes.delete(task)
  }

  /** Trouble of the machine or the queue: all are tried again in a moment, and people can see why this one waits. */
  #failed({ task }: Landing, error: unknown): void {
    const { ledger, clock } = this.#world
    this.#work.trouble(error, `land ${task}`)
    this.#restUntil = clock.monotonic() + REST_MS
    if (!(error instanceof AppError) || error.code === 'queue') return
    this.#work.attempt('note why a landing waits', () => {
      const current = ledger.landings.of(task)
      if (current !== undefined) wait(this.#world, current, error.message, { keepsTree: true })
    })
  }

  #count(task: string, ended: Ended | undefined): void {
    if (ended === 'closed') this.#tally.closed(task)
    if (ended === 'blocked') this.#tally.blocked(task)
  }
}

function portHolder(task: string): string {
  return `landing of ${task}`
}

function isStopped({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason !== LET_GO
}
