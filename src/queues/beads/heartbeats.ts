import type { Claim } from '../../ports/queue.ts'
import type { Link } from './link.ts'

/** bd's lease lasts five minutes; `bd reclaim` waits another ten. */
const EVERY_MS = 4 * 60_000

/**
 * Renews bd's own leases, where bd has them, so that `bd reclaim` does not take running tasks away. Fleet's lease does not
 * depend on them: a failed heartbeat only triggers a sync.
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
    this.#last.set(id, performance.now())
  }

  over({ id }: Claim): void {
    this.#last.delete(id)
  }

  /** Sends a heartbeat if one is due. For a claim from before a restart the last heartbeat is unknown, so one is due. */
  due(claim: Claim): void {
    if (this.#off || performance.now() - (this.#last.get(claim.id) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return
    this.#last.set(claim.id, performance.now())
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
    await this.#link.inTurn(async () => {
      const said = await this.#link.call({ argv: ['heartbeat', id], by })
      if (!said.ok) await this.#link.sync()
    })
  }
}
