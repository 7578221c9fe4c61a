import { expect, test } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import type { Order, Orders } from '../../../src/ports/orders.ts'
import { RetryingWork } from '../../../src/supervisor/retrying-work.ts'
import { PendingOrders } from '../../../src/supervisor/shared/pending-orders.ts'
import { testWorld } from '../../support/world.ts'

test('an order that was handed out into a dead wire is asked for again, and obeyed once', async () => {
  const order: Order = { id: 7, host: 'fleet@test', kind: 'kill', task: 'fleet-a', by: 'anna' }
  const asked: (boolean | undefined)[] = []
  let torn = false
  const orders = {
    async take(_host, how) {
      asked.push(how?.again)
      if (torn) throw new AppError('queue', 'the wire is dead')
      return how?.again === true ? [order] : []
    },
    done: () => new Promise<void>(() => {}),
  } as Partial<Orders> as Orders
  const { world } = await testWorld(undefined, () => ({ orders }))
  const inHand = new PendingOrders(world, new RetryingWork(world, () => {}))
  expect(await inHand.take()).toBe(true)
  expect(await inHand.take()).toBe(false)
  torn = true
  await expect(inHand.take()).rejects.toThrow('the wire is dead')
  torn = false
  expect([await inHand.take(), await inHand.take()]).toEqual([false, false])
  expect(asked).toEqual([true, false, false, true, false])
  const [request, ...more] = world.ledger.pendingRequests()
  expect([request, more]).toMatchObject([{ kind: 'kill', task: 'fleet-a', by: 'anna' }, []])
  // Also while whoever asked is still being told.
  world.ledger.endRequest(request?.id ?? 0, { kind: 'done', at: 1, text: 'stopped by anna' })
  inHand.tell()
  torn = true
  await expect(inHand.take()).rejects.toThrow('the wire is dead')
  torn = false
  expect([await inHand.take(), world.ledger.pendingRequests()]).toEqual([false, []])
})
