import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { scratchBase } from '../../scripts/scratch.mjs'
import { openStore } from '../../src/queues/sqlite/open.ts'
import { SqliteQueue } from '../../src/queues/sqlite/queue.ts'
import { BUILT } from '../support/workers.ts'
import type { QueueUnderTest } from './subject.ts'

export interface SqliteUnderTest extends QueueUnderTest {
  readonly queue: SqliteQueue
  readonly path: string
}

/** A fresh SQLite queue in its own folder. */
export async function openSqlite(): Promise<SqliteUnderTest> {
  const folder = mkdtempSync(join(scratchBase(), 'fleet-contract-'))
  const path = join(folder, 'fleet.db')
  const clock = { millis: Date.UTC(2026, 0, 1) }
  const queue = new SqliteQueue(openStore({ path, create: true }), { clock: { now: () => clock.millis } })
  return {
    queue,
    values: queue.values,
    clock,
    path,
    connection: () => ({ module: join(BUILT, 'connect-sqlite.cjs'), options: { path, now: clock.millis } }),
    byHand: {
      reassign: async (id, assignee) => void (await queue.update(id, { assignee }, 'anna')),
      reopen: async (id) => void (await queue.update(id, { status: 'open', assignee: '' }, 'anna')),
      park: async (id) => void (await queue.update(id, { status: 'blocked' }, 'anna')),
      remove: async (id) => void (await queue.remove([id], 'anna')),
    },
    importing: (records) => queue.import(records, {}, 'maker'),
    history: async (id) => (await queue.history(id)).map((entry) => entry.kind),
    async [Symbol.asyncDispose]() {
      await queue[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
