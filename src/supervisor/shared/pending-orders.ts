import { modelText } from '../../domain/fleet/refused-model.ts'
import type { Request } from '../../domain/run/run.ts'
import type { Order } from '../../ports/orders.ts'
import type { RetryingWork } from '../retrying-work.ts'
import { takeIn } from '../run/messages.ts'
import type { World } from '../world.ts'

const GONE = 'its comment is gone, so nothing was told'

/** Orders from other machines. An order about a run becomes a request in our own ledger; its answer goes back. */
export class PendingOrders {
  readonly #world: World
  readonly #work: RetryingWork
  /** The request that each order became. */
  readonly #requests = new Map<number, number>()
  /** Orders whose answer, or whose message, is on its way. */
  readonly #answering = new Set<number>()
  /** Also take orders that were handed out before: some may have been lost on the way. */
  #again = true

  constructor(world: World, work: RetryingWork) {
    this.#world = world
    this.#work = work
  }

  /** True: there were new orders. */
  async take(): Promise<boolean> {
    const { orders, name, log } = this.#world
    if (orders === undefined) return false
    const again = this.#again
    // Stays true if this fails: the server may have handed out orders that never arrived.
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

  #obey({ id, kind, task, by, about = '' }: Order): void {
    const { ledger, clock } = this.#world
    switch (kind) {
      case 'kill':
      case 'pause-task':
        this.#ask(id, { kind, task, by })
        break
      case 'tell':
        this.#answer(id, async () => ((await takeIn(this.#world, task, about)) ? 'it has the message' : GONE))
        break
      case 'tell-now':
        this.#answering.add(id)
        this.#work.run(`take in message ${about}`, async () => {
          const isThere = await takeIn(this.#world, task, about)
          this.#answering.delete(id)
          if (isThere) this.#ask(id, { kind, task, by })
          else this.#answer(id, async () => GONE)
        })
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
          const { paused, lanes, models } = await this.#world.steering.resume(by)
          const did = [
            ...(paused ? ['claiming continues'] : []),
            ...lanes.map(({ name }) => `lane ${name} is tried again`),
            ...models.map(({ lane, model }) => `lane ${lane} tries ${modelText(model)} again`),
          ]
          return did.join('; ') || 'nothing was paused'
        })
        break
    }
  }

  #ask(order: number, { kind, task, by }: Pick<Request, 'kind' | 'task' | 'by'>): void {
    const { ledger, clock } = this.#world
    this.#requests.set(order, ledger.request(kind, task, by, clock.now()).id)
  }

  /** Obeys once, and sends the answer until it arrives. */
  #answer(order: number, obey: () => Promise<string>): void {
    this.#answering.add(order)
    let answer: string | undefined
    this.#work.run(`answer order ${order}`, async () => {
      answer ??= await obey()
      await this.#world.orders?.done(order, answer)
      this.#answering.delete(order)
    })
  }

  /** Answers the orders whose request has been answered. */
  answerDone(): void {
    const { ledger } = this.#world
    for (const [order, request] of this.#requests) {
      const answered = ledger.requestById(request)
      if (answered !== undefined && answered.doneAt === null) continue
      this.#requests.delete(order)
      this.#answer(order, async () => answered?.answer ?? 'done')
    }
  }
}
