import { expect, test } from 'vitest'
import { INCIDENT_MS, isIncident, triesAfterIncident } from '../../../src/domain/fleet/incident.ts'
import type { Lane } from '../../../src/domain/run/run.ts'

test.each<[string, readonly number[], boolean]>([
  ['one stall', [0], false],
  ['two stalls', [0, 0], false],
  ['three stalls within two minutes', [-INCIDENT_MS, -1, 0], true],
  ['three stalls over a longer time', [-INCIDENT_MS - 1, -1, 0], false],
])('%s: %j is an incident: %s', (_, stalls, expected) => {
  expect(isIncident(stalls, 0)).toBe(expected)
})

const PAUSED: Lane = { name: 'claude', state: 'paused', until: 50, code: 'provider-silent', reason: 'x', since: 10 }

test.each<[string, Lane | undefined, boolean]>([
  ['a run that was started after the pause', PAUSED, true],
  ['a run that was started before its end', { ...PAUSED, until: 61 }, false],
  ['a run of a lane that another trouble has paused', { ...PAUSED, code: 'overload' }, false],
  ['a run of a lane that is up again', { ...PAUSED, state: 'up', until: null }, false],
  ['a run of a lane without trouble', undefined, false],
])('%s is the trial after an incident, or not', (_, lane, expected) => {
  expect(triesAfterIncident(lane, { startedAt: 60 })).toBe(expected)
})
