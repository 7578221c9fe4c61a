import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rfc3339 } from '../../../src/domain/task/time.ts'
import type { Database } from '../../../src/platform/sqlite/database.ts'
import { openStore } from '../../../src/queues/sqlite/open.ts'
import { SqliteQueue } from '../../../src/queues/sqlite/queue.ts'
import { type ModelEdge, type ModelTask, readinessOf } from '../../support/readiness-model.ts'
import { anyOperation, perform, Trial } from '../../support/readiness-operations.ts'

class SqliteTrial extends Trial implements AsyncDisposable {
  readonly #db: Database = openStore({ path: ':memory:', create: true })
  readonly queue = new SqliteQueue(this.#db, { clock: { now: () => this.clock.millis } })

  tasks(): ModelTask[] {
    return this.#db.sql<ModelTask & { seq: number }>('select * from task order by seq').all()
  }

  edges(): ModelEdge[] {
    return this.#db.sql<ModelEdge & { metadata: string }>('select * from dependency').all()
  }

  async check(): Promise<void> {
    const tasks = this.#db
      .sql<ModelTask & { seq: number; is_blocked: number; hold_until: string | null }>(
        'select * from task order by seq',
      )
      .all()
    const { blocked, heldUntil, ready } = readinessOf(tasks, this.edges())
    const stored = tasks.map((task) => [task.id, task.is_blocked === 1, task.hold_until])
    expect(stored).toEqual(tasks.map(({ id }) => [id, blocked(id), heldUntil(id)]))
    const now = rfc3339(this.clock.millis)
    expect((await this.queue.ready({ limit: 1000 })).map((task) => task.id)).toEqual(ready(now))
    const held = await this.queue.blocked({})
    expect(held.map(({ task }) => task.id).sort()).toEqual(
      tasks
        .map(({ id }) => id)
        .filter(blocked)
        .sort(),
    )
    expect(held.filter(({ blockedBy }) => blockedBy.length === 0)).toEqual([])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.queue[Symbol.asyncDispose]()
  }
}

test('stored readiness matches the tasks and edges after any sequence of changes', {
  timeout: 180_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyOperation, { maxLength: 60, size: 'max' }), async (operations) => {
      await using trial = new SqliteTrial()
      await trial.begin()
      for (const operation of operations) {
        await perform(trial, operation)
        await trial.check()
      }
    }),
    { numRuns: 150 },
  )
})
