import { HEARTBEAT_EVERY_MS, type HostReport } from '../../domain/fleet/host.ts'
import type { Log } from '../../domain/fleet/log-event.ts'
import type { SupervisorClock } from '../../ports/clock.ts'
import type { Hosts } from '../../ports/hosts.ts'

/** How often to look whether the report has changed. */
const LOOK_EVERY = 1000

export interface HeartbeatOptions {
  readonly hosts: Hosts
  readonly clock: SupervisorClock
  readonly log: Log
  /** The state of this supervisor now. */
  report(): HostReport
}

/**
 * Tells the machines that share the queue that this supervisor is alive, and what it runs: when that changes, and every few
 * seconds at least. A failure here never disturbs the supervisor's work.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions
  readonly #timer: NodeJS.Timeout
  #told = ''
  #toldAt = Number.NEGATIVE_INFINITY
  #underWay: Promise<void> | undefined
  #failing = false

  constructor(options: HeartbeatOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY)
  }

  #look(): void {
    if (this.#underWay !== undefined) return
    this.#underWay = this.#attempt(() => this.#tellNews()).finally(() => {
      this.#underWay = undefined
    })
  }

  async #tellNews(): Promise<void> {
    const { clock, hosts } = this.#options
    const report = this.#options.report()
    const text = JSON.stringify(report)
    if (text === this.#told && clock.monotonic() - this.#toldAt < HEARTBEAT_EVERY_MS) return
    this.#toldAt = clock.monotonic()
    await hosts.announce(report)
    this.#told = text
    this.#failing = false
  }

  /** Leaves the queue's list of machines, unless agents keep running: then the last report stays, for others to see. */
  async end(): Promise<void> {
    clearInterval(this.#timer)
    await this.#underWay
    await this.#attempt(async () => {
      const { id, running } = this.#options.report()
      if (running.length === 0) await this.#options.hosts.leave(id)
    })
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (this.#failing) return
      this.#failing = true
      this.#options.log('heartbeat-failed', {
        why: error instanceof Error ? error.message : String(error),
      })
    }
  }
}
