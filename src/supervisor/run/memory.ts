import { tooMuchMemory } from '../../domain/run/diagnosis/memory.ts'
import type { RunInput } from '../../domain/run/run-machine.ts'
import type { World } from '../world.ts'
import { type LiveRun, placeOf } from './live-run.ts'

/** A pass over the process table: not at every tick. */
const LOOK_EVERY_MS = 2000

/** Ends runs whose processes use more memory than one may. */
export class MemoryWatch {
  #lookedAt = Number.NEGATIVE_INFINITY

  weigh(world: World, runs: readonly LiveRun[], now: number): ReadonlyMap<LiveRun, RunInput> {
    const { memory } = world.policy().limits
    if (!Number.isFinite(memory) || now - this.#lookedAt < LOOK_EVERY_MS) return NONE
    this.#lookedAt = now
    const running = runs.filter(({ state, record }) => state.phase === 'running' && record.proc !== null)
    if (running.length === 0) return NONE
    const used = world.agents.memory(running.map(placeOf))
    return new Map(
      running.flatMap((live) => {
        const want = tooMuchMemory(used.get(live.record.id) ?? [], memory)
        return want === undefined ? [] : [[live, { kind: 'stop', want } as const] as const]
      }),
    )
  }
}

const NONE: ReadonlyMap<LiveRun, RunInput> = new Map()
