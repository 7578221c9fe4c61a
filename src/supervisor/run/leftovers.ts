import type { Found } from '../../ports/agents.ts'
import { amendReceipt } from '../ending/examine.ts'
import type { RetryingWork } from '../retrying-work.ts'
import type { World } from '../world.ts'
import type { ActiveRuns } from './active-runs.ts'
import { type LiveRun, placeOf } from './live-run.ts'

type Marked = ReadonlyMap<string, readonly Found[]>

/** A pass over the whole process table costs milliseconds, and one serves all runs. */
const SWEEP_EVERY = 250

/** What should be gone and may not be: runs asked to end, those of whose end nobody tells, and what ended ones left behind. */
export class Leftovers {
  readonly #world: World
  readonly #work: RetryingWork
  readonly #runs: ActiveRuns
  #sweptAt = Number.NEGATIVE_INFINITY
  #insistedAt = Number.NEGATIVE_INFINITY
  /** Somebody ended: what it may have left is still to be looked for. */
  owed = false

  constructor(world: World, work: RetryingWork, runs: ActiveRuns) {
    this.#world = world
    this.#work = work
    this.#runs = runs
  }

  /**
   * Whether anything is left of those that should be gone, or of whose end nobody tells us. What carries a marker is
   * looked for only after the groups were seen to be empty, so that what is just ending is not taken for left behind.
   */
  confirm(now: number): void {
    const { agents } = this.#world
    const insist = now - this.#insistedAt >= SWEEP_EVERY
    if (insist) this.#insistedAt = now
    const toSweep: LiveRun[] = []
    for (const live of this.#runs.live) {
      const { phase } = live.state
      const untold = phase === 'running' && (live.adopted || live.leaderless)
      if (phase !== 'stopping' && phase !== 'leaving' && !untold) continue
      const alive = agents.groupAlive(placeOf(live))
      // It may have ended by itself, and left something: in its group, or elsewhere.
      if (untold && (insist || !alive) && this.#runs.hearExit(live) && live.state.phase !== 'leaving') continue
      if (alive) {
        // A signal can be lost: it could not be sent, or came before there was anybody to hear it.
        if (insist && live.forced) this.#work.attempt('kill', () => agents.signal(placeOf(live), 'SIGKILL'))
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

  /** A look made now; undefined: the last one was a moment ago, ask again. */
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
    // It lives on outside of its group, and nobody has asked it to end.
    if (live.state.phase === 'running') return
    const known = new Set(live.leftovers.map(({ pid, startTime }) => `${pid} ${startTime}`))
    const killed = this.#killAll(found)
    live.leftovers.push(...killed.filter(({ pid, startTime }) => !known.has(`${pid} ${startTime}`)))
  }

  /** What runs that have ended left running: setsid, double forks. Only what this home's ledger knows. */
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
   * Those that had not gone by themselves meanwhile, to be told of. Stopped first, and killed in the same breath: a parent
   * that lives to see its child die starts another.
   */
  #killAll(found: readonly Found[]): readonly Found[] {
    const { agents, environment } = this.#world
    const left = found.filter((each) => agents.kill(each, 'SIGSTOP'))
    for (const each of left) agents.kill(each)
    return left.map((each) => ({ ...each, command: environment.redact(each.command) }))
  }
}
