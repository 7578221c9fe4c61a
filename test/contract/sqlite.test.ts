import { expect, test } from 'vitest'
import type { TaskChange } from '../../src/ports/task-store.ts'
import { queueContract } from './queue.ts'
import { openSqlite } from './sqlite.ts'

queueContract('the SQLite queue', openSqlite)

const byHand: [what: string, change: TaskChange][] = [
  ['gives a running task to somebody else', { assignee: 'bob' }],
  ['opens a running task again', { status: 'open', assignee: '' }],
  ['parks a running task', { status: 'blocked' }],
]

for (const [what, change] of byHand) {
  test(`a person who ${what} fences off the supervisor`, async () => {
    await using subject = await openSqlite()
    const { queue } = subject
    const { id } = await queue.create({ title: 'work' }, 'maker')
    const [claim] = await queue.claim({ limit: 1, by: 'claimer', leaseMs: 60_000 })
    if (claim === undefined) throw new Error('nothing was handed out')
    const changed = await queue.update(id, change, 'anna')
    expect(changed).toMatchObject(change)
    expect([await queue.renew(claim, 60_000), await queue.settle(claim, { to: 'open' })]).toEqual([false, false])
    expect(await queue.get(id)).toEqual(changed)
  })
}
