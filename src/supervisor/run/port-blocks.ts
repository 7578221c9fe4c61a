import type { Run } from '../../domain/run/run.ts'
import { fingerprint } from '../../domain/text/fingerprint.ts'
import type { World } from '../world.ts'
import { launchRecord } from './launch-record.ts'

/** Below the ports that systems give to outgoing connections. */
const FIRST = 20_000
const SIZE = 10
const BLOCKS = 1000

/** Each home begins elsewhere: a server that is about to start does not listen yet, so two homes would choose the same. */
export function blocksOf(home: string): readonly number[] {
  const first = Number.parseInt(fingerprint(home).slice(0, 8), 16) % BLOCKS
  return Array.from({ length: BLOCKS }, (_, i) => FIRST + ((first + i) % BLOCKS) * SIZE)
}

/** Ports for the servers that agents start, FLEET_PORT_BASE and the nine after it: no two runs have the same at a time. */
export class PortBlocks {
  readonly #world: World
  readonly #isOpen: (run: string) => boolean
  readonly #held = new Map<string, number>()

  constructor(world: World, isOpen: (run: string) => boolean) {
    this.#world = world
    this.#isOpen = isOpen
  }

  /** undefined: none is free. */
  async take(run: string): Promise<number | undefined> {
    for (const held of this.#held.keys()) if (held !== run && !this.#isOpen(held)) this.#held.delete(held)
    for (const base of blocksOf(this.#world.home)) {
      if ([...this.#held.values()].includes(base)) continue
      // Held before the look at it: another run may ask meanwhile.
      this.#held.set(run, base)
      if (await this.#isFree(base)) return base
      this.#held.delete(run)
    }
    return undefined
  }

  async #isFree(base: number): Promise<boolean> {
    for (let port = base; port < base + SIZE; port++) if (!(await this.#world.machine.isFreePort(port))) return false
    return true
  }

  /** Of a run that an earlier supervisor started. */
  remember(run: Run): void {
    try {
      const { port_base: base } = JSON.parse(launchRecord(this.#world, run).text) as { port_base?: unknown }
      if (typeof base === 'number') this.#held.set(run.id, base)
    } catch {
      // It has no record, and so no ports.
    }
  }
}
