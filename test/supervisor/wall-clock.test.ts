import { expect, test } from 'vitest'
import type { Lane } from '../../src/domain/run/run.ts'
import { stepForward } from '../../src/supervisor/wall-clock.ts'
import { NOW, newRun, testLedger } from '../support/test-ledger.ts'

const HOUR = 3600_000

test('all that happened before the clock was set forward moves up to now', () => {
  expect(stepForward([{ startedAt: 1000 }], 2000 + HOUR, HOUR)).toEqual({ from: 2000, to: 2000 + HOUR })
})

test('a run that began by the new time, before the step was noticed, stays later than all that is moved', () => {
  const runs = [1000, 1500 + HOUR, 1400 + HOUR].map((startedAt) => ({ startedAt }))
  expect(stepForward(runs, 2000 + HOUR, HOUR)).toEqual({ from: 2000, to: 1399 + HOUR })
})

test('after the clock was set forward, a run that began by the new time is the trial of a lane, those from before are not', () => {
  const { ledger } = testLedger()
  const lane: Lane = {
    name: 'claude',
    state: 'paused',
    until: NOW + 1000,
    code: 'overload',
    reason: '529',
    since: NOW - 2000,
  }
  ledger.saveLane(lane)
  ledger.begin(newRun('old'))
  const trial = ledger.begin(newRun('trial', { task: 'fleet-b', startedAt: NOW + HOUR }))
  const { from, to } = stepForward(ledger.openRuns(), NOW + HOUR + 400, HOUR)
  ledger.clockSetForward(to - from, to)
  const until = NOW + HOUR - 1
  expect(ledger.lanes()).toEqual([{ ...lane, until }])
  expect(ledger.run('old')?.startedAt).toBeLessThan(until)
  expect(ledger.run('trial')?.startedAt).toBe(trial.startedAt)
})
