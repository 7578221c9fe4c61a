import type { Queue } from '../../../src/ports/queue.ts'
import { openStore } from '../../../src/queues/sqlite/open.ts'
import { SqliteQueue } from '../../../src/queues/sqlite/queue.ts'

/** How a worker process opens the SQLite queue under test. */
export async function connect(options: { path: string; now: number }): Promise<Queue> {
  return new SqliteQueue(openStore({ path: options.path }), { clock: { now: () => options.now } })
}
