import { describe, expect, test } from 'vitest'
import { afterAnswers, afterTrouble, openForTrial, roomOn } from '../../../src/domain/fleet/lane.ts'
import type { Lane } from '../../../src/domain/run/run.ts'
import { lane, MINUTE, NOW } from '../../support/lane.ts'

const over = lane('claude', 'paused', { until: NOW - 1000, code: 'overload', reason: '529', cap: 4 })
const before = { startedAt: NOW - 2 * MINUTE }
const after = { startedAt: NOW - 500 }

describe('a lane has room for', () => {
  const roomIn = (one: Lane | undefined, running: readonly { startedAt: number }[] = []) =>
    roomOn(one, { running, now: NOW })

  test('everything without trouble, and nothing while it is down or paused', () => {
    expect([roomIn(undefined, [before]), roomIn(lane('claude', 'up'), [before])]).toEqual([
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ])
    expect([roomIn(lane('claude', 'down')), roomIn({ ...over, until: NOW + 1 })]).toEqual([0, 0])
  })

  test('as many runs as its cap while it recovers, including older runs', () => {
    const up = lane('claude', 'up', { cap: 4 })
    expect([roomIn(up), roomIn(up, [before, after])]).toEqual([4, 2])
    expect(roomIn(up, Array(9).fill(before))).toBeLessThanOrEqual(0)
  })

  test('one trial run when its pause is over, whatever older runs and cap it has', () => {
    expect([roomIn(over), roomIn(over, [before, before]), roomIn(over, [after])]).toEqual([1, 1, 0])
  })
})

describe('a run that the model answered', () => {
  const proof = (answeredAt: number, countedFor?: number) => ({ answeredAt, countedFor })
  const by = { now: NOW, most: 10 }

  test('brings up a lane whose pause is over, if the answer came after the pause; the cap keeps its reason', () => {
    const up = lane('claude', 'up', { since: NOW - 1000, cap: 4, code: 'overload', reason: '529' })
    expect(afterAnswers(over, [proof(before.startedAt), proof(after.startedAt, NOW - MINUTE)], by)).toEqual(up)
    expect(afterAnswers(over, [proof(before.startedAt)], by)).toBeUndefined()
    const { cap: _, ...free } = over
    expect(afterAnswers(free, [proof(NOW)], by)).toEqual(lane('claude', 'up', { since: NOW - 1000 }))
    expect(afterAnswers({ ...over, until: NOW + 1 }, [proof(NOW + 1)], by)).toBeUndefined()
    expect(afterAnswers(lane('claude', 'down'), [proof(NOW)], by)).toBeUndefined()
  })

  test('raises the cap by one, once in each recovery, if the answer came after the pause, until the cap is gone', () => {
    const up = lane('claude', 'up', { since: NOW - 1000, cap: 6, code: 'overload', reason: '529' })
    const proofs = [proof(NOW - 2000), proof(NOW - 1000), proof(NOW - 10, up.since), proof(NOW, NOW - MINUTE)]
    expect(afterAnswers(up, proofs, by)).toEqual({ ...up, cap: 8 })
    expect(afterAnswers(up, proofs.slice(0, 1), by)).toBeUndefined()
    const free = lane('claude', 'up', { since: up.since })
    expect(afterAnswers(up, proofs, { ...by, most: 8 })).toEqual(free)
    expect(afterAnswers(free, proofs, by)).toBeUndefined()
  })

  test('that was at work all along makes room: six old runs with answers lift a cap of five', () => {
    const up = lane('claude', 'up', { since: NOW - 1000, cap: 5 })
    const old = Array.from({ length: 6 }, () => proof(NOW))
    expect(afterAnswers(up, old, by)).toEqual(lane('claude', 'up', { since: NOW - 1000 }))
  })
})

describe('trouble on a lane', () => {
  const paused = lane('claude', 'paused', { until: NOW + MINUTE, code: 'overload' })
  const down = lane('claude', 'down', { code: 'login' })
  const witness = (running: number, startedAt = NOW - MINUTE) => ({ running, startedAt })

  test('the longer of two pauses holds, and the same trouble keeps its start time', () => {
    const [first, second] = [
      { ...paused, cap: 2 },
      { ...paused, until: NOW + 5 * MINUTE, since: NOW },
    ]
    expect(afterTrouble(first, second, witness(4))).toEqual({ ...second, since: first.since, cap: 2 })
    expect(afterTrouble({ ...second, cap: 2 }, paused, witness(4))).toEqual({ ...second, cap: 2 })
    const other = { ...second, code: 'network' as const }
    expect(afterTrouble(first, other, witness(4))).toEqual({ ...other, cap: 2 })
  })

  const capAfter = (before: Lane | undefined, by: ReturnType<typeof witness>) => afterTrouble(before, paused, by).cap

  test('half of the running agents may come back, counting the one that met the trouble', () => {
    expect([1, 2, 3, 4, 12].map((many) => capAfter(undefined, witness(many)))).toEqual([1, 1, 1, 2, 6])
    expect(capAfter(lane('claude', 'up'), witness(12))).toBe(6)
  })

  test('when many runs fail together, only the first one lowers the cap', () => {
    let one: Lane | undefined
    for (const left of [8, 7, 6, 5, 4, 3, 2, 1]) one = afterTrouble(one, paused, witness(left))
    expect(one?.cap).toBe(4)
  })

  test('a failed trial run halves the cap again, and so does trouble during recovery', () => {
    const widths = [24]
    for (let n = 0; n < 6; n++) {
      const failed = capAfter({ ...over, cap: widths.at(-1) as number }, witness(1, NOW))
      widths.push(failed as number)
    }
    expect(widths).toEqual([24, 12, 6, 3, 1, 1, 1])
    expect(capAfter(lane('claude', 'up', { cap: 6 }), witness(30))).toBe(3)
    expect(capAfter(lane('claude', 'up', { cap: 6 }), witness(4))).toBe(2)
  })

  test('a lane that is down stays down until a person brings it up', () => {
    const then = (before: Lane | undefined, trouble: Lane) => afterTrouble(before, trouble, witness(2))
    expect([then(down, paused), then(down, { ...down, since: NOW })]).toEqual([down, down])
    const billing = { ...down, code: 'billing' as const }
    expect([then(down, billing), then(paused, down), then(undefined, down)]).toEqual([billing, down, down])
  })
})

test('a person can open a lane that is down or paused for one trial run', () => {
  const [down, paused] = [lane('claude', 'down', { code: 'login' }), { ...over, until: NOW + MINUTE }]
  const again = [down, paused].map((each) => openForTrial(each, NOW))
  expect(again).toEqual([
    { ...down, state: 'paused', until: NOW },
    { ...paused, until: NOW },
  ])
  expect(again.map((each) => roomOn(each, { running: [before], now: NOW }))).toEqual([1, 1])
  expect([openForTrial(over, NOW), openForTrial(lane('claude', 'up', { cap: 1 }), NOW)]).toEqual([undefined, undefined])
})
