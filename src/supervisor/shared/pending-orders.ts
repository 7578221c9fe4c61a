import type { Order } from '../../ports/orders.ts'
import type { RetryingWork } from '../retrying-work.ts'
import type { World } from '../world.ts'

/** Orders from other machines. What concerns a run becomes a request of our own ledger; answers go back to who asked. */
export class PendingOrders {
  readonly #world: World
  readonly #work: RetryingWork
  /** The request that each became. */
  readonly #requests = new Map<number, number>()
  /** Done, and whoever asked is being told. */
  readonly #answering = new Set<number>()
  #again = true

  constructor(world: World, work: RetryingWork) {
    this.#world = world
    this.#work = work
  }

  /** True: there were some. */
  async take(): Promise<boolean> {
    const { orders, name, log } = this.#world
    if (orders === undefined) return false
    const again = this.#again
    // Until all of them were obeyed: the server may have handed them out, and the wire have lost them.
    this.#again = true
    const taken = (await orders.take(name, { again })).filter(({ id }) => !this.#has(id))
    for (const order of taken) {
      log('order-received', { what: order.kind, task: order.task, by: order.by })
      this.#obey(order)
    }
    this.#again = false
    return taken.length > 0
  }

  #has(order: number): boolean {
    return this.#requests.has(order) || this.#answering.has(order)
  }

  #obey({ id, kind, task, by }: Order): void {
    const { ledger, clock } = this.#world
    switch (kind) {
      case 'kill':
      case 'pause-task':
        this.#requests.set(id, ledger.request(kind, task, by, clock.now()).id)
        break
      case 'pause': {
        const before = ledger.paused()
        ledger.pause(by, clock.now())
        const answer = before === undefined ? 'paused: nothing new is started' : `already paused by ${before.by}`
        this.#answer(id, async () => answer)
        break
      }
      case 'resume':
        this.#answer(id, async () => {
          const { paused, lanes } = await this.#world.resume(by)
          const did = [...(paused ? ['claiming goes on'] : []), ...lanes.map((lane) => `lane ${lane} is tried again`)]
          return did.join('; ') || 'nothing was paused'
        })
        break
    }
  }

  /** `obey` is done once, and its answer told until it is heard. */
  #answer(order: number, obey: () => Promise<string>): void {
    this.#answering.add(order)
    let answer: string | undefined
    this.#work.run(`answer order ${order}`, async () => {
      answer ??= await obey()
      await this.#world.orders?.done(order, answer)
      this.#answering.delete(order)
    })
  }

  /** Those whose request has been answered. */
  tell(): void {
    const { ledger } = this.#world
    for (const [order, request] of this.#requests) {
      const answered = ledger.requestById(request)
      if (answered !== undefined && answered.doneAt === null) continue
      this.#requests.delete(order)
      this.#answer(order, async () => answered?.answer ?? 'done')
    }
  }
}
