import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ListedTask, TaskStore } from '../../../src/ports/task-store.ts'
import { openPostgresStore } from '../../../src/queues/postgres/open.ts'
import { PostgresQueue } from '../../../src/queues/postgres/queue.ts'
import { openStore } from '../../../src/queues/sqlite/open.ts'
import { SqliteQueue } from '../../../src/queues/sqlite/queue.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import type { ModelEdge } from '../../support/readiness-model.ts'
import { anyOperation, perform, Trial } from '../../support/readiness-operations.ts'

/** Uses a store only through its port. */
class StoreTrial extends Trial {
  readonly queue: TaskStore
  #tasks: { readonly id: string }[] = []
  #edges: ModelEdge[] = []

  constructor(open: (clock: { now(): number }) => TaskStore) {
    super()
    this.queue = open({ now: () => this.clock.millis })
  }

  tasks(): readonly { readonly id: string }[] {
    return this.#tasks
  }

  edges(): readonly ModelEdge[] {
    return this.#edges
  }

  /** Everything the store returns about its tasks. */
  async look(): Promise<unknown> {
    const tasks: ListedTask[] = []
    for await (const task of this.queue.find({ sort: 'oldest' })) tasks.push(task)
    this.#tasks = tasks
    this.#edges = tasks.flatMap((task) => task.dependencies)
    const stats = await this.queue.stats()
    return {
      tasks,
      ready: (await this.queue.ready({ limit: 1000 })).map((task) => task.id),
      blocked: (await this.queue.blocked({})).map(({ task, blockedBy }) => [task.id, blockedBy]),
      claims: await this.queue.claimsOf('claimer'),
      // SQLite computes it in days, so the two round differently.
      stats: { ...stats, average_lead_time_hours: stats.average_lead_time_hours.toFixed(3) },
    }
  }

  async histories(): Promise<unknown> {
    const all: unknown[] = []
    for (const { id } of this.#tasks) {
      all.push((await this.queue.history(id)).map(({ seq: _own, ...entry }) => entry))
    }
    return all
  }
}

describeWithPostgres('the Postgres store', (server) => {
  test('gives the same answers and tasks as the SQLite store after any sequence of changes', {
    timeout: 280_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyOperation, { maxLength: 40, size: 'max' }), async (operations) => {
        const store = await openPostgresStore({ url: server.newUrl(), create: true })
        const postgres = new StoreTrial((clock) => new PostgresQueue(store, { clock }))
        const sqlite = new StoreTrial(
          (clock) => new SqliteQueue(openStore({ path: ':memory:', create: true }), { clock }),
        )
        await using _postgres = postgres.queue
        await using _sqlite = sqlite.queue
        for (const trial of [sqlite, postgres]) await trial.begin()
        expect(await postgres.look()).toEqual(await sqlite.look())
        for (const operation of operations) {
          const expected = await perform(sqlite, operation)
          expect([operation, await perform(postgres, operation)]).toEqual([operation, expected])
          expect([operation, await postgres.look()]).toEqual([operation, await sqlite.look()])
        }
        expect(await postgres.histories()).toEqual(await sqlite.histories())
      }),
      // Report a counterexample before the test times out, even if shrinking is not finished.
      { numRuns: 40, interruptAfterTimeLimit: 120_000 },
    )
  })
})
