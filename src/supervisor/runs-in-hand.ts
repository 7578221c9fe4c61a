import type { Outcome } from '../domain/outcome.ts'
import type { Run } from '../domain/run.ts'
import { type RunEffect, type RunInput, step } from '../domain/run-machine.ts'
import type { Starter } from '../domain/schedule.ts'
import type { Claim } from '../ports/queue.ts'
import { adopt } from './adopt.ts'
import { recordEnd, settle } from './conclude.ts'
import { examine } from './examine.ts'
import { mendLanes } from './lanes.ts'
import { beginRun, makeReady, type Plan, plan, start } from './launch.ts'
import { type LiveRun, placeOf } from './live-run.ts'
import type { Perseverance } from './perseverance.ts'
import { refuse } from './refuse.ts'
import type { World } from './world.ts'

export interface Stop {
  readonly want: Outcome
  readonly atOnce: boolean
}

/** The runs this supervisor follows: each from its claim, or its adoption, to its settled end. */
export class RunsInHand {
  readonly #world: World
  readonly #work: Perseverance
  readonly #changed: () => void
  readonly #runs = new Map<string, LiveRun>()
  /** Claimed, and not begun yet. */
  readonly #starting = new Map<string, Starter>()
  #stop: Stop | undefined
  /** Somebody else looks after them now. */
  #letGo = false
  /** Tasks that were left blocked. */
  blocked = 0

  /** `changed` is called when one has ended: there is room, and something may have become ready. */
  constructor(world: World, work: Perseverance, changed: () => void) {
    this.#world = world
    this.#work = work
    this.#changed = changed
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
    for (const live of this.live) this.advance(live, { kind: 'stop', ...stop })
  }

  letGo(): void {
    this.#letGo = true
  }

  begin(claim: Claim, starter: Starter): void {
    this.#starting.set(claim.id, starter)
    this.#begin(claim)
      .catch((error: unknown) => {
        this.#work.trouble(error, 'begin')
        const giveBack = async () => void (await this.#world.queue.settle(claim, { to: 'open' }))
        this.#work.until(`give back ${claim.id}`, giveBack)
      })
      .finally(() => {
        this.#starting.delete(claim.id)
        this.#changed()
      })
  }

  async #begin(claim: Claim): Promise<void> {
    const world = this.#world
    const planned = await plan(world, claim)
    if (planned.kind === 'refused') {
      if (await refuse(world, claim, planned)) this.blocked++
      return
    }
    if (this.#stopAsked() !== undefined) return void (await world.queue.settle(claim, { to: 'open' }))
    // From here on there is a run, and whatever happens to it is settled like any other.
    const live = beginRun(world, claim, planned.plan)
    this.#runs.set(live.record.id, live)
    try {
      await this.#launch(live, planned.plan)
    } catch (error) {
      this.#work.trouble(error, 'launch')
      const text = error instanceof Error ? error.message : String(error)
      this.advance(live, { kind: 'launch-failed', outcome: { code: 'never-started', text } })
    }
  }

  async #launch(live: LiveRun, plan: Plan): Promise<void> {
    const { ledger, log, namespace } = this.#world
    const readied = await makeReady(this.#world, live.record, plan)
    if ('code' in readied) return this.advance(live, { kind: 'launch-failed', outcome: readied })
    const stop = this.#stopAsked()
    if (stop !== undefined) return this.advance(live, { kind: 'stop', want: stop.want })
    const started = start(this.#world, live, readied, () => this.#leaderGone(live))
    if ('code' in started) return this.advance(live, { kind: 'launch-failed', outcome: started })
    live.record = { ...live.record, proc: started, namespace, phase: 'running' }
    const { id, task, attempt, coder } = live.record
    this.#work.behind(() => ledger.launched(id, started, { namespace }))
    this.#work.well()
    log('run started', { task, attempt, run: id, coder, pid: started.pid })
    live.pendingLog.push(startLine(live.record))
    this.advance(live, { kind: 'launched' })
  }

  /** A function, because it changes while we await. */
  #stopAsked(): Stop | undefined {
    return this.#stop
  }

  async adopt(run: Run): Promise<void> {
    const world = this.#world
    const found = await adopt(world, run)
    world.log('run found', { task: run.task, run: run.id, attempt: run.attempt, was: run.phase, is: found.kind })
    if (found.kind === 'ended') return this.#work.until(`settle ${run.id}`, () => this.#settle(found.run))
    const { live } = found
    this.#runs.set(run.id, live)
    if (this.#stop !== undefined) this.advance(live, { kind: 'stop', ...this.#stop })
    if (found.kind === 'gone') this.advance(live, { kind: 'gone' })
    if (found.kind === 'never-started') {
      const outcome: Outcome = { code: 'never-started', text: 'the supervisor ended before the agent was started' }
      live.state = { phase: 'preparing' }
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

  #perform(live: LiveRun, effect: RunEffect): void {
    const { agents, ledger } = this.#world
    const { id } = live.record
    switch (effect.do) {
      case 'terminate':
        this.#work.behind(() => ledger.stopping(id))
        agents.signal(placeOf(live), 'SIGTERM')
        break
      case 'kill':
        agents.signal(placeOf(live), 'SIGKILL')
        break
      case 'confirm':
        // After an end of its own an empty group will do: what is found later goes on the receipt.
        if (live.state.phase === 'leaving' && !agents.groupAlive(placeOf(live))) this.advance(live, { kind: 'gone' })
        break
      case 'judge':
        this.#work.until(`judge ${id}`, async () => {
          const outcome = await examine(this.#world, live, effect.want)
          this.advance(live, { kind: 'judged', outcome })
        })
        break
      case 'settle':
        this.#work.until(`conclude ${id}`, () => this.#conclude(live, effect.outcome))
        break
    }
  }

  async #conclude(live: LiveRun, outcome: Outcome): Promise<void> {
    const { attempts, ledger, clock } = this.#world
    const { id, task, attempt } = live.record
    live.end ??= recordEnd(this.#world, live, outcome)
    const { run, failures } = live.end
    await this.#settle(run)
    this.#work.attempt('write the task folder', () => {
      attempts.project(task, { attempt, failures })
      attempts.appendLog(task, [...live.pendingLog.splice(0), endLine(run)])
    })
    for (const request of live.requests) ledger.done(request, clock.now(), tookText(live))
    await mendLanes(this.#world, [live])
    this.#runs.delete(id)
    this.#changed()
  }

  async #settle(run: Run): Promise<void> {
    const { ledger, log } = this.#world
    const { next, ours } = await settle(this.#world, run)
    const { task, attempt, id, outcome } = run
    this.#work.behind(() => ledger.settled(id))
    log('run ended', { task, attempt, run: id, outcome: outcome?.code, why: outcome?.text, becomes: next?.to, ours })
    if (ours && next?.to === 'blocked') this.blocked++
  }
}

/** For the person who asked for the end and waits. */
function tookText({ leftovers, state }: LiveRun): string {
  const outcome = state.phase === 'ended' ? state.outcome.text : 'ended'
  const took = leftovers.map(({ pid, command }) => `${pid} (${command.slice(0, 60)})`)
  return took.length === 0 ? outcome : `${outcome}; killed what was left: ${took.join(', ')}`
}

function startLine({ id, attempt, startedAt, coder, model, cwd, resumes, proc }: Run): string {
  const ts = new Date(startedAt).toISOString()
  return JSON.stringify({ v: 1, ts, run: id, attempt, event: 'started', coder, model, cwd, resumes, pid: proc?.pid })
}

function endLine({ id, attempt, endedAt, outcome }: Run): string {
  const ts = new Date(endedAt ?? 0).toISOString()
  return JSON.stringify({ v: 1, ts, run: id, attempt, event: 'ended', outcome: outcome?.code, why: outcome?.text })
}
