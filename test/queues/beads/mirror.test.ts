import { expect, test } from 'vitest'
import { examineBd } from '../../../src/queues/beads/examine.ts'
import { findTask } from '../../../src/views/find-task.ts'
import { fakeBd, GRANTS } from '../../support/fake-bd.ts'

const MINUTE = 60_000
const WANT = { limit: 5, by: 'fleet@here', leaseMs: MINUTE }
const NEXT = { id: 'fleet-b', dependencies: [{ depends_on_id: 'fleet-a', type: 'blocks' }] }
const CLOSED = { id: 'fleet-a', status: 'closed', assignee: 'fleet@here', close_reason: 'mine' }

test('a running task that bd shows as closed frees no dependents until its verdict, which bd then receives', async () => {
  const { queue, shows, answers, sync, calls } = fakeBd()
  shows({ id: 'fleet-a' }, NEXT)
  answers(GRANTS)
  const [claim, ...more] = await queue.claim(WANT)
  if (claim === undefined) throw new Error('nothing was handed out')
  expect(more).toEqual([])
  shows(CLOSED, NEXT)
  await sync()
  await sync()
  expect(await queue.claim(WANT)).toEqual([])
  expect(await queue.renew(claim, MINUTE)).toBe(true)
  answers('echo "{}"')
  expect(await queue.settle(claim, { to: 'closed', reason: 'it is verified' })).toBe(true)
  // bd keeps the reason of the first close.
  expect(calls().slice(-2)).toEqual([
    expect.stringContaining('batch update fleet-a status=in_progress assignee="fleet@here"'),
    expect.stringContaining('batch close fleet-a "it is verified"'),
  ])
  expect((await queue.ready({ limit: 5 })).map(({ id }) => id)).toEqual(['fleet-b'])
})

test('a person who closes a running task through fleet ends its run, even if a supervisor synced first', async () => {
  const { queue, shows, answers, sync } = fakeBd()
  shows({ id: 'fleet-a' }, { id: 'fleet-c' }, NEXT)
  answers(GRANTS)
  const [claim] = await queue.claim({ ...WANT, limit: 1 })
  if (claim === undefined) throw new Error('nothing was handed out')
  await queue.asPerson(async () => {
    shows(CLOSED, { id: 'fleet-c' }, NEXT)
    await sync()
  })
  expect(await queue.get('fleet-a')).toMatchObject({ status: 'closed', close_reason: 'mine' })
  expect(await queue.renew(claim, MINUTE)).toBe(false)
  expect((await queue.ready({ limit: 5 })).map(({ id }) => id)).toEqual(['fleet-c', 'fleet-b'])
})

test('a close by an agent stays a claim, even if a person uses fleet bd afterwards', async () => {
  const { queue, shows, answers } = fakeBd()
  shows({ id: 'fleet-a' }, NEXT)
  answers(GRANTS)
  const [claim] = await queue.claim(WANT)
  if (claim === undefined) throw new Error('nothing was handed out')
  shows(CLOSED, NEXT)
  await queue.asPerson(async () => shows(CLOSED, { ...NEXT, priority: 1 }))
  expect(await queue.renew(claim, MINUTE)).toBe(true)
})

test('a task that fleet cannot read holds up its dependents, is never claimed, and is reported by doctor', async () => {
  const { queue, shows, answers, sync, logged, beads, env } = fakeBd()
  const odd = [
    { id: 'fleet-a', issue_type: 'RFC' },
    { id: 'acme.com-1', priority: 9 },
  ]
  const waits = odd.map(({ id }, n) => ({ id: `fleet-w${n}`, dependencies: [{ depends_on_id: id, type: 'blocks' }] }))
  shows(...odd, ...waits)
  answers(GRANTS)
  expect(await queue.claim(WANT)).toEqual([])
  await sync()
  expect(logged).toHaveLength(2)
  await expect(findTask(queue, 'acme.com-1')).rejects.toThrow('its id names no folder')
  expect(await examineBd({ beads, env })).toMatchObject({
    tasks: 4,
    unread: ['fleet-a: invalid issue type: RFC', expect.stringContaining('"acme.com-1" is not a usable id')],
  })
  shows(...odd.map((each) => ({ ...each, status: 'closed' })), ...waits)
  await sync()
  expect((await queue.ready({ limit: 5 })).map(({ id }) => id)).toEqual(['fleet-w0', 'fleet-w1'])
})

test.each(['before', 'after'])(
  'a claim of ours in bd without a lease is released, if our name was known %s the sync',
  async (when) => {
    const { queue, shows, sync } = fakeBd()
    shows(
      { id: 'fleet-a', status: 'in_progress', assignee: 'fleet@here' },
      { id: 'fleet-b', status: 'in_progress', assignee: 'anna' },
    )
    if (when === 'after') await sync()
    expect(await queue.claimsOf('fleet@here')).toMatchObject([{ id: 'fleet-a' }])
    expect(await queue.reclaimExpired()).toEqual(['fleet-a'])
    expect(await queue.get('fleet-b')).toMatchObject({ status: 'in_progress', assignee: 'anna' })
  },
)

test('after the clock is set back, older writes do not hide what bd shows', async () => {
  const { queue, shows, sync, db } = fakeBd()
  shows({ id: 'fleet-a' })
  await sync()
  db.sql('update beads_seen set touched = ?').run(Date.now() + 60 * MINUTE)
  await queue.clockSetBack(60 * MINUTE)
  shows({ id: 'fleet-a', status: 'closed' })
  await sync()
  expect(await queue.get('fleet-a')).toMatchObject({ status: 'closed' })
})
