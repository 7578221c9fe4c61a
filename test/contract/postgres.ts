import { join } from 'node:path'
import { openPostgresStore } from '../../src/queues/postgres/open.ts'
import { PostgresQueue } from '../../src/queues/postgres/queue.ts'
import { BUILT } from '../support/workers.ts'
import type { QueueUnderTest } from './subject.ts'

export interface PostgresUnderTest extends QueueUnderTest {
  readonly queue: PostgresQueue
}

/** A fresh Postgres queue at that address, with the test's clock. */
export async function openPostgres(url: string): Promise<PostgresUnderTest> {
  const clock = { millis: Date.UTC(2026, 0, 1) }
  const queue = new PostgresQueue(await openPostgresStore({ url, create: true }), {
    clock: { now: () => clock.millis },
  })
  return {
    queue,
    values: queue.values,
    clock,
    connection: () => ({ module: join(BUILT, 'connect-postgres.cjs'), options: { url, now: clock.millis } }),
    byHand: {
      reassign: async (id, assignee) => void (await queue.update(id, { assignee }, 'anna')),
      reopen: async (id) => void (await queue.update(id, { status: 'open', assignee: '' }, 'anna')),
      park: async (id) => void (await queue.update(id, { status: 'blocked' }, 'anna')),
      remove: async (id) => void (await queue.remove([id], 'anna')),
    },
    importing: (records) => queue.import(records, {}, 'maker'),
    history: async (id) => (await queue.history(id)).map((entry) => entry.kind),
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  }
}
