import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/domain/run/outcome.ts'
import {
  type Figures,
  freshState,
  type Lane,
  NO_FIGURES,
  NOT_WAITING,
  type Run,
  type TaskState,
} from '../../src/domain/run/run.ts'
import type { NextStep } from '../../src/domain/task/next-step.ts'
import type { NewRun } from '../../src/ports/ledger.ts'
import { SqliteLedger } from '../../src/store/ledger/ledger.ts'
import { NOW, newRun, testLedger } from '../support/test-ledger.ts'

const begun = (run: NewRun, attempt = 1): Run => ({
  ...run,
  project: run.cwd,
  attempt,
  phase: 'launching',
  endedAt: null,
  proc: null,
  namespace: false,
  outcome: null,
  next: null,
  figures: NO_FIGURES,
})

const proc = { pid: 4711, startTime: '12345678', bootId: 'b00t' }
const figures: Figures = { ...NO_FIGURES, session: 's1', usage: { input: 3, output: 0 }, events: 12, costUsd: 0.1234 }
const outcome: Outcome = { code: 'no-claim', text: 'it said nothing' }
const next: NextStep = { to: 'open', notBefore: NOW + 5000 }
const state: TaskState = {
  task: 'fleet-a',
  attempts: 1,
  failures: 1,
  stalls: 2,
  handOvers: 3,
  coder: 'claude',
  model: 'sonnet',
  session: 's1',
  waiting: 'retry 2 of 3: it said nothing',
  waitingKind: 'retry',
  waitingUntil: NOW + 5000,
  waitedMs: 5000,
  lastOutcome: outcome,
}
const end = { at: NOW + 60_000, outcome, figures, state, next }

describe('a run', () => {
  test('is in the ledger before it starts, and passes through its phases', () => {
    const { ledger } = testLedger()
    const expected = begun(newRun('r1'))
    expect(ledger.begin(newRun('r1'))).toEqual(expected)
    ledger.launched('r1', proc, { namespace: true })
    expect(ledger.run('r1')).toEqual({ ...expected, phase: 'running', proc, namespace: true })
    ledger.progress('r1', figures)
    ledger.stopping('r1')
    expect(ledger.run('r1')).toEqual({ ...expected, phase: 'stopping', proc, namespace: true, figures })
    ledger.ended('r1', end)
    const ended = { ...expected, proc, namespace: true, figures, phase: 'ended', endedAt: end.at, outcome, next }
    expect([ledger.run('r1'), ledger.openRuns(), ledger.stateOf('fleet-a')]).toEqual([ended, [ended], state])
    ledger.settled('r1')
    expect([ledger.run('r1'), ledger.openRuns()]).toEqual([{ ...ended, phase: 'settled' }, []])
    expect(ledger.run('r2')).toBeUndefined()
  })

  test('ends once: later writes change nothing', () => {
    const { ledger } = testLedger()
    ledger.begin(newRun('r1'))
    ledger.ended('r1', { ...end, next: undefined })
    const last = ledger.run('r1')
    expect(last).toMatchObject({ phase: 'ended', next: null })
    const other = { ...end, outcome: { code: 'done', text: 'late' } as const, state: freshState('fleet-a') }
    ledger.launched('r1', proc, { namespace: false })
    ledger.progress('r1', NO_FIGURES)
    ledger.stopping('r1')
    ledger.ended('r1', other)
    expect([ledger.run('r1'), ledger.stateOf('fleet-a')]).toEqual([last, state])
    ledger.settled('r1')
    ledger.ended('r1', other)
    expect(ledger.run('r1')).toEqual({ ...last, phase: 'settled' })
  })

  test('keeps its evidence to its end', () => {
    const { ledger } = testLedger()
    const stdout = { bytes: 3, sha256: 'abc' }
    const changed = { files: ['a "b".txt'], commits: ['c0ffee'], artifacts: [] }
    for (const id of ['r1', 'r2']) ledger.begin(newRun(id))
    ledger.launched('r1', proc, { namespace: false, launch: { text: '{}', sha256: 'def' }, output: '1:2' })
    ledger.progress('r1', figures, { stdout })
    ledger.ended('r1', { ...end, changed })
    ledger.ended('r2', end)
    expect([ledger.seen('r1'), ledger.seen('r2')]).toEqual([
      { keyed: true, launch: 'def', output: '1:2', stdout, changed },
      {},
    ])
  })

  test('that was stopped before its start was recorded still gets its process recorded', () => {
    const { ledger } = testLedger()
    ledger.begin(newRun('r1'))
    ledger.stopping('r1')
    ledger.launched('r1', proc, { namespace: false })
    expect(ledger.run('r1')).toMatchObject({ phase: 'stopping', proc })
  })

  test('that is checked is open, and a stop with a reason outlasts the checks', () => {
    const { ledger } = testLedger()
    ledger.begin(newRun('r1'))
    ledger.launched('r1', proc, { namespace: false })
    // Stopped without a reason, it is judged by its evidence, and may be checked.
    ledger.stopping('r1')
    ledger.checking('r1')
    expect(ledger.openRunOf('fleet-a')).toMatchObject({ id: 'r1', phase: 'checking' })
    ledger.progress('r1', figures)
    ledger.settled('r1')
    expect(ledger.run('r1')).toMatchObject({ phase: 'checking', figures })
    const killed: Outcome = { code: 'killed', text: 'stopped by ann', by: 'ann' }
    ledger.stopping('r1', killed)
    ledger.checking('r1')
    expect([ledger.run('r1')?.phase, ledger.wanted('r1')]).toEqual(['stopping', killed])
    ledger.ended('r1', end)
    ledger.checking('r1')
    expect(ledger.run('r1')).toMatchObject({ phase: 'ended', outcome })
  })

  test('that has not ended is not settled', () => {
    const { ledger } = testLedger()
    ledger.begin(newRun('r1'))
    ledger.settled('r1')
    expect(ledger.openRuns()).toEqual([begun(newRun('r1'))])
  })

  test('gets the next attempt number of its task, which is stored with the coder', () => {
    const { ledger } = testLedger()
    const attempts = [newRun('r1'), newRun('r2', { task: 'fleet-b', model: null }), newRun('r3', { resumes: 's1' })]
    expect(attempts.map((run) => ledger.begin(run).attempt)).toEqual([1, 1, 2])
    expect(ledger.stateOf('fleet-a')).toEqual({
      ...freshState('fleet-a'),
      attempts: 2,
      coder: 'claude',
      model: 'sonnet',
    })
    expect(ledger.stateOf('fleet-b')).toEqual({ ...freshState('fleet-b'), attempts: 1, coder: 'claude' })
    expect(ledger.runsOf('fleet-a')).toEqual([begun(newRun('r1')), begun(newRun('r3', { resumes: 's1' }), 2)])
  })

  test('continues the attempt numbers of other machines', () => {
    const { ledger } = testLedger()
    expect(ledger.begin(newRun('r1')).attempt).toBe(1)
    ledger.learn({ ...ledger.stateOf('fleet-a'), attempts: 4, failures: 2 }, [])
    expect(ledger.begin(newRun('r2')).attempt).toBe(5)
    expect(ledger.stateOf('fleet-a')).toMatchObject({ attempts: 5, failures: 2 })
    // A local attempt that other machines have not seen yet is not repeated either.
    ledger.learn({ ...ledger.stateOf('fleet-a'), attempts: 4 }, [])
    expect(ledger.begin(newRun('r3')).attempt).toBe(6)
  })

  test('that begins ends the waiting of its task and keeps the rest of its state', () => {
    const { ledger } = testLedger()
    ledger.saveState(state)
    ledger.begin(newRun('r1'))
    expect(ledger.stateOf('fleet-a')).toEqual({ ...state, attempts: 2, ...NOT_WAITING })
    expect(ledger.waiting(10)).toEqual([])
  })

  test('can be found by its task while it is open', () => {
    const { ledger } = testLedger()
    ledger.begin(newRun('r1'))
    ledger.ended('r1', end)
    expect(ledger.openRunOf('fleet-a')?.id).toBe('r1')
    ledger.settled('r1')
    expect(ledger.openRunOf('fleet-a')).toBeUndefined()
    ledger.begin(newRun('r2'))
    expect(ledger.openRunOf('fleet-a')).toEqual(begun(newRun('r2'), 2))
  })

  test('that ended is listed newest end first, settled or not', () => {
    const { ledger } = testLedger()
    for (const [i, id] of ['r1', 'r2', 'r3', 'r4'].entries()) ledger.begin(newRun(id, { task: `fleet-${i}` }))
    for (const [id, at] of [
      ['r2', 1],
      ['r1', 3],
      ['r4', 3],
    ] as const)
      ledger.ended(id, { ...end, at })
    ledger.settled('r1')
    expect(ledger.recentlyEnded(10).map((run) => run.id)).toEqual(['r4', 'r1', 'r2'])
    expect(ledger.recentlyEnded(1).map((run) => run.id)).toEqual(['r4'])
    expect(ledger.openRuns().map((run) => run.id)).toEqual(['r2', 'r3', 'r4'])
  })

  test('begun twice under one id is refused and changes nothing', () => {
    const { ledger } = testLedger()
    ledger.begin(newRun('r1'))
    expect(() => ledger.begin(newRun('r1', { task: 'fleet-b' }))).toThrow()
    expect(ledger.stateOf('fleet-b')).toEqual(freshState('fleet-b'))
  })
})

test('figures come back as they were written', () => {
  const { ledger } = testLedger()
  ledger.begin(newRun('r1'))
  const count = fc.option(fc.nat(), { nil: null })
  const text = fc.option(fc.string({ unit: 'binary' }), { nil: null })
  const usage = fc.record({ input: fc.nat(), output: fc.nat(), cacheRead: fc.nat() }, { requiredKeys: [] })
  const arbitrary: fc.Arbitrary<Figures> = fc.record({
    session: text,
    servedModel: text,
    coderVersion: text,
    usage,
    costUsd: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: null }),
    contextPeak: count,
    contextNow: count,
    contextWindow: count,
    events: fc.nat(),
    toolCalls: fc.nat(),
    lastEventAt: count,
    openTool: text,
    silence: fc.constantFrom(null, { verdict: 'working', text: 'no tool open: working' }),
    estimated: fc.boolean(),
  })
  fc.assert(
    fc.property(arbitrary, (figures) => {
      ledger.progress('r1', figures)
      expect(ledger.run('r1')?.figures).toEqual(figures)
    }),
  )
})

test('figures that an older fleet did not record are read as not counted', () => {
  const { ledger, db } = testLedger()
  ledger.begin(newRun('r1'))
  db.exec(`update run set figures = '{"events":3}'`)
  expect(ledger.run('r1')?.figures).toEqual({ ...NO_FIGURES, events: 3 })
})

describe('the state of a task', () => {
  test('is fresh until it is saved, then the last saved state', () => {
    const { ledger } = testLedger()
    expect(ledger.stateOf('fleet-a')).toEqual(freshState('fleet-a'))
    ledger.saveState(state)
    const later: TaskState = { ...state, failures: 2, lastOutcome: null, session: null }
    ledger.saveState(later)
    expect(ledger.stateOf('fleet-a')).toEqual(later)
  })

  test('is listed while it waits, soonest first, those without an end last', () => {
    const { ledger } = testLedger()
    const waiting = (task: string, waitingUntil: number | null) => ({ ...state, task, waitingUntil })
    const all = [waiting('c', null), waiting('b', NOW + 2), waiting('a', NOW + 9)]
    for (const each of [...all, { ...state, ...NOT_WAITING, task: 'd' }]) ledger.saveState(each)
    expect(ledger.waiting(10)).toEqual([all[1], all[2], all[0]])
    expect(ledger.waiting(1)).toEqual([all[1]])
  })
})

test('lanes are kept by name', () => {
  const { ledger, woken } = testLedger()
  const claude: Lane = { name: 'claude', state: 'paused', until: NOW, code: 'usage-limit', reason: 'limit', since: 1 }
  const agy: Lane = { name: 'agy', state: 'down', until: null, code: 'login', reason: 'logged out', since: 2 }
  for (const lane of [claude, agy]) ledger.saveLane(lane)
  const up: Lane = { ...claude, state: 'up', until: null, code: null, reason: null }
  ledger.saveLane(up)
  expect(ledger.lanes()).toEqual([agy, up])
  expect(woken.times).toBe(3)
})

test('a refused model is kept by lane and model until it is accepted, and wakes supervisors', () => {
  const { ledger, woken } = testLedger()
  const refused = { lane: 'claude', model: 'typo', reason: 'no such model', since: NOW, trialFrom: null }
  const other = { ...refused, lane: 'codex', model: '' }
  for (const each of [other, refused]) ledger.refuseModel(each)
  expect(ledger.refusedModels()).toEqual([refused, other])
  ledger.refuseModel({ ...refused, trialFrom: NOW })
  ledger.clockSetBack(5000)
  expect(ledger.refusedModels()[0]).toEqual({ ...refused, since: NOW - 5000, trialFrom: NOW - 5000 })
  ledger.acceptModel(refused)
  expect(ledger.refusedModels()).toMatchObject([{ lane: 'codex' }])
  expect(woken.times).toBe(4)
})

test('tasks are found by the outcome of their last attempt', () => {
  const { ledger } = testLedger()
  const denied = { code: 'denied', text: 'no shell', under: 'settings' } as const
  for (const task of ['b', 'a']) ledger.saveState({ ...freshState(task), lastOutcome: denied })
  ledger.saveState({ ...freshState('c'), lastOutcome: { code: 'error', text: 'x' } })
  ledger.saveState(freshState('d'))
  expect(ledger.endedWith('denied').map(({ task }) => task)).toEqual(['a', 'b'])
})

test('setting the clock back shifts waits, lanes and the start of open runs with it', () => {
  const { ledger } = testLedger()
  const lane: Lane = { name: 'claude', state: 'paused', until: NOW, code: 'overload', reason: '529', since: NOW - 2000 }
  const up: Lane = { ...lane, name: 'codex', state: 'up', until: null, cap: 2 }
  for (const each of [lane, up]) ledger.saveLane(each)
  const run = ledger.begin(newRun('r1'))
  ledger.clockSetBack(5000)
  expect(ledger.lanes()).toEqual([
    { ...lane, until: NOW - 5000, since: NOW - 7000 },
    { ...up, since: NOW - 7000 },
  ])
  expect(ledger.run(run.id)?.startedAt).toBe(NOW - 5000)
})

describe('together', () => {
  test('everything is written or nothing, and supervisors are woken once, after the commit', () => {
    const { ledger, woken, open } = testLedger()
    const other = new SqliteLedger(open({ readOnly: true }))
    const seen = ledger.together(() => {
      ledger.begin(newRun('r1'))
      ledger.together(() => ledger.request('drain', '', 'anna', NOW))
      ledger.pause('anna', NOW)
      return [woken.times, other.openRuns()]
    })
    expect(seen).toEqual([0, []])
    expect([woken.times, other.openRuns().length, other.pendingRequests().length]).toEqual([1, 1, 1])
  })

  test('an error rolls everything back and wakes nobody', () => {
    const { ledger, woken } = testLedger()
    const work = () => {
      ledger.begin(newRun('r1'))
      ledger.pause('anna', NOW)
      throw new Error('no')
    }
    expect(() => ledger.together(work)).toThrow('no')
    expect([ledger.openRuns(), ledger.paused(), ledger.stateOf('fleet-a'), woken.times]).toEqual([
      [],
      undefined,
      freshState('fleet-a'),
      0,
    ])
    ledger.saveState(state)
    expect(ledger.together(() => ledger.stateOf('fleet-a'))).toEqual(state)
    expect(woken.times).toBe(0)
  })
})

test('the version changes when another connection commits, and only then', () => {
  const { ledger, open } = testLedger()
  const other = new SqliteLedger(open())
  const before = ledger.version()
  ledger.saveState(state)
  other.openRuns()
  expect(ledger.version()).toBe(before)
  other.pause('anna', NOW)
  const after = ledger.version()
  expect(after).not.toBe(before)
  expect(ledger.version()).toBe(after)
})

test('a read-only ledger refuses to write', () => {
  const { open } = testLedger()
  const reader = new SqliteLedger(open({ readOnly: true }))
  expect(() => reader.pause('anna', NOW)).toThrow(expect.objectContaining({ trouble: 'read-only' }))
  expect(reader.paused()).toBeUndefined()
})

test('a record that something else changed is reported as damage', () => {
  const { ledger, db } = testLedger()
  ledger.begin(newRun('r1'))
  db.exec(`update run set figures = 'no JSON'`)
  expect(() => ledger.openRuns()).toThrow(
    expect.objectContaining({ code: 'queue', message: expect.stringContaining('damaged') }),
  )
})
