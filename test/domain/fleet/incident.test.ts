import { expect, test } from 'vitest'
import { INCIDENT_MS, incidentOf, triesAfterIncident } from '../../../src/domain/fleet/incident.ts'
import type { Lane } from '../../../src/domain/run/run.ts'

test.each<[string, Readonly<Record<string, readonly number[]>>, boolean]>([
  ['the stall of one task', { a: [0] }, false],
  ['the stalls of two tasks', { a: [0], b: [0] }, false],
  ['one task that stalls again and again, and another', { a: [-3, -2, -1], b: [0] }, false],
  ['the stalls of three tasks within two minutes', { a: [-INCIDENT_MS], b: [-1], c: [0] }, true],
  ['the stalls of three tasks over a longer time', { a: [-INCIDENT_MS - 1], b: [-1], c: [0] }, false],
])('%s: %j is an incident: %s', (_, stalls, expected) => {
  const all = Object.entries(stalls).flatMap(([task, times]) => times.map((at) => ({ task, at })))
  expect(incidentOf(all, 0)).toEqual(expected ? Object.keys(stalls) : undefined)
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
