import { expect, test } from 'vitest'
import { judgeBd } from '../../../src/domain/queue/bd-version.ts'

test.each([
  ['1.0.4', false],
  ['1.1.2', false],
  ['1.2.2', false],
  ['1.3.0', true],
  ['1.3.1', true],
])('bd %s is supported, with leases: %s', (version, leases) => {
  expect(judgeBd(version)).toEqual({
    kind: 'usable',
    version,
    features: { heartbeat: leases, guards: leases, recomputes: leases, createsWithDependencies: leases },
  })
})

test.each([
  ['0.63.3', /older than 1\.0\.4/],
  ['1.0.3', /older than 1\.0\.4/],
  ['1.0.5', /withdrawn/],
  ['1.2.1', /withdrawn/],
  ['1.4.0', /newer/],
  ['2.0.0', /newer/],
])('bd %s is refused with the reason', (version, why) => {
  expect(judgeBd(version)).toEqual({ kind: 'refused', version, why: expect.stringMatching(why) })
})

test('a version is found inside other text; text without a version gives no verdict', () => {
  expect(judgeBd('v1.3.0-dev (abc)')).toMatchObject({ kind: 'usable', version: '1.3.0' })
  expect(judgeBd('a board game')).toBeUndefined()
})
