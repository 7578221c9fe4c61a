import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { recordOf, type TaskRecord } from '../../src/domain/task/interchange.ts'
import { openStore } from '../../src/queues/sqlite/open.ts'
import { SqliteQueue } from '../../src/queues/sqlite/queue.ts'
import { temporaryFolder } from '../support/cli.ts'

export const NOW = '2026-06-01T12:00:00Z'

/** A fresh local queue for this test. */
export function localQueue(): SqliteQueue {
  const db = openStore({ path: join(temporaryFolder(), 'fleet.db'), create: true })
  onTestFinished(() => db[Symbol.dispose]())
  return new SqliteQueue(db, { clock: { now: () => Date.parse(NOW) } })
}

/** A record with these fields; the title defaults to the id. */
export function record(fields: { id: string } & Record<string, unknown>): TaskRecord {
  const read = recordOf(JSON.stringify({ title: fields.id, priority: 2, ...fields }), NOW)
  if (read.kind !== 'record') throw new Error(JSON.stringify(read))
  return read.record
}

export async function tasks(queue: SqliteQueue, ...ids: readonly string[]): Promise<void> {
  await queue.import(
    ids.map((id) => record({ id })),
    {},
    'tester',
  )
}

export async function ready(queue: SqliteQueue): Promise<string[]> {
  return (await queue.ready({ limit: 100 })).map((task) => task.id)
}

export async function link(queue: SqliteQueue, from: string, to: string, type = 'blocks', metadata?: string) {
  const edge = { issue_id: from, depends_on_id: to, type }
  return await queue.addDependency(metadata === undefined ? edge : { ...edge, metadata }, 'tester')
}
