import type { Queue } from '../../../src/ports/queue.ts'
import { Bd } from '../../../src/queues/beads/bd.ts'
import { BeadsQueue } from '../../../src/queues/beads/queue.ts'
import { openStore } from '../../../src/queues/sqlite/open.ts'

/** How a worker process opens the beads queue under test. */
export async function connect(options: { path: string; beads: string; now: number; bd: string }): Promise<Queue> {
  const { path, beads, now } = options
  const env = { ...process.env, PATH: `${options.bd}:${process.env['PATH']}` }
  return new BeadsQueue(openStore({ path }), { bd: new Bd({ beads, env }), beads, clock: { now: () => now } })
}
