import { renewEveryMs } from '../../domain/fleet/lease.ts'
import type { RunState } from '../../domain/run/run-machine.ts'
import type { RetryingWork } from '../retrying-work.ts'
import type { ActiveRuns } from '../run/active-runs.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'
import type { HeldLeases } from './held-leases.ts'

export interface LeaseNews {
  /** The run's task now belongs to someone else. */
  takenAway(live: LiveRun): void
  /** The queue answers again after a failure. */
  answers(): void
}

export interface LeasesParts {
  readonly runs: ActiveRuns
  readonly held: HeldLeases
  readonly news: LeaseNews
}

/**
 * Renews the leases of the active runs, and reopens tasks whose holder let the lease lapse. On a shared queue, a run whose
 * lease could not be renewed in time is stopped before it expires, by this supervisor or by its dead man's switch; on a queue
 * of one machine no other claimer can take the task over, and the run continues.
 */
export class Leases {
  readonly #world: World
  readonly #work: RetryingWork
  readonly #runs: ActiveRuns
  readonly #held: HeldLeases
  readonly #news: LeaseNews
  #renewedAt = Number.NEGATIVE_INFINITY
  #underWay = false
  #failed = false
  /** The switches of earlier supervisors guard their runs until all of these are renewed and guarded here. */
  #hasEarlier = true

  constructor(world: World, work: RetryingWork, { runs, held, news }: LeasesParts) {
    this.#world = world
    this.#work = work
    this.#runs = runs
    this.#held = held
    this.#news = news
  }

  /** More time may have passed than the clocks show, as after a pause of a virtual machine. */
  renewSoon(): void {
    this.#renewedAt = Number.NEGATIVE_INFINITY
    this.#held.doubt()
  }

  everySecond(now: number): void {
    if (this.#world.queue.shared === true) for (const live of this.#runs.live) this.#heed(live)
    const due = this.#failed || now - this.#renewedAt >= renewEveryMs(this.#world.policy().lease)
    if (!due || this.#underWay) return
    this.#renewedAt = now
    this.#underWay = true
    this.#renewAll()
      .then(
        () => {
          if (this.#failed) this.#news.answers()
          this.#failed = false
        },
        (error: unknown) => {
          this.#failed = true
          this.#work.trouble(error, 'renew leases')
        },
      )
      .finally(() => {
        this.#underWay = false
      })
  }

  #heed(live: LiveRun): void {
    const input = this.#held.stopOf(live.claim)
    if (input === undefined) return
    const { phase } = live.state
    this.#runs.advance(live, input)
    if (live.state.phase !== phase) {
      this.#world.log('run-cut-off', { task: live.record.task, run: live.record.id })
    }
  }

  async #renewAll(): Promise<void> {
    const { queue, clock, log, policy } = this.#world
    const leaseMs = policy().lease
    const failed: unknown[] = []
    let toldAt = clock.sinceBoot()
    for (const live of this.#runs.live) {
      const askedAt = clock.sinceBoot()
      // A slow server must not make those wait that are renewed.
      if (askedAt - toldAt >= TELL_EVERY_MS) {
        this.#tellSwitch(false)
        toldAt = askedAt
      }
      try {
        // An ended run too: until it is settled, no other claimer should begin its task.
        if (await queue.renew(live.claim, leaseMs)) this.#held.granted([live.claim], { askedAt, leaseMs })
        else if (live.state.phase !== 'ended') this.#news.takenAway(live)
      } catch (error) {
        // One lost answer must not cost the other runs their leases.
        failed.push(error)
      }
    }
    this.#tellSwitch(failed.length === 0)
    if (failed.length > 0) throw failed[0]
    const reopened = await queue.reclaimExpired()
    if (reopened.length > 0) log('expired-claims-reopened', { tasks: reopened })
    this.#held.forgetOld(this.#runs.live)
  }

  #tellSwitch(isComplete: boolean): void {
    const { deadMan, ledger } = this.#world
    if (deadMan === undefined) return
    const guarded = this.#runs.live.filter(({ state }) => !WITHOUT_PROCESS.has(state.phase))
    deadMan.replace(guarded.map((live) => this.#held.guarded(live)))
    if (!this.#hasEarlier || !isComplete) return
    // A run that could not be adopted yet is not renewed here.
    if (ledger.openRuns().some(({ id, phase }) => phase !== 'ended' && !this.#runs.has(id))) return
    deadMan.endEarlier()
    this.#hasEarlier = false
  }
}

/** How long the switch may not know of a renewal. */
const TELL_EVERY_MS = 1000

const WITHOUT_PROCESS: ReadonlySet<RunState['phase']> = new Set(['judging', 'checking', 'ended'])
