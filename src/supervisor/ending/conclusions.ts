import { type Outcome, RULES } from '../../domain/run/outcome.ts'
import type { Run } from '../../domain/run/run.ts'
import { mendLanes } from '../lanes.ts'
import type { RetryingWork } from '../retrying-work.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { Tally } from '../tally.ts'
import { CROWD_MS, throttled } from '../throttle.ts'
import type { World } from '../world.ts'
import { answerRequests, cleanUp } from './clean-up.ts'
import { endInLedger, recordEnd } from './record-end.ts'
import { type Settled, settle } from './settle.ts'

interface Decided {
  readonly live: LiveRun
  readonly outcome: Outcome
}

/**
 * The last steps of decided runs: ledger, settle, clean up. Runs that end together share their transactions. A supervisor
 * that dies after the ledger's step leaves a run that is `ended`, and the next supervisor settles it.
 */
export class Conclusions {
  readonly #world: World
  readonly #work: RetryingWork
  readonly #runs: Map<string, LiveRun>
  readonly #tally: Tally
  readonly #changed: () => void
  /** Not in the ledger yet. */
  readonly #decided: Decided[] = []

  /** Takes a concluded run from `runs`, then calls `changed`. */
  constructor(world: World, work: RetryingWork, of: { runs: Map<string, LiveRun>; tally: Tally; changed: () => void }) {
    this.#world = world
    this.#work = work
    this.#runs = of.runs
    this.#tally = of.tally
    this.#changed = of.changed
  }

  add(decided: Decided): void {
    this.#decided.push(decided)
    this.#concludeAll()
  }

  readonly #concludeAll = throttled(CROWD_MS, () => {
    const batch = this.#decided.splice(0)
    let tries = 0
    this.#work.run(`conclude ${batch[0]?.live.record.id}`, () => this.#conclude(batch, { isRetry: tries++ > 0 }))
  })

  /**
   * Each step may fail and be retried: the ledger is not written twice, and a claim settles once. A run that cannot be
   * settled yet keeps no other waiting.
   */
  async #conclude(batch: readonly Decided[], { isRetry }: { isRetry: boolean }): Promise<void> {
    const world = this.#world
    const left = batch.filter(({ live }) => this.#runs.has(live.record.id))
    const ends = world.ledger.together(() =>
      left.map(({ live, outcome }) => {
        const known = live.ending.recorded ?? (isRetry ? endInLedger(world, live) : undefined)
        const end = known ?? recordEnd(world, live, outcome)
        const settled = settle(world, end.run)
        settled.catch(() => {}) // awaited below; until then a failure of another must not end the process
        return { live, end, settled }
      }),
    )
    for (const { live, end } of ends) live.ending.recorded = end
    const failed: unknown[] = []
    for (const { live, end, settled } of ends) {
      try {
        this.#settled(end.run, await settled)
        cleanUp({ world, work: this.#work }, live, end)
        this.#runs.delete(live.record.id)
      } catch (error) {
        failed.push(error)
        // No process is left: the person who asked for that need not wait for the queue.
        answerRequests(world, live, '; the queue does not answer and will be updated when it does')
      }
    }
    try {
      await mendLanes(
        world,
        ends.map(({ live }) => live),
      )
    } finally {
      if (failed.length < ends.length) this.#changed()
    }
    if (failed.length > 0) throw failed[0]
  }

  /** Settles a run whose end an earlier supervisor has written to the ledger. */
  async settle(run: Run): Promise<void> {
    this.#settled(run, await settle(this.#world, run))
  }

  #settled({ task, title, attempt, id, outcome }: Run, { next, ours }: Settled): void {
    const { ledger, log } = this.#world
    this.#work.writeLater(() => ledger.settled(id))
    const why = outcome?.text
    log('run-ended', { task, title, attempt, run: id, outcome: outcome?.code, why, becomes: next?.to, ours })
    // A task that waits to land is counted when that is over.
    const lands = outcome !== null && RULES[outcome.code].fate === 'land'
    if (ours && next?.to === 'blocked' && !lands) this.#tally.blocked(task)
    if (ours && next?.to === 'closed') this.#tally.closed(task)
  }
}
