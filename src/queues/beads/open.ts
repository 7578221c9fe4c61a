import type { Database } from '../../platform/sqlite/database.ts'
import { Bd } from './bd.ts'
import { bdMemory } from './memory.ts'
import { BeadsQueue, type BeadsQueueOptions } from './queue.ts'

/** Opens the beads queue of a home with the bd on this environment's PATH. */
export function openBeads(
  db: Database,
  { env, anew, ...options }: Omit<BeadsQueueOptions, 'bd'> & { env: NodeJS.ProcessEnv; anew: boolean },
): BeadsQueue {
  return new BeadsQueue(db, { ...options, bd: new Bd({ beads: options.beads, env, memory: bdMemory(db, { anew }) }) })
}
