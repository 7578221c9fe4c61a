import type { Found } from '../../ports/agents.ts'
import { amendReceipt } from '../ending/receipt.ts'
import type { RetryingWork } from '../retrying-work.ts'
import type { World } from '../world.ts'
import type { ActiveRuns } from './active-runs.ts'
import { type LiveRun, placeOf } from './live-run.ts'

type Marked = ReadonlyMap<string, readonly Found[]>

/** A pass over the process table costs milliseconds; one pass serves all runs. */
const SWEEP_EVERY = 250

/** Finds processes that should be gone: of stopped runs, of runs whose exit nobody reports, and of ended runs. */
export class Leftovers {
  readonly #world: World
  readonly #work: RetryingWork
  readonly #runs: ActiveRuns
  #sweptAt = Number.NEGATIVE_INFINITY
  #insistedAt = Number.NEGATIVE_INFINITY
  /** A run has ended, and a sweep must look for what it left. */
  owed = false

  constructor(world: World, work: RetryingWork, runs: ActiveRuns) {
    this.#world = world
    this.#work = work
    this.#runs = runs
  }

  /**
   * Tells the machine which runs are gone. Marked processes are looked for only after a group was seen to be empty, so that
   * a process that is just ending is not taken for a leftover.
   */
  confirm(now: number): void {
    const { agents } = this.#world
    const insist = now - this.#insistedAt >= SWEEP_EVERY
    if (insist) this.#insistedAt = now
    const toSweep: LiveRun[] = []
    for (const live of this.#runs.live) {
      const { phase } = live.state
      const polled = phase === 'running' && live.exits === 'polled'
      if (phase !== 'stopping' && phase !== 'leaving' && !polled) continue
      const alive = agents.groupAlive(placeOf(live))
      // It may have ended by itself and left processes, in its group or elsewhere.
      if (polled && (insist || !alive) && this.#runs.hearExit(live) && live.state.phase !== 'leaving') continue
      if (alive) {
        // A signal can be lost: sending it failed, or the process was too young for it.
        if (insist && isForced(live)) this.#work.attempt('kill', () => agents.signal(placeOf(live), 'SIGKILL'))
        continue
      }
      if (live.state.phase === 'leaving' && !live.state.forced && live.record.namespace) {
        this.#runs.advance(live, { kind: 'gone' })
      } else toSweep.push(live)
    }
    if (toSweep.length === 0 && !this.owed) return
    const marked = this.#look(now)
    if (marked === undefined) return
    for (const live of toSweep) this.#endMarked(live, marked)
    this.#endLeftBehind(marked)
  }

  /** undefined: the last sweep was a moment ago, so ask again. */
  #look(now: number): Marked | undefined {
    if (now - this.#sweptAt < SWEEP_EVERY) return undefined
    this.#sweptAt = now
    const marked = this.#world.agents.sweep()
    this.owed = false
    return marked
  }

  #endMarked(live: LiveRun, marked: Marked): void {
    const found = marked.get(live.record.id) ?? []
    if (found.length === 0) this.#runs.advance(live, { kind: 'gone' })
    // It lives on outside its group, and was not asked to end.
    if (live.state.phase === 'running') return
    const { leftovers } = live.ending
    const known = new Set(leftovers.map(({ pid, startTime }) => `${pid} ${startTime}`))
    const killed = this.#killAll(found)
    leftovers.push(...killed.filter(({ pid, startTime }) => !known.has(`${pid} ${startTime}`)))
  }

  /** Processes that ended runs left running: setsid, double forks. Only runs of this home's ledger. */
  #endLeftBehind(marked: Marked): void {
    const { ledger, log } = this.#world
    for (const [id, found] of marked) {
      if (this.#runs.has(id)) continue
      const run = ledger.run(id)
      if (run === undefined || (run.phase !== 'ended' && run.phase !== 'settled')) continue
      const killed = this.#killAll(found)
      log('leftovers-killed', { task: run.task, run: id, found: killed })
      this.#work.attempt('amend the receipt', () => amendReceipt(this.#world, run, killed))
      this.owed = true
    }
  }

  /**
   * Answers with the processes that had not gone by themselves. All are stopped before the first is killed: a parent that
   * sees its child die starts another.
   */
  #killAll(found: readonly Found[]): readonly Found[] {
    const { agents, environment } = this.#world
    const left = found.filter((each) => agents.kill(each, 'SIGSTOP'))
    for (const each of left) agents.kill(each)
    return left.map((each) => ({ ...each, command: environment.redact(each.command) }))
  }
}

function isForced({ state }: LiveRun): boolean {
  return (state.phase === 'stopping' || state.phase === 'leaving') && state.forced
}
