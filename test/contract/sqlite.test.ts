import { expect, test } from 'vitest'
import { queueContract } from './queue.ts'
import { openSqlite } from './sqlite.ts'

queueContract('the SQLite queue', openSqlite)

test('a person who gives a running task to somebody else fences off the supervisor', async () => {
  await using subject = await openSqlite()
  const { queue } = subject
  const { id } = await queue.create({ title: 'work' }, 'maker')
  const [claim] = await queue.claim({ limit: 1, by: 'claimer', leaseMs: 60_000 })
  if (claim === undefined) throw new Error('nothing was handed out')
  const given = await queue.update(id, { assignee: 'bob' }, 'anna')
  expect([await queue.renew(claim, 60_000), await queue.settle(claim, { to: 'open' })]).toEqual([false, false])
  expect(await queue.get(id)).toEqual(given)
})
