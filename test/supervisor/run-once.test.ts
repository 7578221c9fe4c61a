import { expect, test } from 'vitest'
import { afterLook } from '../../src/supervisor/run-once.ts'

test.each([
  ['more', 'more', 'wait'],
  ['nothing', 'more', 'wait'],
  ['more', 'nothing', 'look-again'],
  ['withheld', 'nothing', 'look-again'],
  ['nothing', 'nothing', 'end'],
  ['more', 'withheld', 'end'],
] as const)('with --once, a look that finds %s and then one that finds %s lead to: %s', (last, found, next) => {
  expect(afterLook(last, found)).toBe(next)
})
