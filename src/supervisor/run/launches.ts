import type { Starter } from '../../domain/fleet/schedule.ts'
import type { Run } from '../../domain/run/run.ts'
import { locksOf, sameLocks } from '../../domain/task/lock.ts'
import { StartUnanswered } from '../../ports/agents.ts'
import type { Claim, NextStep } from '../../ports/queue.ts'
import type { HeldLeases } from '../claim/held-leases.ts'
import { putOff, refuse } from '../claim/refuse.ts'
import { launchFacts } from '../ending/launch-facts.ts'
import type { RetryingWork } from '../retrying-work.ts'
import { tell } from '../shared/task-records.ts'
import type { Tally } from '../tally.ts'
import { throttled } from '../throttle.ts'
import type { World } from '../world.ts'
import type { ActiveRuns, ActiveRunsParts, Asked } from './active-runs.ts'
import { adopt } from './adopt.ts'
import { openStops } from './asked-stop.ts'
import { codeOf, isTroubleOfTheMachine } from './fault.ts'
import { beginRun, makeReady, type Plan, plan, start } from './launch.ts'
import { launchRecord } from './launch-record.ts'
import type { LiveRun } from './live-run.ts'
import type { PortBlocks } from './port-blocks.ts'
import { sharedCheckout } from './shared-checkout.ts'
import { startLine } from './task-log.ts'

interface Planned {
  readonly claim: Claim
  readonly plan: Plan
}

interface LaunchesParts extends ActiveRunsParts {
  readonly runs: ActiveRuns
}

/** How soon a task is tried again whose old run is still being ended. */
const STILL_ENDING_MS = 500

/** How runs come to be followed: claimed tasks are planned, begun and launched; open runs of the ledger are adopted. */
export class Launches {
  readonly #world: World
  readonly #work: RetryingWork
  readonly #runs: ActiveRuns
  readonly #held: HeldLeases
  readonly #changed: () => void
  readonly #ports: PortBlocks
  readonly #tally: Tally
  /** Claimed, and not in the ledger yet. */
  readonly #starting = new Map<string, Starter>()
  /** Of these, those that begin in a moment. */
  readonly #planned: Planned[] = []
  /** Stops that a person asked for while the task was only claimed. */
  readonly #asked = new Map<string, Asked>()
  #advised = false

  constructor(world: World, work: RetryingWork, { runs, held, ports, tally, changed }: LaunchesParts) {
    this.#world = world
    this.#work = work
    this.#runs = runs
    this.#held = held
    this.#changed = changed
    this.#ports = ports
    this.#tally = tally
  }

  get count(): number {
    return this.#starting.size
  }

  get starting(): readonly Starter[] {
    return [...this.#starting.values()]
  }

  isAsked(task: string, request: number): boolean {
    return this.#asked.get(task)?.request === request
  }

  /** Stops the task as soon as it has a run. false: it was not claimed. */
  stopTask(task: string, asked: Asked): boolean {
    if (!this.#starting.has(task)) return false
    this.#asked.set(task, asked)
    return true
  }

  begin(claims: readonly Claim[], starters: ReadonlyMap<string, Starter> | undefined): void {
    for (const { id } of claims) this.#starting.set(id, starters?.get(id) ?? unknownStarter(id))
    // Each by itself: a coder that is slow to tell its version keeps no other waiting.
    for (const claim of claims) void this.#planToBegin(claim)
  }

  /** Gives up claims that shall not begin. */
  giveBack(claims: readonly Claim[]): void {
    const { queue } = this.#world
    for (const claim of claims) {
      this.#work.run(`give back ${claim.id}`, async () => void (await queue.settle(claim, { to: 'open' })))
    }
  }

  // ---- planning ----

  async #planToBegin(claim: Claim): Promise<void> {
    const planned = await this.#plan(claim)
    if (planned === undefined) return this.#leave([claim])
    this.#planned.push(planned)
    this.#beginPlanned()
  }

  /** undefined: there is nothing to begin, and that is settled. */
  async #plan(claim: Claim): Promise<Planned | undefined> {
    const world = this.#world
    try {
      // Never two runs of a task: one that was taken away and reopened is claimed again while its old run still ends.
      if (this.#runs.of(claim.id) !== undefined) {
        await world.queue.settle(claim, { to: 'open', notBefore: world.clock.now() + STILL_ENDING_MS })
        return undefined
      }
      const planned = await plan(world, claim)
      if (planned.kind === 'refused') {
        if (await refuse(world, claim, planned)) this.#tally.blocked(claim.id)
        return undefined
      }
      const isAsClaimed = sameLocks(locksOf(planned.plan.task.metadata), this.#starting.get(claim.id)?.locks)
      // An edit of its task.json by hand gave it others, which it has to be claimed with.
      if (isAsClaimed && this.#runs.stopAsked() === undefined) return { claim, plan: planned.plan }
      await world.queue.settle(claim, { to: 'open' })
    } catch (error) {
      if (isTroubleOfTheMachine(world, error)) this.#giveBackAfter(error, claim)
      else this.#putOff(claim, error)
    }
    return undefined
  }

  /** A task that cannot be planned keeps no other from beginning. */
  #putOff(claim: Claim, error: unknown): void {
    this.#work.trouble(error, `plan ${claim.id}`)
    let next: NextStep | undefined
    this.#work.run(`put off ${claim.id}`, async () => {
      next ??= putOff(this.#world, claim, error instanceof Error ? error.message : String(error))
      await tell(this.#world, claim, next)
      if ((await this.#world.queue.settle(claim, next)) && next.to === 'blocked') this.#tally.blocked(claim.id)
    })
  }

  #giveBackAfter(error: unknown, claim: Claim): void {
    this.#work.trouble(error, 'begin')
    this.giveBack([claim])
  }

  // ---- beginning ----

  /** Tasks that are planned together share their transactions. */
  readonly #beginPlanned = throttled(0, () => {
    // The next supervisor gives back claims without a run.
    if (this.#runs.isLetGo()) return
    const planned = this.#planned.splice(0)
    this.#begin(planned).finally(() => this.#leave(planned.map(({ claim }) => claim)))
  })

  async #begin(planned: readonly Planned[]): Promise<void> {
    try {
      // From here on there are runs, and whatever happens to them is settled like any other.
      const begun = this.#world.ledger.together(() => {
        this.#world.homeFiles.expose()
        return planned.map(({ claim, plan }) => ({ live: beginRun(this.#world, claim, plan), plan }))
      })
      for (const { live } of begun) this.#follow(live)
      this.#advise()
      await Promise.all(begun.map(({ live, plan }) => this.#launchOrFail(live, plan)))
    } catch (error) {
      for (const { claim } of planned) this.#giveBackAfter(error, claim)
    }
  }

  /** Once: agents that share a checkout get in each other's way. */
  #advise(): void {
    if (this.#advised) return
    const shared = sharedCheckout(this.#world, this.#runs.live)
    if (shared === undefined) return
    this.#advised = true
    this.#world.log('checkout-shared', shared)
  }

  #follow(live: LiveRun): void {
    const { task } = live.record
    this.#runs.add(live)
    // It is counted once, and can be stopped while it is prepared: cloning a repository may take long.
    this.#starting.delete(task)
    const asked = this.#asked.get(task)
    this.#asked.delete(task)
    if (asked !== undefined) this.#runs.stopAs(live, asked)
  }

  /** The claims have begun, were refused or given back. A stop that still waits for one of them had nothing to stop. */
  #leave(claims: readonly Claim[]): void {
    const { ledger, clock } = this.#world
    for (const { id } of claims) {
      this.#starting.delete(id)
      const asked = this.#asked.get(id)
      this.#asked.delete(id)
      if (asked === undefined) continue
      const end = { kind: 'done', at: clock.now(), text: 'it was not running' } as const
      this.#work.writeLater(() => ledger.endRequest(asked.request, end))
    }
    this.#changed()
  }

  // ---- launching ----

  async #launchOrFail(live: LiveRun, plan: Plan): Promise<void> {
    try {
      await this.#launch(live, plan)
    } catch (error) {
      if (this.#runs.isLetGo()) return
      // It may have a process, as a run that an earlier supervisor left.
      if (error instanceof StartUnanswered) return this.#work.run(`find ${live.record.id}`, () => this.#find(live))
      const text = error instanceof Error ? error.message : String(error)
      const code = codeOf(this.#world, error)
      if (code === 'never-started') this.#work.trouble(error, 'launch')
      this.#runs.advance(live, { kind: 'launch-failed', outcome: { code, text } })
    }
  }

  async #launch(live: LiveRun, plan: Plan): Promise<void> {
    const { ledger, log, clock } = this.#world
    const runs = this.#runs
    if (plan.worktree !== undefined) live.portBase = await this.#ports.take(live.record.id)
    const readied = await makeReady(this.#world, live, plan)
    if (!('code' in readied) && !runs.isLetGo()) await this.#world.deadMan?.guard(this.#held.guarded(live))
    // The work under way was ended with us, which is no failure: the next supervisor begins the run anew.
    if (runs.isLetGo()) return
    if ('code' in readied) return runs.advance(live, { kind: 'launch-failed', outcome: readied })
    // Killed or taken away meanwhile, and settled: nothing may be started any more.
    if (live.state.phase !== 'preparing') return
    const stop = runs.stopAsked()
    if (stop !== undefined) return runs.advance(live, { kind: 'stop', want: stop.want })
    // This supervisor may have been stopped since the claim: then another machine may have the task.
    const late = this.#world.deadMan && this.#held.stopOf(live.claim)
    if (late?.want !== undefined) return runs.advance(live, { kind: 'launch-failed', outcome: late.want })
    runs.advance(live, { kind: 'starting' })
    const started = await start(this.#world, live, readied, () => runs.wrapperGone(live))
    if (runs.isLetGo()) {
      // A lost store: the process is ended without being recorded.
      if ('pid' in started) live.record = { ...live.record, proc: started }
      return
    }
    if ('code' in started) return runs.advance(live, { kind: 'launch-failed', outcome: started })
    const { namespace, record: launch } = readied
    const { output, ...proc } = started
    live.launch = launch.sha256
    live.output.file = output
    live.record = { ...live.record, proc, namespace, phase: 'running' }
    // The time to prepare it is not the agent's silence.
    live.startedAt = live.output.lastAt = clock.monotonic()
    // Before anything that may throw: a failure from here on would be taken for a failed start, and the agent lives.
    runs.advance(live, { kind: 'launched' })
    this.#world.deadMan?.started(this.#held.guarded(live))
    const { id, task, title, attempt, coder } = live.record
    this.#work.writeLater(() => ledger.launched(id, proc, { namespace, launch, output }))
    this.#work.recovered()
    live.unwritten.log.push(startLine(live.record))
    log('run-started', { task, title, attempt, run: id, coder, pid: proc.pid })
  }

  // ---- adopting ----

  async #find(live: LiveRun): Promise<void> {
    if (!this.#runs.isLetGo()) await this.adopt(live.record, live)
  }

  /** `before`: the same run as it was followed until its start was not answered, with the stops asked of it. */
  async adopt(run: Run, before?: LiveRun): Promise<void> {
    const world = this.#world
    const runs = this.#runs
    const found = await adopt(world, run)
    world.log('run-found', { task: run.task, run: run.id, attempt: run.attempt, was: run.phase, is: found.kind })
    if (found.kind === 'ended') return this.#work.run(`settle ${run.id}`, () => runs.settleEnded(found.run))
    const { live } = found
    this.#ports.remember(run.id, launchFacts(launchRecord(world, run)).portBase)
    runs.add(live)
    live.ending.requests.push(...(before?.ending.requests ?? []))
    // First: the evidence says what the agent did before it was stopped.
    if (found.kind === 'gone') runs.advance(live, { kind: 'gone' })
    if (before?.state.phase === 'starting' && before.state.stop !== undefined) runs.advance(live, before.state.stop)
    const stop = runs.stopAsked()
    if (stop !== undefined) runs.advance(live, { kind: 'stop', ...stop })
    if (found.kind === 'never-started') {
      // A person's request outweighs that the supervisor was killed.
      for (const asked of openStops(world.ledger, run.task)) runs.stopAs(live, asked)
      if (live.state.phase !== 'preparing') return
      const text = 'the supervisor ended before the agent was started'
      runs.advance(live, { kind: 'launch-failed', outcome: { code: 'never-started', text } })
    }
  }
}

/** Of a claim that nothing chose: an orphan of an earlier look. */
function unknownStarter(task: string): Starter {
  return { task, lane: '', model: '', cwd: undefined, locks: [], startCostMs: 0 }
}
