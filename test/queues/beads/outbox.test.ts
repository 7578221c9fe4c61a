import { expect, test } from 'vitest'
import type { Claim } from '../../../src/ports/queue.ts'
import type { BeadsQueue } from '../../../src/queues/beads/queue.ts'
import { fakeBd, GRANTS } from '../../support/fake-bd.ts'

const MINUTE = 60_000
const HELD = { id: 'fleet-a', status: 'in_progress', assignee: 'fleet@here' }
const FULL = 'echo "Error: write journal: no space left on device" >&2; return 1'

async function claimed(queue: BeadsQueue): Promise<Claim> {
  const [claim] = await queue.claim({ limit: 1, by: 'fleet@here', leaseMs: MINUTE })
  if (claim === undefined) throw new Error('nothing was handed out')
  return claim
}

test('a verdict that bd could not write stays in the outbox, with its notes, until bd has written it', async () => {
  const { queue, shows, answers, calls, sync } = fakeBd()
  shows({ id: 'fleet-a' })
  answers(GRANTS)
  const claim = await claimed(queue)
  answers(FULL)
  expect(await queue.settle(claim, { to: 'blocked', notes: 'look at it', addLabels: ['needs-review'] })).toBe(true)
  answers('kill -9 $$')
  for (let n = 0; n < 5; n++) await sync()
  expect(await queue.get('fleet-a')).toMatchObject({ status: 'blocked' })
  answers('echo "{}"')
  await sync()
  expect(calls().at(-1)).toMatch(/update fleet-a --status=blocked .*--append-notes=look at it --add-label=needs-review/)
  shows({ id: 'fleet-a', status: 'blocked' })
  const told = calls().length
  await sync()
  await sync()
  expect(calls().length - told).toBe(2)
})

test('a verdict on a task that now belongs to somebody else is stale', async () => {
  const { queue, shows, answers } = fakeBd()
  shows({ id: 'fleet-a' })
  answers(GRANTS)
  const claim = await claimed(queue)
  answers(`
  echo '{"id":"fleet-a","title":"a","status":"in_progress","assignee":"anna"}' >$folder/shown
  echo '{"data":{"error":"1 of 1 issues failed to update","failed":[{"id":"fleet-a","guard_mismatch":true}]}}' >&2
  return 13`)
  expect(await queue.settle(claim, { to: 'open' })).toBe(false)
  expect(await queue.get('fleet-a')).toMatchObject({ status: 'in_progress', assignee: 'anna' })
})

test('closed_at is the time of the decision, however long bd took to answer before', async () => {
  const { queue, shows, answers, clock, calls } = fakeBd({ journal: 'journal' })
  shows({ id: 'fleet-a' }, { id: 'fleet-b' })
  answers(`echo . >>$journal; ${GRANTS}`)
  const [first, second] = [await claimed(queue), await claimed(queue)]
  answers('echo . >>$journal; echo "{}"')
  // After a write of its own, fleet syncs before it closes another task.
  await queue.settle(first, { to: 'blocked' })
  const [began, before] = [clock.millis, calls().length]
  Object.defineProperty(clock, 'millis', { get: () => began + calls().length * MINUTE })
  expect(await queue.settle(second, { to: 'closed', reason: 'done' })).toBe(true)
  const told = calls().findIndex((call) => call.includes(`close ${second.id}`))
  expect(calls()[before]).toContain('export')
  const { closed_at } = (await queue.get(second.id)) ?? {}
  expect(Math.round((Date.parse(closed_at ?? '') - began) / MINUTE)).toBe(told)
})

test('if bd accepts a write repeatedly without showing it, fleet accepts the state in bd and does not block other tasks', async () => {
  const { queue, shows, answers, sync, logged } = fakeBd()
  shows({ id: 'fleet-a' })
  answers(GRANTS)
  const claim = await claimed(queue)
  shows(HELD, { id: 'fleet-b' })
  answers('echo "{}"')
  await queue.settle(claim, { to: 'blocked' })
  while (logged.length === 0) await sync()
  expect(logged).toEqual(['bd-write-abandoned'])
  await sync()
  expect(await queue.get('fleet-a')).toMatchObject({ status: 'in_progress', assignee: 'fleet@here' })
  answers(GRANTS)
  expect(await claimed(queue)).toMatchObject({ id: 'fleet-b' })
})

test('taking a task that bd cannot write fails, and the person does not own it', async () => {
  const { queue, shows, answers } = fakeBd()
  shows({ id: 'fleet-a' })
  answers(FULL)
  await expect(queue.take('fleet-a', 'anna')).rejects.toMatchObject({
    message: expect.stringContaining('no space left'),
  })
  expect(await queue.get('fleet-a')).toMatchObject({ status: 'open', assignee: '' })
})

test('a lease that expired while bd could not write is released once bd can', async () => {
  const { queue, shows, answers, clock, calls, sync } = fakeBd()
  shows({ id: 'fleet-a' })
  answers(GRANTS)
  await claimed(queue)
  clock.millis += 2 * MINUTE
  answers(FULL)
  expect(await queue.reclaimExpired()).toEqual(['fleet-a'])
  for (let n = 0; n < 5; n++) await sync()
  answers('echo "{}"')
  await sync()
  expect(calls().at(-1)).toContain('batch update fleet-a status=open assignee=')
})

test("a person's write during one of fleet's own is seen before a task is closed", async () => {
  const { queue, shows, answers } = fakeBd({ journal: 'journal' })
  shows({ id: 'fleet-a' }, { id: 'fleet-b' })
  answers(`
  echo . >>$journal
  sed 's/"status":"open"/"status":"in_progress","assignee":"fleet@here"/' $folder/shown >$folder/new
  mv $folder/new $folder/shown
  for id in fleet-a fleet-b; do echo "{\\"id\\":\\"$id\\",\\"status\\":\\"in_progress\\",\\"assignee\\":\\"fleet@here\\"}"; done |
    paste -sd, - | sed 's/.*/[&]/'`)
  const claims = await queue.claim({ limit: 2, by: 'fleet@here', leaseMs: MINUTE })
  expect(claims).toHaveLength(2)
  answers(`
  echo . >>$journal
  sed -e '/fleet-a/s/fleet@here/anna/' -e '/fleet-b/s/"in_progress","assignee":"fleet@here"/"closed"/' $folder/shown >$folder/new
  mv $folder/new $folder/shown
  echo "{}"`)
  const [ofA, ofB] = claims as [Claim, Claim]
  expect(await queue.settle(ofB, { to: 'closed', reason: 'done' })).toBe(true)
  expect(await queue.settle(ofA, { to: 'closed', reason: 'done' })).toBe(false)
  expect(await queue.get('fleet-a')).toMatchObject({ status: 'in_progress', assignee: 'anna' })
})
