import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  admission,
  READ_EVERY_MS,
  type Running,
  type Situation,
  type Starter,
} from '../../../src/domain/fleet/schedule.ts'
import { lane, MINUTE, NOW } from '../../support/lane.ts'

const idle: Situation = {
  now: NOW,
  maxConcurrent: 10,
  startBudgetMs: 4000,
  lanes: [],
  refusedModels: [],
  projectCap: () => undefined,
  isHeldForReviews: () => false,
  running: [],
}
const task = (name: string, lane = 'claude', cwd: string | undefined = undefined): Starter => ({
  task: name,
  lane,
  model: '',
  cwd,
  locks: [],
  startCostMs: 0,
})
const running = (name: string, lane = 'claude', more: Partial<Running> = {}): Running => ({
  ...task(name, lane),
  startedAt: NOW - MINUTE,
  begun: true,
  ...more,
})

const admitted = (situation: Situation, candidates: readonly Starter[]) => {
  const { admits } = admission(situation)
  return candidates.filter(admits).map((each) => each.task)
}

test('no more tasks start than there are free slots', () => {
  const situation = { ...idle, maxConcurrent: 3, running: [running('x')] }
  expect(admission(situation).room).toBe(2)
  expect(admitted(situation, [task('a'), task('b'), task('c')])).toEqual(['a', 'b'])
})

test('nothing starts after `max_concurrent` is lowered below the number of running agents', () => {
  const situation = { ...idle, maxConcurrent: 1, running: [running('x'), running('y')] }
  expect([admission(situation).room, admitted(situation, [task('a')])]).toEqual([0, []])
})

test('a task does not start while its last run is still active', () => {
  expect(admitted({ ...idle, running: [running('a')] }, [task('a'), task('b'), task('b')])).toEqual(['b'])
})

describe('a lane', () => {
  test('that is down admits nothing; other lanes are not affected', () => {
    const situation = { ...idle, lanes: [lane('claude', 'down'), lane('codex', 'up')] }
    expect(admitted(situation, [task('a'), task('b', 'codex'), task('c', 'shell')])).toEqual(['b', 'c'])
  })

  test('that is paused admits nothing before its time, and says when that is', () => {
    const lanes = [
      lane('claude', 'paused', { until: NOW + 2 * MINUTE }),
      lane('codex', 'paused', { until: NOW + MINUTE }),
      lane('agy', 'down'),
    ]
    const situation = { ...idle, lanes }
    expect(admitted(situation, [task('a'), task('b', 'codex'), task('c', 'agy')])).toEqual([])
    expect(admission(situation).lookAgainAt()).toBe(NOW + MINUTE)
    expect(admission(idle).lookAgainAt()).toBe(Number.POSITIVE_INFINITY)
  })

  test('whose pause is over admits one trial task, and no other while that one runs', () => {
    const situation = { ...idle, lanes: [lane('claude', 'paused', { until: NOW - 1000, cap: 3 })] }
    expect(admitted(situation, [task('a'), task('b'), task('c', 'codex')])).toEqual(['a', 'c'])
    const probe = running('a', 'claude', { startedAt: NOW })
    expect(admitted({ ...situation, running: [probe] }, [task('b'), task('c', 'codex')])).toEqual(['c'])
  })
})

describe('startup work', () => {
  const heavy = (name: string, startCostMs = 1200): Starter => ({ ...task(name), startCostMs })
  const wants = ['a', 'b', 'c', 'd', 'e'].map((name) => heavy(name))

  test('is bounded: more tasks start when the first ones have printed something, which is checked soon', () => {
    const { admits, lookAgainAt } = admission(idle)
    expect(lookAgainAt()).toBe(Number.POSITIVE_INFINITY)
    expect(wants.filter(admits).map((each) => each.task)).toEqual(['a', 'b', 'c'])
    expect(lookAgainAt()).toBe(NOW + READ_EVERY_MS)
    const starting = wants.slice(0, 3).map((each, n) => ({ ...running(each.task), ...each, begun: n === 0 }))
    expect(admitted({ ...idle, running: starting }, wants)).toEqual(['d'])
  })

  test('of zero never delays a task, and a task above the whole budget starts alone', () => {
    expect(admitted(idle, [heavy('a', 9000), heavy('b', 9000), task('c'), task('d')])).toEqual(['a', 'c', 'd'])
  })
})

test('a recovering lane has at most as many agents as its cap', () => {
  const lanes = [lane('claude', 'up', { cap: 2 }), lane('codex', 'up')]
  const situation = { ...idle, lanes, running: [running('x')] }
  expect(admitted(situation, [task('a'), task('b'), task('c', 'codex'), task('d', 'codex')])).toEqual(['a', 'c', 'd'])
})

test('a project has at most as many agents as its own limit, even if slots are free', () => {
  const projectCap: Situation['projectCap'] = (cwd) => (cwd?.startsWith('/p') ? { path: '/p', cap: 2 } : undefined)
  const situation = { ...idle, projectCap, running: [running('x', 'claude', { cwd: '/p/x' })] }
  const wants = [task('a', 'claude', '/p/a'), task('b', 'claude', '/p/b'), task('c', 'claude', '/q'), task('d')]
  expect(admitted(situation, wants)).toEqual(['a', 'c', 'd'])
})

test('tasks that share a lock start one after another, also after a run whose task was taken away', () => {
  const wants = [
    { ...task('a'), locks: ['db'] },
    { ...task('b'), locks: ['gpu', 'db'] },
    { ...task('c'), locks: ['gpu'] },
  ]
  expect(admitted(idle, wants)).toEqual(['a', 'c'])
  expect(admitted({ ...idle, running: [running('x', 'claude', { locks: ['gpu'] })] }, wants)).toEqual(['a'])
})

test('neither the slots nor a project nor a lock are ever exceeded', () => {
  const candidate = fc.record({
    task: fc.string({ maxLength: 2 }),
    lane: fc.constantFrom('claude', 'codex'),
    model: fc.constantFrom('', 'opus'),
    cwd: fc.constantFrom('/a', '/b', undefined),
    locks: fc.subarray(['db', 'gpu']),
    startCostMs: fc.constantFrom(0, 500, 9000),
  })
  fc.assert(
    fc.property(fc.array(candidate), fc.nat(8), fc.nat(3), (candidates, maxConcurrent, cap) => {
      const projectCap: Situation['projectCap'] = (cwd) => (cwd === '/a' ? { path: '/a', cap } : undefined)
      const { admits } = admission({ ...idle, maxConcurrent, projectCap })
      const started = candidates.filter(admits)
      expect(started.length).toBeLessThanOrEqual(maxConcurrent)
      expect(started.filter(({ cwd }) => cwd === '/a').length).toBeLessThanOrEqual(cap)
      const locks = started.flatMap((each) => each.locks)
      expect(new Set(locks).size).toBe(locks.length)
      expect(new Set(started.map(({ task }) => task)).size).toBe(started.length)
    }),
  )
})

describe('a model that its coder refused', () => {
  const refused = { lane: 'claude', model: 'typo', reason: 'no such model', since: NOW - MINUTE, trialFrom: null }
  const asking = (name: string, lane = 'claude', model = 'typo'): Starter => ({ ...task(name, lane), model })
  const others = [asking('other-model', 'claude', 'opus'), asking('other-lane', 'codex')]

  test('keeps only tasks of that lane with that model from starting', () => {
    expect(admitted({ ...idle, refusedModels: [refused] }, [asking('a'), ...others])).toEqual([
      'other-model',
      'other-lane',
    ])
  })

  test('gets one trial run at a time once something has changed', () => {
    const situation = { ...idle, refusedModels: [{ ...refused, trialFrom: NOW - 1000 }] }
    expect(admitted(situation, [asking('a'), asking('b'), ...others])).toEqual(['a', 'other-model', 'other-lane'])
    const model = 'typo'
    const under = { ...situation, running: [running('x', 'claude', { model, startedAt: NOW - 500 })] }
    expect(admitted(under, [asking('a'), ...others])).toEqual(['other-model', 'other-lane'])
    const before = { ...situation, running: [running('x', 'claude', { model, startedAt: NOW - 2000 })] }
    expect(admitted(before, [asking('a')])).toEqual(['a'])
  })
})
