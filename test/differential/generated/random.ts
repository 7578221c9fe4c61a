/** Makes the same choices for the same seed on every machine. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
    for (let i = 0; i < 8; i++) this.#next()
  }

  /** 0 up to, but not including, `end`. */
  below(end: number): number {
    return Math.floor(this.#next() * end)
  }

  chance(share: number): boolean {
    return this.#next() < share
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T
  }

  /** Some of them, in their order. */
  some<T>(values: readonly T[], share = 0.5): T[] {
    return values.filter(() => this.chance(share))
  }

  /** This many of them, or all, each once. */
  take<T>(values: readonly T[], count: number): T[] {
    const left = [...values]
    const taken: T[] = []
    while (taken.length < count && left.length > 0) taken.push(...left.splice(this.below(left.length), 1))
    return taken
  }

  /** mulberry32: short, and good enough to choose commands. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
