import type { Request } from '../domain/run.ts'
import type { RunsInHand } from './runs-in-hand.ts'
import type { World } from './world.ts'

/** What people ask of this supervisor, by way of the ledger: answered at once, whatever the queue is doing. */
export class Requests {
  readonly #world: World
  readonly #runs: RunsInHand
  readonly #drain: () => void
  #version = -1

  constructor(world: World, { runs, drain }: { runs: RunsInHand; drain: () => void }) {
    this.#world = world
    this.#runs = runs
    this.#drain = drain
  }

  /** Whether somebody else has written to the ledger, or to the queue beside it, since it was last heard. */
  get waiting(): boolean {
    return this.#world.ledger.version() !== this.#version
  }

  /** True: somebody has. */
  hear(): boolean {
    const version = this.#world.ledger.version()
    if (version === this.#version) return false
    this.#version = version
    this.answer()
    return true
  }

  answer(): void {
    for (const request of this.#world.ledger.pendingRequests()) this.#answer(request)
  }

  #answer({ id, kind, task, by }: Request): void {
    const { ledger, clock, log } = this.#world
    if (this.#runs.isAsked(task, id)) return
    log('asked to', { what: kind, task, by })
    if (kind === 'drain') {
      this.#drain()
      ledger.done(id, clock.now(), 'draining')
      return
    }
    const [code, did] = kind === 'kill' ? (['killed', 'stopped'] as const) : (['paused', 'paused'] as const)
    const asked = { request: id, want: { code, text: `${did} by ${by}`, by } }
    if (!this.#runs.stopTask(task, asked)) ledger.done(id, clock.now(), 'it was not running')
  }
}
