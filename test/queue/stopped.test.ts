import { join } from 'node:path'
import { expect, test } from 'vitest'
import { orderOf, whereOf } from '../../src/queues/sqlite/filter.ts'
import { openStore } from '../../src/queues/sqlite/open.ts'
import { temporaryFolder } from '../support/cli.ts'
import { NOW } from './store.ts'

test('blocked tasks are found by their own index, however many others there are', () => {
  using db = openStore({ path: join(temporaryFolder(), 'fleet.db'), create: true })
  const { sql, args } = whereOf({ statuses: ['blocked'] }, Date.parse(NOW))
  const plan = db
    .once<{ detail: string }>(
      `explain query plan select title from task where ${sql} order by ${orderOf({ sort: 'updated' }, NOW)} limit 5`,
    )
    .all(...args)
  expect(plan.map(({ detail }) => detail)).toEqual(['SCAN task USING INDEX task_stopped'])
})
