import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  endedBySwitch,
  killMarginMs,
  leaseOfUnknownAge,
  renewEveryMs,
  shortened,
  stopBeforeExpiry,
  switchTimes,
} from '../../../src/domain/fleet/lease.ts'
import { type RunState, step } from '../../../src/domain/run/run-machine.ts'

const SECOND = 1000
const TWO_MINUTES = { leaseMs: 120 * SECOND, until: 120 * SECOND }
const GRACE = 10 * SECOND

test.each([
  ['that was just renewed', 0, 'nothing'],
  ['with time left for grace and kill margin', 104.9 * SECOND, 'nothing'],
  ['with exactly that time left', 105 * SECOND, 'stop'],
  ['with no time left for grace', 115 * SECOND, 'stop at once'],
  ['that has expired', 200 * SECOND, 'stop at once'],
])('a lease %s', (_, now, expected) => {
  const input = stopBeforeExpiry(TWO_MINUTES, GRACE, now)
  if (expected === 'nothing') return expect(input).toBeUndefined()
  const want = { code: 'cut-off', text: 'cut off from the queue for nearly 2m: another machine may take its task' }
  expect(input).toEqual({ kind: 'stop', want, atOnce: expected === 'stop at once' })
})

test('an hour of grace takes at most a quarter of a two-minute lease', () => {
  expect(stopBeforeExpiry(TWO_MINUTES, 3600 * SECOND, 84 * SECOND)).toBeUndefined()
  expect(stopBeforeExpiry(TWO_MINUTES, 3600 * SECOND, 85 * SECOND)).toMatchObject({ atOnce: false })
})

const leases = fc.integer({ min: 10 * SECOND, max: 24 * 3600 * SECOND })
const graces = fc.integer({ min: 100, max: 24 * 3600 * SECOND })
const phases = fc.constantFrom<RunState>({ phase: 'running' }, { phase: 'starting' }, { phase: 'preparing' })

/** Checks once a second, like the supervisor, an agent that ignores SIGTERM. */
function untilKilled(state: RunState, { from, to }: { from: number; to: number }, ask: (now: number) => unknown) {
  let now = from
  for (; now <= to; now += SECOND) {
    const input = ask(now) as Parameters<typeof step>[1] | undefined
    if (input === undefined) continue
    const next = step(state, input, now)
    state = next.state
    if (next.effects.some((effect) => effect.do === 'kill' || effect.do === 'settle')) return now
    if (state.phase === 'starting' && state.stop?.atOnce === true) return now
  }
  return undefined
}

test('for any lease and grace, a run without renewal is killed early enough to be gone before the lease expires', () => {
  fc.assert(
    fc.property(leases, graces, phases, fc.nat(999), (leaseMs, grace, state, offset) => {
      const lease = { leaseMs, until: leaseMs }
      // Skips the hours in which nothing has to happen.
      const from = Math.max(0, leaseMs - 120 * SECOND) + offset
      const killed = untilKilled(state, { from, to: leaseMs }, (now) => stopBeforeExpiry(lease, grace, now))
      expect(killed).toBeLessThan(leaseMs - killMarginMs(leaseMs) + SECOND)
      expect(killMarginMs(leaseMs)).toBeGreaterThan(2 * SECOND)
    }),
  )
})

test('a run is never stopped if every second renewal succeeds', () => {
  fc.assert(
    fc.property(leases, graces, fc.double({ min: 0, max: 2, noNaN: true }), (leaseMs, grace, tries) => {
      const now = tries * renewEveryMs(leaseMs)
      expect(stopBeforeExpiry({ leaseMs, until: leaseMs }, grace, now)).toBeUndefined()
    }),
  )
})

test('a run stays asked to stop until its lease is renewed', () => {
  fc.assert(
    fc.property(leases, graces, fc.nat(), fc.nat(), (leaseMs, grace, first, later) => {
      const lease = { leaseMs, until: leaseMs }
      const asked = stopBeforeExpiry(lease, grace, first)
      if (asked === undefined) return
      const again = stopBeforeExpiry(lease, grace, first + later)
      expect(again).toMatchObject(asked.kind === 'stop' && asked.atOnce === true ? { atOnce: true } : { kind: 'stop' })
    }),
  )
})

test('a lease of unknown age lasts just long enough to renew it', () => {
  fc.assert(
    fc.property(leases, graces, fc.nat(), (leaseMs, grace, now) => {
      const lease = leaseOfUnknownAge(leaseMs, grace, now)
      expect(stopBeforeExpiry(lease, grace, now)).toBeUndefined()
      expect(stopBeforeExpiry(lease, grace, now + renewEveryMs(leaseMs) + 1)).toMatchObject({ kind: 'stop' })
    }),
  )
})

test('a switch asks later than a healthy supervisor, kills while the lease lasts, and not if every second renewal succeeds', () => {
  fc.assert(
    fc.property(leases, graces, (leaseMs, grace) => {
      const lease = { leaseMs, until: leaseMs }
      const { terminateAt, killAt } = switchTimes(lease, grace)
      expect(stopBeforeExpiry(lease, grace, terminateAt)).toBeDefined()
      expect(terminateAt).toBeLessThan(killAt)
      expect(killAt).toBe(leaseMs - killMarginMs(leaseMs))
      expect(terminateAt).toBeGreaterThan(2 * renewEveryMs(leaseMs))
    }),
  )
})

test('a lease in doubt is never lengthened, and lasts long enough to renew it, if it did before', () => {
  fc.assert(
    fc.property(leases, graces, fc.nat(), fc.integer(), (leaseMs, grace, now, left) => {
      const lease = { leaseMs, until: now + left }
      const { until } = shortened(lease, grace, now)
      expect(until).toBe(Math.min(lease.until, leaseOfUnknownAge(leaseMs, grace, now).until))
    }),
  )
})

test('the outcome of a run that the switch ended says so, and is not counted', () => {
  expect(endedBySwitch(120 * SECOND)).toEqual({
    code: 'cut-off',
    text: "its supervisor was dead, stopped or hung for nearly 2m, so the dead man's switch ended it: another machine may take its task",
  })
})
