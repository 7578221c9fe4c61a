import { expect, test } from 'vitest'
import { waitedFor } from '../../../src/supervisor/run/waited-for.ts'
import { link, localQueue, tasks } from '../../queues/store.ts'

test('a task waited for every task it depends on, whatever the type of the dependency', async () => {
  const queue = localQueue()
  await tasks(queue, 'fleet-a', 'fleet-b', 'fleet-c', 'fleet-d', 'fleet-x')
  await link(queue, 'fleet-x', 'fleet-a', 'conditional-blocks')
  await link(queue, 'fleet-x', 'fleet-b', 'blocks')
  await link(queue, 'fleet-x', 'fleet-c', 'related')
  await link(queue, 'fleet-x', 'fleet-d', 'discovered-from')
  expect(await waitedFor(queue, 'fleet-x')).toEqual(['fleet-a', 'fleet-b'])
  expect(await waitedFor(queue, 'fleet-a')).toEqual([])
})

test('with waits-for, a task waited for the children of its target', async () => {
  const queue = localQueue()
  await tasks(queue, 'fleet-p', 'fleet-k', 'fleet-l', 'fleet-y')
  for (const child of ['fleet-k', 'fleet-l']) await link(queue, child, 'fleet-p', 'parent-child')
  await link(queue, 'fleet-y', 'fleet-p', 'waits-for')
  expect(await waitedFor(queue, 'fleet-y')).toEqual(['fleet-p', 'fleet-k', 'fleet-l'])
})

test('a task also waited for what its parents waited for, listed after its own', async () => {
  const queue = localQueue()
  await tasks(queue, 'fleet-top', 'fleet-p', 'fleet-x', 'fleet-a', 'fleet-b', 'fleet-c', 'fleet-d')
  await link(queue, 'fleet-p', 'fleet-top', 'parent-child')
  await link(queue, 'fleet-x', 'fleet-p', 'parent-child')
  await link(queue, 'fleet-top', 'fleet-a')
  await link(queue, 'fleet-p', 'fleet-b', 'conditional-blocks')
  await link(queue, 'fleet-x', 'fleet-c')
  await link(queue, 'fleet-x', 'fleet-d')
  await link(queue, 'fleet-top', 'fleet-d')
  expect(await waitedFor(queue, 'fleet-x')).toEqual(['fleet-c', 'fleet-d', 'fleet-b', 'fleet-a'])
})
