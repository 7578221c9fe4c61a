import { expect, test } from 'vitest'
import type { TaskRecord } from '../../../src/domain/task/interchange.ts'
import type { Sql } from '../../../src/platform/postgres/postgres.ts'
import { importRecords } from '../../../src/queues/postgres/import.ts'
import { openPostgresStore } from '../../../src/queues/postgres/open.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { NOW, record } from '../store.ts'

const LENGTH = 2000

const edge = (to: number, type: string) => ({ depends_on_id: `fleet-${to}`, type })

/** Each task is the child of the one before it. */
const family = Array.from({ length: LENGTH }, (_, i) =>
  record({ id: `fleet-${i}`, labels: ['plan'], dependencies: i === 0 ? [] : [edge(i - 1, 'parent-child')] }),
)

/** The same, whose first one waits for another task. */
const heldUp = [
  record({ id: 'fleet-blocker' }),
  record({ id: 'fleet-0', dependencies: [{ depends_on_id: 'fleet-blocker', type: 'blocks' }] }),
  ...family.slice(1),
]

/** The last closes a circle, so that each of them is suspicious. */
const circle = Array.from({ length: LENGTH }, (_, i) =>
  record({ id: `fleet-${i}`, dependencies: [edge((i + 1) % LENGTH, 'blocks')] }),
)

/** With the most statements that it may take: a generation that is held up takes one. */
const SHAPES: Readonly<Record<string, readonly [records: readonly TaskRecord[], most: number]>> = {
  'a chain of parents': [family, 100],
  'a chain of parents that is held up': [heldUp, LENGTH + 100],
  'a circle': [circle, 100],
}

function counting(sql: Sql) {
  const count = { statements: 0 }
  const counted =
    <Args extends unknown[], Result>(call: (...args: Args) => Result) =>
    (...args: Args): Result => {
      count.statements++
      return call(...args)
    }
  return { count, sql: { rows: counted(sql.rows), change: counted(sql.change), once: counted(sql.once) } as Sql }
}

describeWithPostgres('an import into PostgreSQL', (server) => {
  test.each(Object.entries(SHAPES))('sends few statements for all edges of %s', async (_, [records, most]) => {
    const { db } = await openPostgresStore({ url: server.newUrl(), create: true, prefix: 'fleet' })
    try {
      const statements = await db.transaction({ begin: 'begin' }, async (given) => {
        const { count, sql } = counting(given)
        await importRecords(sql, records, { by: 'tester', at: NOW, prefix: 'fleet' })
        return count.statements
      })
      expect(statements).toBeLessThan(most)
    } finally {
      await db[Symbol.asyncDispose]()
    }
  })
})
