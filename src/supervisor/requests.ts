import type { Request } from '../domain/run/run.ts'
import type { ActiveRuns } from './run/active-runs.ts'
import type { World } from './world.ts'

/** What people ask of this supervisor, by way of the ledger: answered at once, whatever the queue is doing. */
export class Requests {
  readonly #world: World
  readonly #runs: ActiveRuns
  readonly #drain: () => void
  readonly #since: number
  /** What it finds when it first looks may be older; by the clock alone nobody could tell later on, which may be set. */
  #first = true
  #version = -1

  /** `since`: when this supervisor could first be asked; a drain that it finds from before then was another one's. */
  constructor(world: World, { runs, drain, since }: { runs: ActiveRuns; drain: () => void; since: number }) {
    this.#world = world
    this.#runs = runs
    this.#drain = drain
    this.#since = since
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
    this.#first = false
  }

  #answer({ id, kind, task, by, askedAt }: Request): void {
    const { ledger, clock, log } = this.#world
    if (this.#runs.isAsked(task, id)) return
    log('request-received', { what: kind, task, by })
    if (kind === 'drain') {
      const isOurs = !this.#first || askedAt >= this.#since
      if (isOurs) this.#drain()
      ledger.done(id, clock.now(), isOurs ? 'draining' : WITHDRAWN)
      return
    }
    const [code, did] = kind === 'kill' ? (['killed', 'stopped'] as const) : (['paused', 'paused'] as const)
    const asked = { request: id, want: { code, text: `${did} by ${by}`, by } }
    if (!this.#runs.stopTask(task, asked)) ledger.done(id, clock.now(), 'it was not running')
  }
}

const WITHDRAWN = 'withdrawn: it was asked of an earlier supervisor'
