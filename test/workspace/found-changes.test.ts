import { expect, test } from 'vitest'
import { at } from '../../src/workspace/found-changes.ts'

test('the time of a file is exact, unless its file system counts in whole seconds, or in two', () => {
  const second = 1_700_000_000_000_000_000n
  expect([at(second + 5_000_000n), at(second)]).toEqual([
    { from: 1_700_000_000_005, to: 1_700_000_000_005 },
    { from: 1_700_000_000_000, to: 1_700_000_002_000 },
  ])
})
