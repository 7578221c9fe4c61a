import type { Request } from '../domain/run/run.ts'
import type { ActiveRuns } from './run/active-runs.ts'
import { askedStop, isStop } from './run/asked-stop.ts'
import { handOver } from './run/messages.ts'
import type { World } from './world.ts'

/** Requests of people to this supervisor, through the ledger: answered at once, even if the queue does not respond. */
export class Requests {
  readonly #world: World
  readonly #runs: ActiveRuns
  readonly #drain: () => void
  readonly #since: number
  /** Only the first look can find requests to an earlier supervisor. Later the times prove nothing: the clock may be set. */
  #first = true
  #version = -1

  /** `since`: a drain requested before then was meant for an earlier supervisor. */
  constructor(world: World, { runs, drain, since }: { runs: ActiveRuns; drain: () => void; since: number }) {
    this.#world = world
    this.#runs = runs
    this.#drain = drain
    this.#since = since
  }

  /** Whether another process has written to the ledger, or to the queue beside it, since the last `hear`. */
  get waiting(): boolean {
    return this.#world.ledger.version() !== this.#version
  }

  /** Answers new requests. True: another process has written since the last time. */
  hear(): boolean {
    const version = this.#world.ledger.version()
    if (version === this.#version) return false
    this.#version = version
    this.answer()
    return true
  }

  answer(): void {
    for (const request of this.#world.ledger.pendingRequests()) this.#answer(request)
    handOver(this.#world, this.#runs.live)
    this.#first = false
  }

  #answer(request: Request): void {
    const { id, task, by, askedAt } = request
    const { ledger, clock, log } = this.#world
    if (this.#runs.isAsked(task, id)) return
    log('request-received', { what: request.kind, task, by })
    if (!isStop(request)) {
      const isOurs = !this.#first || askedAt >= this.#since
      if (isOurs) this.#drain()
      ledger.endRequest(id, { at: clock.now(), ...(isOurs ? DRAINING : WITHDRAWN) })
      return
    }
    if (this.#runs.stopTask(task, askedStop(request))) return
    ledger.endRequest(id, { kind: 'done', at: clock.now(), text: 'it was not running' })
  }
}

const DRAINING = { kind: 'done', text: 'draining' } as const
const WITHDRAWN = { kind: 'withdrawn', text: 'withdrawn: it was asked of an earlier supervisor' } as const
