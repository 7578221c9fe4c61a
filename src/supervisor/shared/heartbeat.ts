import { HEARTBEAT_EVERY_MS, type HostReport } from '../../domain/fleet/host.ts'
import type { Log } from '../../domain/fleet/log-event.ts'
import type { Hosts } from '../../ports/hosts.ts'
import type { SupervisorClock } from '../world.ts'

export interface BeatSources {
  readonly hosts: Hosts
  readonly clock: SupervisorClock
  readonly log: Log
  /** As it is now. */
  report(): HostReport
}

/** Tells those who share the queue that this supervisor is there, and what it does. Nothing here disturbs its work. */
export class Heartbeat {
  readonly #sources: BeatSources
  #told = ''
  #toldAt = Number.NEGATIVE_INFINITY
  #underWay: Promise<void> | undefined
  #failing = false

  constructor(sources: BeatSources) {
    this.#sources = sources
  }

  /** To be called every second or so: speaks when there is news, and every few seconds at least. */
  look(): void {
    if (this.#underWay !== undefined) return
    this.#underWay = this.#attempt(() => this.#tellNews()).finally(() => {
      this.#underWay = undefined
    })
  }

  async #tellNews(): Promise<void> {
    const { clock, hosts } = this.#sources
    const news = this.#sources.report()
    const text = JSON.stringify(news)
    if (text === this.#told && clock.monotonic() - this.#toldAt < HEARTBEAT_EVERY_MS) return
    this.#toldAt = clock.monotonic()
    await hosts.announce(news)
    this.#told = text
    this.#failing = false
  }

  /** The last word. Who leaves agents behind says nothing: it is away, and what it runs stays known. */
  async end(): Promise<void> {
    await this.#underWay
    await this.#attempt(async () => {
      const { id, running } = this.#sources.report()
      if (running.length === 0) await this.#sources.hosts.leave(id)
    })
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (this.#failing) return
      this.#failing = true
      this.#sources.log('heartbeat-failed', {
        why: error instanceof Error ? error.message : String(error),
      })
    }
  }
}
