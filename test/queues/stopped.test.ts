import { join } from 'node:path'
import { expect, test } from 'vitest'
import { orderOf } from '../../src/queues/order.ts'
import { whereOf } from '../../src/queues/sqlite/filter.ts'
import { openStore } from '../../src/queues/sqlite/open.ts'
import { temporaryFolder } from '../support/cli.ts'
import { NOW } from './store.ts'

test('blocked tasks are found by their own index, however many others there are', () => {
  using db = openStore({ path: join(temporaryFolder(), 'fleet.db'), create: true })
  const now = Date.parse(NOW)
  const { sql, args } = whereOf({ statuses: ['blocked'] }, now)
  const order = orderOf({ sort: 'updated' }, { now, naturalId: 'id' })
  const plan = db
    .once<{ detail: string }>(`explain query plan select title from task where ${sql} order by ${order} limit 5`)
    .all(...args)
  expect(plan.map(({ detail }) => detail)).toEqual(['SCAN task USING INDEX task_stopped'])
})
