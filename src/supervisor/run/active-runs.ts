import type { Starter } from '../../domain/fleet/schedule.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import type { Run } from '../../domain/run/run.ts'
import { type RunEffect, type RunInput, step } from '../../domain/run/run-machine.ts'
import type { Agents } from '../../ports/agents.ts'
import type { Claim } from '../../ports/queue.ts'
import type { HeldLeases } from '../claim/held-leases.ts'
import { Ending } from '../ending/ending.ts'
import type { RetryingWork } from '../retrying-work.ts'
import type { Tally } from '../tally.ts'
import type { World } from '../world.ts'
import { Launches } from './launches.ts'
import { type LiveRun, placeOf } from './live-run.ts'
import type { PortBlocks } from './port-blocks.ts'
import { switchedOff } from './switched-off.ts'

export interface Stop {
  readonly want: Outcome
  readonly atOnce: boolean
}

/** A request of the ledger to stop a run. */
export interface Asked {
  readonly request: number
  readonly want: Outcome
}

export interface ActiveRunsParts {
  readonly held: HeldLeases
  readonly ports: PortBlocks
  readonly tally: Tally
  /** Called when a run has ended: there is room, and a task may have become ready. */
  changed(): void
}

/**
 * SIGTERM can be lost in the first moments of a process: a shell that is just forking swallows it, and so does the first
 * process of a namespace before its trap is set.
 */
const YOUNG_MS = 5000
const TERMINATE_AGAIN_MS = 2000

/**
 * The runs this supervisor follows: each from its claim, or its adoption, to its settled end. Every input goes through the
 * run machine, whose effects are performed here.
 */
export class ActiveRuns {
  readonly #world: World
  readonly #work: RetryingWork
  readonly #held: HeldLeases
  readonly #runs = new Map<string, LiveRun>()
  readonly #launches: Launches
  readonly #ending: Ending
  /** Set when the supervisor stops: no run may start after it. */
  #stop: Stop | undefined
  /** The next supervisor looks after them. */
  #letGo = false

  constructor(world: World, work: RetryingWork, { held, ports, tally, changed }: ActiveRunsParts) {
    this.#world = world
    this.#work = work
    this.#held = held
    this.#launches = new Launches(world, work, { runs: this, held, ports, tally, changed })
    const advance = this.advance.bind(this)
    this.#ending = new Ending(world, work, { advance, runs: this.#runs, tally, changed })
  }

  get count(): number {
    return this.#runs.size + this.#launches.count
  }

  /** Without those that only wait, and need no slot. */
  get working(): readonly LiveRun[] {
    return this.live.filter(({ ending }) => ending.waitsFor === undefined)
  }

  /** Whether all that are left only wait. */
  get onlyWait(): boolean {
    return this.count > 0 && this.working.length + this.#launches.count === 0
  }

  get live(): readonly LiveRun[] {
    return [...this.#runs.values()]
  }

  /** Claimed, and not in the ledger yet. */
  get starting(): readonly Starter[] {
    return this.#launches.starting
  }

  has(run: string): boolean {
    return this.#runs.has(run)
  }

  get(run: string): LiveRun | undefined {
    return this.#runs.get(run)
  }

  of(task: string): LiveRun | undefined {
    return this.live.find(({ record }) => record.task === task)
  }

  add(live: LiveRun): void {
    this.#runs.set(live.record.id, live)
  }

  begin(claims: readonly Claim[], starters: ReadonlyMap<string, Starter> | undefined): void {
    this.#launches.begin(claims, starters)
  }

  /** Gives up claims that shall not begin. */
  giveBack(claims: readonly Claim[]): void {
    this.#launches.giveBack(claims)
  }

  async adopt(run: Run): Promise<void> {
    await this.#launches.adopt(run)
  }

  /** Settles a run whose end an earlier supervisor has written to the ledger. */
  async settleEnded(run: Run): Promise<void> {
    await this.#ending.settleEnded(run)
  }

  // ---- stopping ----

  /** All of them, and those that are about to begin. */
  stopAll(stop: Stop): void {
    this.#stop = stop
    for (const live of this.live) {
      if (live.state.phase === 'running') this.hearExit(live)
      this.#noteAsked(live)
      this.advance(live, { kind: 'stop', ...stop })
    }
  }

  /** A method and not a field: the answer changes while the caller awaits. */
  stopAsked(): Stop | undefined {
    return this.#stop
  }

  /** `checks`: whether their processes run on, for the next supervisor. */
  letGo(checks: 'keep' | 'end'): void {
    this.#letGo = true
    this.#ending.letGo(checks)
  }

  isLetGo(): boolean {
    return this.#letGo
  }

  /** Whether that request is known already. */
  isAsked(task: string, request: number): boolean {
    return this.#launches.isAsked(task, request) || this.of(task)?.ending.requests.includes(request) === true
  }

  /** Stops the run of a task for a person. false: it has none. */
  stopTask(task: string, asked: Asked): boolean {
    const live = this.of(task)
    if (live === undefined) return this.#launches.stopTask(task, asked)
    this.stopAs(live, asked)
    return true
  }

  stopAs(live: LiveRun, { request, want }: Asked): void {
    live.ending.requests.push(request)
    this.#noteAsked(live)
    this.advance(live, { kind: 'stop', want })
  }

  #noteAsked({ ending }: LiveRun): void {
    ending.stopAskedAt ??= this.#world.clock.monotonic()
  }

  /** Answers the people who wait for the end of a run whose processes are gone, and whose judging hangs. */
  answerHung(): void {
    for (const live of this.live) this.#ending.answerIfHung(live)
  }

  /**
   * Whether no process of them is left, and a stopping supervisor need not wait: the ledger has the outcome, so that only
   * the queue is left to be told, or the machine is in trouble. The next supervisor does the rest.
   */
  get allEnded(): boolean {
    const hasEnded = (live: LiveRun): boolean => live.ending.recorded !== undefined || this.#ending.isStuck(live)
    return this.#launches.count === 0 && this.live.every(hasEnded)
  }

  // ---- exits ----

  /**
   * Looks for an exit that was not reported yet. A run that ended by itself is judged by what it did: stopping it would
   * repeat its work. True: it has ended.
   */
  hearExit(live: LiveRun): boolean {
    const { ending } = live
    this.#work.attempt('look after an exit', () => {
      ending.exit = this.#world.agents.exitOf(placeOf(live))
      if (ending.exit !== undefined) this.advance(live, { kind: 'exited' })
    })
    return ending.exit !== undefined
  }

  /** The exit file tells whether the agent ended; without one, only its wrapper was killed, and the agent may live on. */
  wrapperGone(live: LiveRun): void {
    if (this.#letGo) return
    this.#work.attempt('look after an exit', () => {
      const { agents } = this.#world
      live.exits = 'polled'
      live.ending.exit = agents.exitOf(placeOf(live))
      const isAlive = live.ending.exit === undefined && agents.look(placeOf(live)).kind === 'alive'
      if (!isAlive) this.advance(live, { kind: 'exited' })
    })
  }

  // ---- the machine ----

  advance(live: LiveRun, input: RunInput): void {
    if (input.kind === 'exited' || input.kind === 'gone') this.#heedSwitch(live)
    if (input.kind === 'gone') this.#world.deadMan?.ended(live.record.id)
    const { state, effects } = step(live.state, input, this.#world.clock.monotonic())
    live.state = state
    for (const effect of effects) this.#perform(live, effect)
  }

  /**
   * While this supervisor was stopped or hung, its dead man's switch may have ended the run. The agent can forge the record
   * of that, but not the time.
   */
  #heedSwitch(live: LiveRun): void {
    const { state, ending, record } = live
    const isUnheard = (state.phase === 'running' || state.phase === 'stopping') && ending.bySwitch === undefined
    if (!isUnheard || this.#world.queue.shared !== true || !this.#held.isOver(live)) return
    const want = switchedOff(this.#world, record)
    if (want === undefined) return
    ending.bySwitch = want.text
    this.#world.log('run-ended-by-switch', { task: record.task, run: record.id })
    this.advance(live, { kind: 'stop', want, atOnce: true })
  }

  #perform(live: LiveRun, effect: RunEffect): void {
    switch (effect.do) {
      case 'note':
        this.#work.attempt('note the stop', () => this.#world.ledger.stopping(live.record.id, wantOf(live)))
        break
      case 'terminate':
        this.#signal(live, 'SIGTERM')
        if (this.#world.clock.monotonic() - live.startedAt < YOUNG_MS) this.#terminateAgain(live)
        break
      case 'kill':
        this.#signal(live, 'SIGKILL')
        break
      case 'confirm':
        if (live.state.phase === 'leaving' && isGone(this.#world.agents, live)) this.advance(live, { kind: 'gone' })
        break
      case 'judge':
        this.#ending.judge(live)
        break
      case 'check':
        this.#ending.check(live)
        break
      case 'abort-checks':
        this.#ending.abortChecks(live)
        break
      case 'settle':
        this.#ending.settle(live, effect.outcome)
        break
    }
  }

  /** A signal that cannot be sent now is not lost: a run that does not end is killed, again and again. */
  #signal(live: LiveRun, signal: 'SIGTERM' | 'SIGKILL'): void {
    live.ending.signal = signal
    this.#work.attempt('signal', () => this.#world.agents.signal(placeOf(live), signal))
  }

  #terminateAgain(live: LiveRun): void {
    const terminate = (): void => {
      if (!this.#letGo && live.state.phase === 'stopping') this.#world.agents.signal(placeOf(live), 'SIGTERM')
    }
    setTimeout(() => this.#work.attempt('ask again to stop', terminate), TERMINATE_AGAIN_MS).unref()
  }
}

/** Known without a look at all processes: it had a namespace, or its reaper saw that it was the last. */
function isGone(agents: Agents, live: LiveRun): boolean {
  const place = placeOf(live)
  return agents.leftNothing(place) || (live.record.namespace && !agents.groupAlive(place))
}

function wantOf({ state }: LiveRun): Outcome | undefined {
  return 'want' in state ? state.want : undefined
}
