import { expect, test } from 'vitest'
import { stopStep } from '../../../src/domain/verify/stop-step.ts'

test.each([
  ['a command that is asked to end has its grace', { isAlive: true, ms: 900 }, 'wait'],
  ['then it is killed', { isAlive: true, ms: 1000 }, 'kill'],
  ['it has ended when its group has gone', { isAlive: false, ms: 0 }, 'end'],
  ['one that does not die of SIGKILL holds up nothing for ever', { isAlive: true, ms: 11_000 }, 'end'],
] as const)('%s', (_, stop, step) => {
  expect(stopStep({ ...stop, graceMs: 1000 })).toBe(step)
})
