import type { Claim } from '../../ports/queue.ts'
import type { Link } from './link.ts'

/** bd's lease lasts five minutes, and whoever reclaims waits twice as long again. */
const EVERY_MS = 4 * 60_000

/**
 * Keeps bd's own leases alive, where it has them, so that nobody's `bd reclaim` takes live work away. Fleet's lease does
 * not hang on them: one that fails makes the next read ask bd, no more.
 */
export class Heartbeats {
  readonly #link: Link
  readonly #last = new Map<string, number>()
  #beating: Promise<void> = Promise.resolve()
  #off = false

  constructor(link: Link) {
    this.#link = link
  }

  begun({ id }: Claim): void {
    this.#last.set(id, Date.now())
  }

  over({ id }: Claim): void {
    this.#last.delete(id)
  }

  /** Also of a claim from before a restart, whose last heartbeat nobody knows. */
  due(claim: Claim): void {
    if (this.#off || Date.now() - (this.#last.get(claim.id) ?? 0) < EVERY_MS) return
    this.#last.set(claim.id, Date.now())
    this.#beating = this.#beating.then(() => this.#beat(claim)).catch(() => {})
  }

  async ended(): Promise<void> {
    this.#off = true
    await this.#beating
  }

  async #beat({ id, by }: Claim): Promise<void> {
    if (this.#off || !this.#last.has(id)) return
    if (!(await this.#link.bd.features()).heartbeat) {
      this.#off = true
      return
    }
    await this.#link.alone(async () => {
      const said = await this.#link.call({ argv: ['heartbeat', id], by })
      if (!said.ok) await this.#link.look()
    })
  }
}
