import { expect, test } from 'vitest'
import { blocksOf, PortBlocks } from '../../../src/supervisor/run/port-blocks.ts'
import type { World } from '../../../src/supervisor/world.ts'

test('each home has all blocks of ports, and begins elsewhere', () => {
  const [one, other] = [blocksOf('/home/you/.fleet'), blocksOf('/home/you/.fleet-2')]
  expect(one[0]).not.toBe(other[0])
  const all = Array.from({ length: 1000 }, (_, i) => 20_000 + i * 10)
  expect([one, other].map((each) => each.toSorted((a, b) => a - b))).toEqual([all, all])
})

test('a holder keeps its block while it needs it; then it is free again', async () => {
  const needed = new Set(['run', 'landing'])
  const machine = { isFreePort: async (port: number) => port % 10 !== 3 || port >= first + 20 } as World['machine']
  const [first = 0] = blocksOf('/home/you/.fleet')
  const blocks = new PortBlocks({ home: '/home/you/.fleet', machine }, (holder) => needed.has(holder))
  blocks.remember('run', first + 20)
  const taken = [await blocks.take('landing'), await blocks.take('landing'), await blocks.take('run')]
  needed.delete('run')
  expect([...taken, await blocks.take('another')]).toEqual([first + 30, first + 30, first + 20, first + 20])
})
