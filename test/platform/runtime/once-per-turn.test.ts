import { expect, test } from 'vitest'
import { oncePerTurn } from '../../../src/platform/runtime/once-per-turn.ts'

test('everyone who asks in the same turn of the event loop gets the same answer, and the next turn a new one', async () => {
  let works = 0
  const ask = oncePerTurn(() => ++works)
  const sameTurn = [ask(), ask(), await Promise.resolve().then(ask)]
  await new Promise((resolve) => setImmediate(resolve))
  expect([...sameTurn, ask()]).toEqual([1, 1, 1, 2])
})

test('a failure is nobody else’s answer', () => {
  let works = 0
  const ask = oncePerTurn(() => {
    if (++works === 1) throw new Error('no')
    return works
  })
  expect(ask).toThrow('no')
  expect(ask()).toBe(2)
})
