import type { Landing } from '../../domain/landing/landing.ts'
import type { Run } from '../../domain/run/run.ts'
import type { RunState } from '../../domain/run/run-machine.ts'
import { subjectOfProcess } from '../../domain/verify/verification.ts'
import type { Found } from '../../ports/agents.ts'
import { amendReceipt } from '../ending/receipt.ts'
import type { RetryingWork } from '../retrying-work.ts'
import type { World } from '../world.ts'
import type { ActiveRuns } from './active-runs.ts'
import { type Leftover, type LiveRun, placeOf } from './live-run.ts'

type Marked = ReadonlyMap<string, readonly Found[]>

/** A pass over the process table costs milliseconds; one pass serves all runs. */
const SWEEP_EVERY = 250

/** At most so often, and only without a launcher: through `ps` a look is a process of its own. */
const OBSERVE_EVERY = 5000

/** The key of a sweep for processes of ended runs, where it is not known which run each belongs to. */
const STRAY = ''

/** A stray that does not die of SIGKILL, as in an uninterruptible wait, holds up no other run for longer. */
const STUCK_MS = 10_000

/** From so many on, processes of a run may be multiplying. */
const CROWD = 8
const ROUNDS = 20

/** Finds processes that should be gone: of stopped runs, of runs whose exit nobody reports, and of ended runs. */
export class Leftovers {
  readonly #world: World
  readonly #work: RetryingWork
  readonly #runs: ActiveRuns
  #sweptAt = Number.NEGATIVE_INFINITY
  #insistedAt = Number.NEGATIVE_INFINITY
  #observedAt = Number.NEGATIVE_INFINITY
  /** Processes of ended runs, and when each was found first. */
  readonly #strays = new Map<string, number>()
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
    const hasStrays = this.#endStrays(toSweep, marked, now)
    for (const live of toSweep) this.#endMarked(live, marked, hasStrays)
    this.#endLeftBehind(marked)
  }

  /** Records which processes belong to which run, while ancestry shows it. Called every second. */
  observe(now: number): void {
    if (now - this.#observedAt < OBSERVE_EVERY) return
    this.#observedAt = now
    const { agents, ledger } = this.#world
    const places = this.#runs.live.filter(({ record }) => !record.namespace).map(placeOf)
    if (places.length === 0) return
    for (const [run, family] of agents.observe(places)) {
      this.#work.writeLater(() => ledger.familySeen(run, family))
      const live = this.#runs.get(run)
      if (live !== undefined) live.family = family
    }
  }

  /** undefined: the last sweep was a moment ago, so ask again. */
  #look(now: number): Marked | undefined {
    if (now - this.#sweptAt < SWEEP_EVERY) return undefined
    this.#sweptAt = now
    const marked = this.#world.agents.sweep()
    this.owed = false
    return marked
  }

  /**
   * Ends processes of ended runs that name no run, or another one. Until they have gone, none of the runs that wait for a
   * sweep is known to be gone: true. The receipt of the run that a process names tells of it, or
   * else that of the last one.
   */
  #endStrays(waiting: readonly LiveRun[], marked: Marked, now: number): boolean {
    const all = marked.get(STRAY) ?? []
    if (all.length === 0) {
      this.#strays.clear()
      return false
    }
    // The group of a run that ends may still have a process, while others have lost their parents already.
    const isEnding = ({ state }: LiveRun): boolean => state.phase === 'stopping' || state.phase === 'leaving'
    const ended = waiting.findLast(({ state }) => state.phase !== 'running') ?? this.#runs.live.findLast(isEnding)
    const isStuck = (each: Found): boolean => now - (this.#strays.get(key(each)) ?? now) > STUCK_MS
    const strays = all.filter((each) => each.reach !== 'none' && !isStuck(each))
    const killed = strays.length === 0 ? [] : this.#killAll(STRAY, strays)
    if (strays.length > 0) this.#world.agents.endOrphans()
    const left = all.filter((each) => each.reach === 'none' && !this.#strays.has(key(each)))
    for (const each of [...killed, ...left]) if (!this.#strays.has(key(each))) this.#strays.set(key(each), now)
    const unnamed = [...killed, ...this.#leftRunning(left)].filter((each) => !this.#tellNamed(each))
    if (ended !== undefined) note(ended, unnamed)
    else if (unnamed.length > 0) this.#world.log('strays-killed', { found: unnamed })
    if (strays.length > 0) this.owed = true
    return strays.length > 0
  }

  /**
   * Puts a process on the receipt of the run that it names. false: it names none, or one whose leader still lives and would
   * have kept it, so the name is forged. The leader of a run that is still held for running may have ended a moment ago.
   */
  #tellNamed(each: Leftover): boolean {
    if (each.marker === undefined) return false
    const live = this.#runs.live.find(({ record }) => record.id === each.marker)
    if (
      live !== undefined &&
      BEFORE_END.has(live.state.phase) &&
      this.#world.agents.exitOf(placeOf(live)) === undefined
    ) {
      return false
    }
    if (live !== undefined) note(live, [each])
    const run = live?.record ?? this.#world.ledger.run(each.marker)
    if (run === undefined) return false
    this.#work.attempt('amend the receipt', () => amendReceipt(this.#world, run, [each], live))
    return true
  }

  #endMarked(live: LiveRun, marked: Marked, hasStrays: boolean): void {
    const found = marked.get(live.record.id) ?? []
    const within = found.filter(({ reach }) => reach !== 'none')
    // It lives on outside its group, and was not asked to end.
    if (within.length > 0 && live.state.phase === 'running') return
    if (live.state.phase !== 'running') note(live, within.length === 0 ? [] : this.#killAll(live.record.id, within))
    if (within.length > 0 || hasStrays) return
    // Processes of other users cannot be ended, and must not hold the slot for ever.
    note(live, this.#leftRunning(found))
    this.#runs.advance(live, { kind: 'gone' })
  }

  /** Processes that ended runs, and the checks of ended runs, left running: setsid, double forks. Only runs of this home's ledger. */
  #endLeftBehind(marked: Marked): void {
    const { ledger, log } = this.#world
    for (const [mark, all] of marked) {
      const found = all.filter(({ reach }) => reach === undefined)
      const { run: id, landing } = subjectOfProcess(mark)
      if (id === STRAY || found.length === 0 || this.#runs.has(id)) continue
      const run = ledger.run(id)
      if (run === undefined || (run.phase !== 'ended' && run.phase !== 'settled')) continue
      if (landing !== undefined && isChecking(ledger.landings.of(run.task), run, landing)) continue
      const killed = this.#killAll(mark, found)
      log('leftovers-killed', { task: run.task, run: id, found: killed })
      this.#work.attempt('amend the receipt', () => amendReceipt(this.#world, run, killed))
      this.owed = true
    }
  }

  /**
   * Answers with the processes that had not gone by themselves. All are stopped before the first is killed: a parent that
   * sees its child die starts another. A crowd may grow faster than it is stopped, so it is looked for again until it does
   * not.
   */
  #killAll(run: string, found: readonly Found[]): readonly Found[] {
    const { agents } = this.#world
    const stopped = new Map<string, Found>()
    let fresh = found
    for (let round = 0; round < ROUNDS && fresh.length > 0; round++) {
      for (const each of fresh) {
        if (each.reach === undefined && agents.kill(each, 'SIGSTOP')) stopped.set(key(each), each)
      }
      const hasFled = fresh.some((each) => each.reach === undefined && !stopped.has(key(each)))
      if (!hasFled && stopped.size < CROWD) break
      fresh = (agents.sweep(0).get(run) ?? []).filter((each) => !stopped.has(key(each)))
    }
    for (const each of stopped.values()) agents.kill(each)
    return this.#redacted([...stopped.values()])
  }

  #leftRunning(found: readonly Found[]): readonly Leftover[] {
    return this.#redacted(found).map((each) => ({ ...each, left: true }))
  }

  #redacted(found: readonly Found[]): readonly Found[] {
    return found.map((each) => ({ ...each, command: this.#world.environment.redact(each.command) }))
  }
}

/** Whether a landing waits for the checks of this commit. */
function isChecking(current: Landing | undefined, { id }: Run, commit: string): boolean {
  return current?.run === id && current.state.at === 'checking' && current.state.to.startsWith(commit)
}

const BEFORE_END: ReadonlySet<RunState['phase']> = new Set(['preparing', 'starting', 'running'])

/** Adds to what the receipt of the run will name. */
function note({ ending: { leftovers } }: LiveRun, found: readonly Leftover[]): void {
  const known = new Set(leftovers.map(key))
  leftovers.push(...found.filter((each) => !known.has(key(each))))
}

function key({ pid, startTime }: Found): string {
  return `${pid} ${startTime}`
}

function isForced({ state }: LiveRun): boolean {
  return (state.phase === 'stopping' || state.phase === 'leaving') && state.forced
}
