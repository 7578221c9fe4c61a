import { expect, test } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import type { Order, Orders } from '../../../src/ports/orders.ts'
import { RetryingWork } from '../../../src/supervisor/retrying-work.ts'
import { PendingOrders } from '../../../src/supervisor/shared/pending-orders.ts'
import { testWorld } from '../../support/world.ts'

test('an order that was lost on the way is taken again, and carried out once', async () => {
  const order: Order = { id: 7, host: 'fleet@test', kind: 'kill', task: 'fleet-a', by: 'anna' }
  const asked: (boolean | undefined)[] = []
  let disconnected = false
  const orders = {
    async take(_host, how) {
      asked.push(how?.again)
      if (disconnected) throw new AppError('queue', 'the connection is lost')
      return how?.again === true ? [order] : []
    },
    done: () => new Promise<void>(() => {}),
  } as Partial<Orders> as Orders
  const { world } = await testWorld(undefined, () => ({ orders }))
  const pending = new PendingOrders(world, new RetryingWork(world, () => {}))
  expect(await pending.take()).toBe(true)
  expect(await pending.take()).toBe(false)
  disconnected = true
  await expect(pending.take()).rejects.toThrow('the connection is lost')
  disconnected = false
  expect([await pending.take(), await pending.take()]).toEqual([false, false])
  expect(asked).toEqual([true, false, false, true, false])
  const [request, ...more] = world.ledger.pendingRequests()
  expect([request, more]).toMatchObject([{ kind: 'kill', task: 'fleet-a', by: 'anna' }, []])
  // Also while the answer is still being sent.
  world.ledger.endRequest(request?.id ?? 0, { kind: 'done', at: 1, text: 'stopped by anna' })
  pending.answerDone()
  disconnected = true
  await expect(pending.take()).rejects.toThrow('the connection is lost')
  disconnected = false
  expect([await pending.take(), world.ledger.pendingRequests()]).toEqual([false, []])
})

test('a message that a person told on another machine is taken in by its comment, and with --now the run is asked to stop', async () => {
  const answers: [number, string][] = []
  const taken: Order[] = []
  const orders = {
    take: async () => taken.splice(0),
    done: async (order, answer) => void answers.push([order, answer]),
  } as Partial<Orders> as Orders
  const { world } = await testWorld(undefined, () => ({ orders }))
  const { id: task } = await world.queue.create({ title: 'Told' }, 'anna')
  await world.queue.comment(task, 'Use the new name', 'anna')
  const [comment] = await world.queue.comments(task)
  const order = { host: 'fleet@test', task, by: 'anna', about: comment?.id ?? '' }
  const pending = new PendingOrders(world, new RetryingWork(world, () => {}))
  taken.push({ id: 1, kind: 'tell', ...order }, { id: 2, kind: 'tell-now', ...order })
  taken.push({ id: 3, kind: 'tell', ...order, about: 'deleted' })
  expect(await pending.take()).toBe(true)
  await expect.poll(() => [answers.length, world.ledger.pendingRequests().length]).toEqual([2, 1])
  expect(answers.sort()).toEqual([
    [1, 'it has the message'],
    [3, 'its comment is gone, so nothing was told'],
  ])
  expect(world.ledger.messages.waiting()).toMatchObject([
    { task, text: 'Use the new name', by: 'anna', delivery: null },
  ])
  expect(world.ledger.pendingRequests()).toMatchObject([{ kind: 'tell-now', task, by: 'anna' }])
})
