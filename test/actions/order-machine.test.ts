import { afterEach, expect, test, vi } from 'vitest'
import { orderAll, orderMachine } from '../../src/actions/order-machine.ts'
import { AppError } from '../../src/errors.ts'
import type { Orders } from '../../src/ports/orders.ts'

afterEach(() => void vi.useRealTimers())

test('a machine that has heard of it and never answers is waited for no longer than ten minutes', async () => {
  vi.useFakeTimers()
  const withdrawn: string[] = []
  const orders = {
    give: async () => 1,
    get: async () => ({ taken: true, answer: undefined }),
    leaseLeft: async () => 90_000,
    withdraw: async () => false,
    done: async (_order, answer) => void withdrawn.push(answer),
  } as Partial<Orders> as Orders
  const at = { host: 'fleet-a1b2c3@box', machine: 'east' }
  const ordered = orderMachine({ orders }, { kind: 'kill', task: 'fleet-a', by: 'anna' }, at)
  const told = expect(ordered).rejects.toMatchObject({
    code: 'not-running',
    message: 'east has not answered for 10m00s; its claim on fleet-a ends in 1m30s unless it renews it',
    hint: expect.stringContaining('fleet bd update fleet-a --status blocked'),
  })
  await vi.advanceTimersByTimeAsync(11 * 60_000)
  await told
  expect(withdrawn).toEqual(['withdrawn: the caller stopped waiting'])
})

test('a machine that does not answer keeps no other from being asked', async () => {
  const silent = (name: string) => new AppError('not-running', `${name} is silent`)
  const order = async (name: string) => {
    if (name !== 'west') throw silent(name)
    return `${name}: done`
  }
  expect(await orderAll(['east', 'west', 'south'], order)).toEqual({
    done: ['west: done'],
    failed: [silent('east'), silent('south')],
  })
})
