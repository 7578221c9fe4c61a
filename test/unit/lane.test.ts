import { describe, expect, test } from 'vitest'
import { afterProof, capAfterTrouble, laneAfter, roomOn } from '../../src/domain/lane.ts'
import type { Lane } from '../../src/domain/run.ts'

const NOW = Date.UTC(2026, 0, 1)
const MINUTE = 60_000

const lane = (name: string, state: Lane['state'], more: Partial<Lane> = {}): Lane => ({
  name,
  state,
  until: null,
  code: null,
  reason: null,
  since: NOW - MINUTE,
  ...more,
})

const over = lane('claude', 'paused', { until: NOW - 1000, code: 'overload', reason: '529', cap: 4 })
const before = { startedAt: NOW - 2 * MINUTE }
const after = { startedAt: NOW - 500 }

describe('a lane has room for', () => {
  const roomIn = (one: Lane | undefined, running: readonly { startedAt: number }[] = []) =>
    roomOn(one, { running, now: NOW })

  test('all, unless it had trouble; none while it is down or paused', () => {
    expect([roomIn(undefined, [before]), roomIn(lane('claude', 'up'), [before])]).toEqual([
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ])
    expect([roomIn(lane('claude', 'down')), roomIn({ ...over, until: NOW + 1 })]).toEqual([0, 0])
  })

  test('as many as its cap while it recovers, those that run since before among them', () => {
    const up = lane('claude', 'up', { cap: 4 })
    expect([roomIn(up), roomIn(up, [before, after])]).toEqual([4, 2])
    expect(roomIn(up, Array(9).fill(before))).toBeLessThanOrEqual(0)
  })

  test('one that tries it when its pause is over, whatever runs since before; a cap is for later', () => {
    expect([roomIn(over), roomIn(over, [before, before]), roomIn(over, [after])]).toEqual([1, 1, 0])
  })
})

describe('a run that has an answer', () => {
  const proof = (startedAt: number, counted = false) => ({ startedAt, counted })
  const by = { now: NOW, most: 10 }

  test('brings up a lane whose pause is over, if it began after that', () => {
    const up = lane('claude', 'up', { since: NOW, cap: 4 })
    expect(afterProof(over, [proof(before.startedAt), proof(after.startedAt, true)], by)).toEqual(up)
    expect(afterProof(over, [proof(before.startedAt)], by)).toBeUndefined()
    expect(afterProof({ ...over, until: NOW + 1 }, [proof(NOW + 1)], by)).toBeUndefined()
    expect(afterProof(lane('claude', 'down'), [proof(NOW)], by)).toBeUndefined()
  })

  test('makes room for one more on a lane that recovers, once, if it began since that is up, until all may start', () => {
    const up = lane('claude', 'up', { since: NOW - 1000, cap: 6 })
    const proofs = [proof(NOW - 2000), proof(NOW - 1000), proof(NOW - 10, true), proof(NOW)]
    expect(afterProof(up, proofs, by)).toEqual({ ...up, cap: 8 })
    expect(afterProof(up, proofs.slice(0, 1), by)).toBeUndefined()
    const { cap: _, ...free } = up
    expect(afterProof(up, proofs, { ...by, most: 8 })).toEqual(free)
    expect(afterProof(free, proofs, by)).toBeUndefined()
  })
})

describe('what a run says about its lane', () => {
  const paused = lane('claude', 'paused', { until: NOW + MINUTE, code: 'overload' })
  const down = lane('claude', 'down', { code: 'login' })

  test('the longer of two pauses holds, and the same trouble keeps its beginning', () => {
    const longer = { ...paused, until: NOW + 5 * MINUTE, since: NOW }
    expect([laneAfter(paused, longer), laneAfter(longer, paused)]).toEqual([
      { ...longer, since: paused.since },
      { ...longer, since: NOW },
    ])
  })

  test('half as many as there were come back, however many of them failed at once', () => {
    expect([0, 1, 2, 3, 12].map(capAfterTrouble)).toEqual([1, 1, 1, 1, 6])
    const first = { ...paused, cap: 6 }
    expect(laneAfter(laneAfter(lane('claude', 'up'), first), { ...paused, cap: 5 }).cap).toBe(6)
  })

  test('what is down stays down until a person mends it', () => {
    expect([laneAfter(down, paused), laneAfter(down, { ...down, since: NOW })]).toEqual([down, down])
    expect([laneAfter(paused, down), laneAfter(undefined, down), laneAfter(lane('claude', 'up'), paused)]).toEqual([
      down,
      down,
      paused,
    ])
  })
})
