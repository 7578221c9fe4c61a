import { BEAT_EVERY, type HostReport } from '../domain/host.ts'
import type { Hosts } from '../ports/hosts.ts'
import type { Log, SupervisorClock } from './world.ts'

export interface BeatSources {
  readonly hosts: Hosts
  readonly clock: SupervisorClock
  readonly log: Log
  /** As it is now. */
  report(): HostReport
}

/** Tells those who share the queue that this supervisor is there, and what it does. Nothing here disturbs its work. */
export class Beat {
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
    const { clock, report } = this.#sources
    const now = clock.monotonic()
    const news = report()
    const text = JSON.stringify(news)
    if (text === this.#told && now - this.#toldAt < BEAT_EVERY) return
    this.#told = text
    this.#toldAt = now
    this.#underWay = this.#attempt(() => this.#sources.hosts.announce(news)).finally(() => {
      this.#underWay = undefined
    })
  }

  /** The last word. Who leaves agents behind says nothing: it is away, and what it runs stays known. */
  async end(): Promise<void> {
    await this.#underWay
    const { id, running } = this.#sources.report()
    if (running.length === 0) await this.#attempt(() => this.#sources.hosts.leave(id))
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.#failing = false
    } catch (error) {
      // What was not heard is told again.
      this.#told = ''
      if (this.#failing) return
      this.#failing = true
      this.#sources.log('others cannot be told that this machine is there', {
        why: error instanceof Error ? error.message : String(error),
      })
    }
  }
}
