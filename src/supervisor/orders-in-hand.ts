import type { Perseverance } from './perseverance.ts'
import type { World } from './world.ts'

/** Orders from other machines. Each becomes a request of our own ledger, and its answer goes back where it came from. */
export class OrdersInHand {
  readonly #world: World
  readonly #work: Perseverance
  /** The request that each became. */
  readonly #requests = new Map<number, number>()
  #again = true

  constructor(world: World, work: Perseverance) {
    this.#world = world
    this.#work = work
  }

  async take(): Promise<void> {
    const { orders, ledger, clock, name, log } = this.#world
    if (orders === undefined) return
    const taken = await orders.take(name, { again: this.#again })
    this.#again = false
    for (const { id, kind, task, by } of taken) {
      log('ordered from another machine', { what: kind, task, by })
      this.#requests.set(id, ledger.request(kind, task, by, clock.now()).id)
    }
  }

  /** Those whose request has been answered. */
  tell(): void {
    const { orders, ledger } = this.#world
    for (const [order, request] of this.#requests) {
      const answered = ledger.requestById(request)
      if (answered !== undefined && answered.doneAt === null) continue
      this.#requests.delete(order)
      this.#work.until(`answer order ${order}`, async () => orders?.done(order, answered?.answer ?? 'done'))
    }
  }
}
