import { expect, test } from 'vitest'
import { fakeBd, GRANTS } from '../support/fake-bd.ts'

const MINUTE = 60_000
const WANT = { limit: 5, by: 'fleet@here', leaseMs: MINUTE }
const NEXT = { id: 'fleet-b', dependencies: [{ depends_on_id: 'fleet-a', type: 'blocks' }] }
const CLOSED = { id: 'fleet-a', status: 'closed', assignee: 'fleet@here', close_reason: 'mine' }

test('a task at work that bd shows as closed frees nobody until its verdict, which bd is told', async () => {
  const { queue, shows, answers, look, calls } = fakeBd()
  shows({ id: 'fleet-a' }, NEXT)
  answers(GRANTS)
  const [claim, ...more] = await queue.claim(WANT)
  if (claim === undefined) throw new Error('nothing was handed out')
  expect(more).toEqual([])
  shows(CLOSED, NEXT)
  await look()
  await look()
  expect(await queue.claim(WANT)).toEqual([])
  expect(await queue.renew(claim, MINUTE)).toBe(true)
  answers('echo "{}"')
  expect(await queue.settle(claim, { to: 'closed', reason: 'it is verified' })).toBe(true)
  // bd keeps the reason of a first close.
  expect(calls().slice(-2)).toEqual([
    expect.stringContaining('batch update fleet-a status=in_progress assignee="fleet@here"'),
    expect.stringContaining('batch close fleet-a "it is verified"'),
  ])
  expect((await queue.ready({ limit: 5 })).map(({ id }) => id)).toEqual(['fleet-b'])
})

test('what a person says of a task at work by way of fleet counts at once, also if a supervisor looked first', async () => {
  const { queue, shows, answers, look } = fakeBd()
  shows({ id: 'fleet-a' }, { id: 'fleet-c' }, NEXT)
  answers(GRANTS)
  const [claim] = await queue.claim({ ...WANT, limit: 1 })
  if (claim === undefined) throw new Error('nothing was handed out')
  await queue.asPerson(async () => {
    shows(CLOSED, { id: 'fleet-c' }, NEXT)
    await look()
  })
  expect(await queue.get('fleet-a')).toMatchObject({ status: 'closed', close_reason: 'mine' })
  expect(await queue.renew(claim, MINUTE)).toBe(false)
  expect((await queue.ready({ limit: 5 })).map(({ id }) => id)).toEqual(['fleet-c', 'fleet-b'])
})

test('what an agent said before a person spoke stays the word of an agent', async () => {
  const { queue, shows, answers } = fakeBd()
  shows({ id: 'fleet-a' }, NEXT)
  answers(GRANTS)
  const [claim] = await queue.claim(WANT)
  if (claim === undefined) throw new Error('nothing was handed out')
  shows(CLOSED, NEXT)
  await queue.asPerson(async () => shows(CLOSED, { ...NEXT, priority: 1 }))
  expect(await queue.renew(claim, MINUTE)).toBe(true)
})
