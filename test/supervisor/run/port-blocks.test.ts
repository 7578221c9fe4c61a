import { expect, test } from 'vitest'
import { blocksOf } from '../../../src/supervisor/run/port-blocks.ts'

test('each home has all blocks of ports, and begins elsewhere', () => {
  const [one, other] = [blocksOf('/home/you/.fleet'), blocksOf('/home/you/.fleet-2')]
  expect(one[0]).not.toBe(other[0])
  const all = Array.from({ length: 1000 }, (_, i) => 20_000 + i * 10)
  expect([one, other].map((each) => each.toSorted((a, b) => a - b))).toEqual([all, all])
})
