import { DatabaseSync } from '@photostructure/sqlite'
import type { Queue } from '../../../src/ports/queue.ts'
import { broken, type FaultName } from '../broken-queue.ts'
import { connect as connectSqlite } from './sqlite.ts'

/** How a worker process opens a queue with a fault. */
export async function connect(options: { path: string; now: number; fault: FaultName }): Promise<Queue> {
  const db = new DatabaseSync(options.path, { timeout: 5000 })
  return broken(await connectSqlite(options), { db, now: () => options.now }, options.fault)
}
