import type { Starter } from '../../domain/fleet/schedule.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import type { Run } from '../../domain/run/run.ts'
import { type RunEffect, type RunInput, step } from '../../domain/run/run-machine.ts'
import { type Agents, StartUnanswered } from '../../ports/agents.ts'
import type { Claim, NextStep } from '../../ports/queue.ts'
import { putOff, refuse } from '../claim/refuse.ts'
import { Endings } from '../ending/endings.ts'
import { examine } from '../ending/examine.ts'
import { paced } from '../paced.ts'
import type { RetryingWork } from '../retrying-work.ts'
import { tell } from '../shared/travel.ts'
import type { World } from '../world.ts'
import { adopt } from './adopt.ts'
import { codeOf, isOfTheMachine } from './fault.ts'
import { beginRun, makeReady, type Plan, plan, start } from './launch.ts'
import { type LiveRun, placeOf } from './live-run.ts'
import { startLine } from './task-log.ts'

export interface Stop {
  readonly want: Outcome
  readonly atOnce: boolean
}

interface Planned {
  readonly claim: Claim
  readonly plan: Plan
}

/** A request of the ledger, and what is to become of the run. */
export interface Asked {
  readonly request: number
  readonly want: Outcome
}

/** A shell that is just forking swallows a signal, and the first process of a namespace one that comes before its trap. */
const NEWBORN = 5000
const ASK_AGAIN = 2000

/** How soon a task whose old run is still being ended is tried again. */
const STILL_ENDING = 500

/** The runs this supervisor follows: each from its claim, or its adoption, to its settled end. */
export class ActiveRuns {
  readonly #world: World
  readonly #work: RetryingWork
  readonly #changed: () => void
  readonly #runs = new Map<string, LiveRun>()
  /** Claimed, and not begun yet. */
  readonly #starting = new Map<string, Starter>()
  /** Of these, those that begin in a moment. */
  readonly #planned: Planned[] = []
  /** Asked of what was only claimed. */
  readonly #asked = new Map<string, Asked>()
  readonly #endings: Endings
  #stop: Stop | undefined
  /** Somebody else looks after them now. */
  #letGo = false
  #refused = 0

  /** `changed` is called when one has ended: there is room, and something may have become ready. */
  constructor(world: World, work: RetryingWork, changed: () => void) {
    this.#world = world
    this.#work = work
    this.#changed = changed
    this.#endings = new Endings(world, work, { runs: this.#runs, changed })
  }

  /** Tasks that were left blocked. */
  get blocked(): number {
    return this.#refused + this.#endings.blocked
  }

  get count(): number {
    return this.#runs.size + this.#starting.size
  }

  get live(): readonly LiveRun[] {
    return [...this.#runs.values()]
  }

  get starting(): readonly Starter[] {
    return [...this.#starting.values()]
  }

  has(run: string): boolean {
    return this.#runs.has(run)
  }

  of(task: string): LiveRun | undefined {
    return this.live.find(({ record }) => record.task === task)
  }

  /** All of them, and those that are only about to begin. */
  stopAll(stop: Stop): void {
    this.#stop = stop
    for (const live of this.live) {
      if (live.state.phase === 'running') this.hearExit(live)
      this.advance(live, { kind: 'stop', ...stop })
    }
  }

  /**
   * One that has ended by itself, which was not told yet, is judged by what it did: stopping it would do its work twice.
   * True: it has.
   */
  hearExit(live: LiveRun): boolean {
    this.#work.attempt('look after an exit', () => {
      live.exit = this.#world.agents.exitOf(placeOf(live))
      if (live.exit !== undefined) this.advance(live, { kind: 'exited' })
    })
    return live.exit !== undefined
  }

  /** Whether nothing of them is left to do but to tell the queue. */
  get allEnded(): boolean {
    return this.#starting.size === 0 && this.live.every(({ end }) => end !== undefined)
  }

  /** Whether that request is known already. */
  isAsked(task: string, request: number): boolean {
    return this.#asked.get(task)?.request === request || this.of(task)?.requests.includes(request) === true
  }

  /** What a person asked of the run of a task. false: there is none. */
  stopTask(task: string, asked: Asked): boolean {
    const live = this.of(task)
    if (live !== undefined) this.#stopAs(live, asked)
    else if (this.#starting.has(task)) this.#asked.set(task, asked)
    else return false
    return true
  }

  #stopAs(live: LiveRun, { request, want }: Asked): void {
    live.requests.push(request)
    this.advance(live, { kind: 'stop', want })
  }

  letGo(): void {
    this.#letGo = true
  }

  begin(claims: readonly Claim[], starters: ReadonlyMap<string, Starter> | undefined): void {
    for (const { id } of claims)
      this.#starting.set(id, starters?.get(id) ?? { task: id, lane: '', cwd: undefined, startCostMs: 0 })
    // Each by itself: one whose coder takes its time to say its version keeps no other waiting.
    for (const claim of claims) void this.#planToBegin(claim)
  }

  async #planToBegin(claim: Claim): Promise<void> {
    const planned = await this.#plan(claim)
    if (planned === undefined) return this.#begun([claim])
    this.#planned.push(planned)
    this.#beginPlanned()
  }

  /** All that are planned in the same moment, so that they share their transactions. */
  readonly #beginPlanned = paced(0, () => {
    // The next supervisor gives back what was claimed and never begun.
    if (this.#letGo) return
    const planned = this.#planned.splice(0)
    this.#begin(planned).finally(() => this.#begun(planned.map(({ claim }) => claim)))
  })

  /** Or refused, or given back. */
  #begun(claims: readonly Claim[]): void {
    for (const { id } of claims) this.#starting.delete(id)
    this.#answerIdle(claims)
    this.#changed()
  }

  async #begin(planned: readonly Planned[]): Promise<void> {
    try {
      // From here on there are runs, and whatever happens to them is settled like any other.
      const begun = this.#world.ledger.together(() =>
        planned.map(({ claim, plan }) => ({ live: beginRun(this.#world, claim, plan), plan })),
      )
      for (const { live } of begun) this.#take(live)
      await Promise.all(begun.map(({ live, plan }) => this.#launchOrFail(live, plan)))
    } catch (error) {
      for (const { claim } of planned) this.#giveBack(claim, error)
    }
  }

  #take(live: LiveRun): void {
    const { id, task } = live.record
    this.#runs.set(id, live)
    // Preparing it may take long, where a repository has to be cloned: it is counted once, and can be stopped.
    this.#starting.delete(task)
    const asked = this.#asked.get(task)
    this.#asked.delete(task)
    if (asked !== undefined) this.#stopAs(live, asked)
  }

  /** Those that asked to stop what then never began. */
  #answerIdle(claims: readonly Claim[]): void {
    const { ledger, clock } = this.#world
    for (const { id } of claims) {
      const asked = this.#asked.get(id)
      this.#asked.delete(id)
      if (asked === undefined) continue
      const end = { kind: 'done', at: clock.now(), text: 'it was not running' } as const
      this.#work.writeLater(() => ledger.endRequest(asked.request, end))
    }
  }

  /** undefined: there is nothing to begin, and that is settled. */
  async #plan(claim: Claim): Promise<Planned | undefined> {
    try {
      // Taken away and reopened, it is handed to us again while its old run is still being ended: never two at a time.
      if (this.of(claim.id) !== undefined) {
        await this.#world.queue.settle(claim, { to: 'open', notBefore: this.#world.clock.now() + STILL_ENDING })
        return undefined
      }
      const planned = await plan(this.#world, claim)
      if (planned.kind === 'refused') {
        if (await refuse(this.#world, claim, planned)) this.#refused++
        return undefined
      }
      if (this.#stopAsked() === undefined) return { claim, plan: planned.plan }
      await this.#world.queue.settle(claim, { to: 'open' })
    } catch (error) {
      if (isOfTheMachine(error)) this.#giveBack(claim, error)
      else this.#putOff(claim, error)
    }
    return undefined
  }

  /** What is wrong with one task keeps no other from beginning. */
  #putOff(claim: Claim, error: unknown): void {
    this.#work.trouble(error, `plan ${claim.id}`)
    let next: NextStep | undefined
    this.#work.run(`put off ${claim.id}`, async () => {
      next ??= putOff(this.#world, claim, error instanceof Error ? error.message : String(error))
      await tell(this.#world, claim, next)
      if ((await this.#world.queue.settle(claim, next)) && next.to === 'blocked') this.#refused++
    })
  }

  #giveBack(claim: Claim, error: unknown): void {
    this.#work.trouble(error, 'begin')
    this.giveBack([claim])
  }

  /** What was claimed and shall not begin. */
  giveBack(claims: readonly Claim[]): void {
    const { queue } = this.#world
    for (const claim of claims) {
      this.#work.run(`give back ${claim.id}`, async () => void (await queue.settle(claim, { to: 'open' })))
    }
  }

  async #launchOrFail(live: LiveRun, plan: Plan): Promise<void> {
    try {
      await this.#launch(live, plan)
    } catch (error) {
      if (this.#letGo) return
      // It may have a process: found out as with one that an earlier supervisor left.
      if (error instanceof StartUnanswered) return this.#work.run(`find ${live.record.id}`, () => this.#find(live))
      const text = error instanceof Error ? error.message : String(error)
      const code = codeOf(error)
      if (code === 'never-started') this.#work.trouble(error, 'launch')
      this.advance(live, { kind: 'launch-failed', outcome: { code, text } })
    }
  }

  async #launch(live: LiveRun, plan: Plan): Promise<void> {
    const { ledger, log } = this.#world
    const readied = await makeReady(this.#world, live, plan)
    // What was under way was ended with us, and is no failure: the next supervisor begins with it anew.
    if (this.#letGo) return
    if ('code' in readied) return this.advance(live, { kind: 'launch-failed', outcome: readied })
    // Killed or taken away meanwhile, and settled: nothing may be started any more.
    if (live.state.phase !== 'preparing') return
    const stop = this.#stopAsked()
    if (stop !== undefined) return this.advance(live, { kind: 'stop', want: stop.want })
    this.advance(live, { kind: 'starting' })
    const started = await start(this.#world, live, readied, () => this.#leaderGone(live))
    if (this.#letGo) return
    if ('code' in started) return this.advance(live, { kind: 'launch-failed', outcome: started })
    const { namespace, launchHash: launch } = readied
    live.record = { ...live.record, proc: started, namespace, phase: 'running' }
    // What was needed to prepare it is not the agent's silence.
    live.startedAt = live.lastOutputAt = this.#world.clock.monotonic()
    // Before anything else is done: what failed from here on would be taken for a start that failed, and it lives.
    this.advance(live, { kind: 'launched' })
    const { id, task, attempt, coder } = live.record
    this.#work.writeLater(() => ledger.launched(id, started, { namespace, launch }))
    this.#work.recovered()
    live.pendingLog.push(startLine(live.record))
    log('run-started', { task, attempt, run: id, coder, pid: started.pid })
  }

  async #find(live: LiveRun): Promise<void> {
    if (this.#letGo) return
    await this.adopt(live.record, live)
  }

  /** A function, because it changes while we await. */
  #stopAsked(): Stop | undefined {
    return this.#stop
  }

  /** `asked`: what it was before nobody knew of it, and what was asked of that meanwhile. */
  async adopt(run: Run, asked?: LiveRun): Promise<void> {
    const world = this.#world
    const found = await adopt(world, run)
    world.log('run-found', { task: run.task, run: run.id, attempt: run.attempt, was: run.phase, is: found.kind })
    if (found.kind === 'ended') return this.#work.run(`settle ${run.id}`, () => this.#endings.settle(found.run))
    const { live } = found
    this.#runs.set(run.id, live)
    live.requests.push(...(asked?.requests ?? []))
    // What it did before it was stopped is for the evidence to say.
    if (found.kind === 'gone') this.advance(live, { kind: 'gone' })
    if (found.kind === 'never-started') live.state = { phase: 'preparing' }
    if (asked?.state.phase === 'starting' && asked.state.stop !== undefined) this.advance(live, asked.state.stop)
    if (this.#stop !== undefined) this.advance(live, { kind: 'stop', ...this.#stop })
    if (found.kind === 'never-started') {
      const outcome: Outcome = { code: 'never-started', text: 'the supervisor ended before the agent was started' }
      this.advance(live, { kind: 'launch-failed', outcome })
    }
  }

  /** The wrapper tells by its exit file whether the agent ended; without it, only the wrapper was killed. */
  #leaderGone(live: LiveRun): void {
    if (this.#letGo) return
    this.#work.attempt('look after an exit', () => {
      const { agents } = this.#world
      live.leaderless = true // until it is seen that nothing of it is left
      live.exit = agents.exitOf(placeOf(live))
      if (live.exit !== undefined || agents.look(placeOf(live)).kind !== 'alive') this.advance(live, { kind: 'exited' })
    })
  }

  advance(live: LiveRun, input: RunInput): void {
    const { state, effects } = step(live.state, input, this.#world.clock.monotonic())
    live.state = state
    for (const effect of effects) this.#perform(live, effect)
  }

  /** One that cannot be sent now is not lost: what does not end is killed, and killed again. */
  #signal(live: LiveRun, signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#work.attempt('signal', () => this.#world.agents.signal(placeOf(live), signal))
  }

  /** Once more, when whoever was too young to hear it is there. */
  #askAgain(live: LiveRun): void {
    const ask = (): void => {
      if (!this.#letGo && live.state.phase === 'stopping') this.#world.agents.signal(placeOf(live), 'SIGTERM')
    }
    setTimeout(() => this.#work.attempt('ask again to stop', ask), ASK_AGAIN).unref()
  }

  #perform(live: LiveRun, effect: RunEffect): void {
    const { agents, ledger } = this.#world
    const { id } = live.record
    switch (effect.do) {
      case 'terminate':
        this.#work.attempt('note the stop', () => ledger.stopping(id, wantOf(live)))
        this.#signal(live, 'SIGTERM')
        if (this.#world.clock.monotonic() - live.startedAt < NEWBORN) this.#askAgain(live)
        break
      case 'note':
        this.#work.attempt('note the stop', () => ledger.stopping(id, wantOf(live)))
        break
      case 'kill':
        if (live.state.phase === 'stopping' && !live.forced) {
          this.#work.attempt('note the stop', () => ledger.stopping(id, wantOf(live)))
        }
        live.forced = true
        this.#signal(live, 'SIGKILL')
        break
      case 'confirm':
        if (live.state.phase === 'leaving' && isGone(agents, live)) this.advance(live, { kind: 'gone' })
        break
      case 'judge':
        this.#work.run(`judge ${id}`, async () => {
          const outcome = await examine(this.#world, live, effect.want)
          this.advance(live, { kind: 'judged', outcome })
        })
        break
      case 'settle':
        this.#endings.add({ live, outcome: effect.outcome })
        break
    }
  }
}

/** Known without a look at all processes: it had a namespace, or whoever reaped it saw that it was the last. */
function isGone(agents: Agents, live: LiveRun): boolean {
  const place = placeOf(live)
  return agents.leftNothing(place) || (live.record.namespace && !agents.groupAlive(place))
}

function wantOf({ state }: LiveRun): Outcome | undefined {
  return state.phase === 'stopping' ? state.want : undefined
}
