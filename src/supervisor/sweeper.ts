import type { Agents, Found } from '../ports/agents.ts'

/** One pass over the process table costs milliseconds and serves all runs, so it is made at most this often. */
const EVERY = 250

export type Marked = ReadonlyMap<string, readonly Found[]>

/** Looks for what carries the marker of a run, coalesced. */
export class Sweeper {
  readonly #agents: Agents
  #madeAt = Number.NEGATIVE_INFINITY
  /** A run ended, and nobody has looked since. */
  owed = false

  constructor(agents: Agents) {
    this.#agents = agents
  }

  /** A look made now; undefined: the last one was a moment ago, ask again. */
  look(now: number): Marked | undefined {
    if (now - this.#madeAt < EVERY) return undefined
    this.#madeAt = now
    this.owed = false
    return this.#agents.sweep()
  }
}
