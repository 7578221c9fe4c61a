import type { Queue } from '../../../src/ports/queue.ts'
import { openPostgresStore } from '../../../src/queues/postgres/open.ts'
import { PostgresQueue } from '../../../src/queues/postgres/queue.ts'

/** How a worker process opens the Postgres queue under test. */
export async function connect(options: { url: string; now: number }): Promise<Queue> {
  return new PostgresQueue(await openPostgresStore({ url: options.url }), { clock: { now: () => options.now } })
}
