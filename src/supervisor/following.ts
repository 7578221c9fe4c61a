import { watch } from '../domain/run/watchdog.ts'
import type { RetryingWork } from './retrying-work.ts'
import type { ActiveRuns } from './run/active-runs.ts'
import { vitalsOf } from './run/figures.ts'
import { follow, readLetters, writeDown } from './run/follow.ts'
import { Incidents } from './run/incidents.ts'
import { lookForLeftBehind } from './run/left-behind.ts'
import type { LiveRun } from './run/live-run.ts'
import { whyLooping } from './run/looping.ts'
import { MemoryWatch } from './run/memory.ts'
import { handOver } from './run/messages.ts'
import { wrongPayer } from './run/payer.ts'
import { awaitSidecar, followSidecar } from './run/sidecar.ts'
import { lookIfSilent, weighComplaints, whySilent } from './run/silence.ts'
import type { World } from './world.ts'

export interface FollowingParts {
  readonly runs: ActiveRuns
  /** Called when a coder has finished starting: another start may fit into the budget. */
  started(): void
}

/** Reads what the agents print, watches them, and writes their figures down. Trouble with one run leaves the others alone. */
export class Following {
  readonly #world: World
  readonly #work: RetryingWork
  readonly #parts: FollowingParts
  readonly #incidents = new Incidents()
  readonly #memory = new MemoryWatch()

  constructor(world: World, work: RetryingWork, parts: FollowingParts) {
    this.#world = world
    this.#work = work
    this.#parts = parts
  }

  /** At most one buffer per run. True: some run has unread output. */
  readAll(now: number): boolean {
    const { limits } = this.#world.policy()
    const { runs } = this.#parts
    let unread = false
    let over: ReturnType<MemoryWatch['weigh']> | undefined
    this.#work.attempt('look at memory', () => {
      over = this.#memory.weigh(this.#world, runs.live, now)
    })
    for (const live of runs.live) {
      this.#work.attempt('follow', () => {
        if (isAlive(live)) unread = this.#read(live) || unread
      })
      this.#work.attempt('look at processes', () => lookIfSilent(this.#world, live, limits, now))
      // Even if its output cannot be read.
      this.#work.attempt('watch', () => {
        const stalled = whySilent(this.#world, live, watch(live.state, vitalsOf(live), limits, now))
        const silent = this.#incidents.weigh(this.#world, live, stalled)
        const input = wrongPayer(this.#world, live) ?? over?.get(live) ?? silent ?? whyLooping(this.#world, live)
        if (input !== undefined) runs.advance(live, input)
      })
    }
    this.#work.attempt('look at processes', () => lookForLeftBehind(this.#world, runs.live))
    return unread
  }

  #read(live: LiveRun): boolean {
    const wasStarting = live.output.firstEventAt === undefined
    const unread = follow(this.#world, live)
    const hasStarted = wasStarting && live.output.firstEventAt !== undefined
    if (hasStarted && this.#world.coders.startCost(live.record.coder) > 0) this.#parts.started()
    return followSidecar(this.#world, live) || unread
  }

  /** Once a second, in one transaction. */
  writeAll(): void {
    this.#work.attempt('hand over messages', () => handOver(this.#world, this.#parts.runs.live))
    this.#work.attempt('write down', () =>
      this.#world.ledger.together(() => {
        for (const live of this.#parts.runs.live.filter(isAlive)) this.#write(live)
      }),
    )
  }

  /** Each by itself: an agent that locks its inbox does not keep its figures out of the ledger. */
  #write(live: LiveRun): void {
    const { id } = live.record
    this.#work.attempt(`listen to ${id}`, () => {
      awaitSidecar(this.#world, live)
      weighComplaints(this.#world, live)
      readLetters(this.#world, live)
    })
    this.#work.attempt(`write down ${id}`, () => writeDown(this.#world, live))
  }
}

function isAlive({ state }: LiveRun): boolean {
  return state.phase === 'running' || state.phase === 'stopping' || state.phase === 'leaving'
}
