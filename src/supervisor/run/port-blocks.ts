import { fingerprint } from '../../domain/text/fingerprint.ts'
import type { World } from '../world.ts'

/** Below the ports that systems give to outgoing connections. */
const FIRST = 20_000
const SIZE = 10
const BLOCKS = 1000

/** Each home begins elsewhere: a server that is about to start does not listen yet, so two homes would choose the same. */
export function blocksOf(home: string): readonly number[] {
  const first = Number.parseInt(fingerprint(home).slice(0, 8), 16) % BLOCKS
  return Array.from({ length: BLOCKS }, (_, i) => FIRST + ((first + i) % BLOCKS) * SIZE)
}

/**
 * Ports for the servers of agents, setups and checks, FLEET_PORT_BASE and the nine after it: no two of them have the same at a
 * time. A holder is a run or a landing.
 */
export class PortBlocks {
  readonly #world: Pick<World, 'home' | 'machine'>
  readonly #needs: (holder: string) => boolean
  readonly #held = new Map<string, number>()

  /** `needs`: false: its block is free again. */
  constructor(world: Pick<World, 'home' | 'machine'>, needs: (holder: string) => boolean) {
    this.#world = world
    this.#needs = needs
  }

  /** The block that it holds already, or a free one. undefined: none is free. */
  async take(holder: string): Promise<number | undefined> {
    const own = this.#held.get(holder)
    if (own !== undefined) return own
    for (const other of this.#held.keys()) if (!this.#needs(other)) this.#held.delete(other)
    for (const base of blocksOf(this.#world.home)) {
      if ([...this.#held.values()].includes(base)) continue
      // Held before the look at it: another one may ask meanwhile.
      this.#held.set(holder, base)
      if (await this.#isFree(base)) return base
      this.#held.delete(holder)
    }
    return undefined
  }

  async #isFree(base: number): Promise<boolean> {
    for (let port = base; port < base + SIZE; port++) if (!(await this.#world.machine.isFreePort(port))) return false
    return true
  }

  /** Of a run or a check that an earlier supervisor started. */
  remember(holder: string, base: number | undefined): void {
    if (base !== undefined) this.#held.set(holder, base)
  }
}
