import type { Queue } from '../../../src/ports/queue.ts'
import { Bd } from '../../../src/queues/beads/bd.ts'
import { BeadsQueue } from '../../../src/queues/beads/queue.ts'
import { openStore } from '../../../src/queues/sqlite/open.ts'

/** Eight processes that race are slow on a busy machine; the test has a limit of its own. */
const PATIENT = { readMs: 200_000, writeMs: 200_000, graceMs: 10_000 }

/** How a worker process opens the beads queue under test. */
export async function connect(options: {
  path: string
  beads: string
  now: number
  bd: string
  version: string
  GOGC: string
  GOMAXPROCS: string
}): Promise<Queue> {
  const { path, beads, now, version, GOGC, GOMAXPROCS } = options
  const env = { ...process.env, GOGC, GOMAXPROCS, PATH: `${options.bd}:${process.env['PATH']}` }
  const bd = new Bd({ beads, env, timeouts: PATIENT, memory: { get: () => version, set: () => {} } })
  return new BeadsQueue(openStore({ path }), { bd, beads, clock: { now: () => now } })
}
