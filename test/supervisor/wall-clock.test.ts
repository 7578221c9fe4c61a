import { expect, test } from 'vitest'
import { stepForward } from '../../src/supervisor/wall-clock.ts'

const HOUR = 3600_000

test('all that happened before the clock was set forward moves up to now', () => {
  expect(stepForward([{ startedAt: 1000 }], 2000 + HOUR, HOUR)).toEqual({ from: 2000, to: 2000 + HOUR })
})

test('a run that began by the new time, before the step was noticed, stays later than all that is moved', () => {
  const runs = [1000, 1500 + HOUR, 1400 + HOUR].map((startedAt) => ({ startedAt }))
  expect(stepForward(runs, 2000 + HOUR, HOUR)).toEqual({ from: 2000, to: 1399 + HOUR })
})
