import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { painted } from '../../../src/cli/render/painted.ts'
import { tasksLines } from '../../../src/cli/render/tasks.ts'
import { type AttentionFacts, attentionOf } from '../../../src/domain/fleet/attention.ts'
import type { Outcome, OutcomeCode } from '../../../src/domain/run/outcome.ts'
import { freshState, type Run, type TaskState } from '../../../src/domain/run/run.ts'
import { runOf } from '../../support/runs.ts'

// People see times in their own time zone.
beforeEach(() => void vi.stubEnv('TZ', 'UTC'))
afterEach(() => void vi.unstubAllEnvs())

const NOW = Date.parse('2026-11-15T14:02:11Z')

const FACTS: AttentionFacts = {
  now: NOW,
  supervisor: true,
  running: 1,
  paused: undefined,
  changed: [],
  configuration: undefined,
  lacks: undefined,
  lanes: [],
  onLane: () => 0,
  refusedModels: [],
  unreviewed: [],
  questions: [],
  blocked: [],
}

function blockedRun(code: OutcomeCode, notes: string) {
  return runOf({ phase: 'settled', outcome: { code, text: 'told otherwise' }, next: { to: 'blocked', notes } })
}

test('the attention list comes first, with the biggest problem on top', () => {
  const question = {
    id: 1,
    run: 'r',
    askedAt: NOW,
    suggestion: 'SQLite',
    answeredAt: null,
    answeredBy: null,
    answer: null,
    task: 'fleet-q',
    text: 'Which\nstore?',
    options: ['SQLite', 'Postgres'],
  }
  const rows = attentionOf({
    ...FACTS,
    supervisor: false,
    paused: { by: 'tester', at: NOW - 60_000 },
    configuration: 'runtime.toml: max_concurrent is "x"',
    lanes: [
      { name: 'claude', state: 'paused', until: NOW + 60_000, code: 'usage-limit', reason: 'five hours', since: 0 },
      { name: 'codex', state: 'down', until: null, code: 'login', reason: null, since: 0 },
      { name: 'gemini', state: 'paused', until: NOW, code: 'overload', reason: null, since: 0 },
      { name: 'shell', state: 'up', until: null, code: null, reason: null, since: 0 },
    ],
    questions: [question],
    blocked: [
      {
        task: 'fleet-q',
        title: 'Asked',
        labels: [],
        state: freshState('fleet-q'),
        lastRun: blockedRun('question', 'QUESTION'),
      },
      {
        task: 'fleet-b',
        title: 'Failed',
        labels: [],
        state: freshState('fleet-b'),
        lastRun: blockedRun('error', '3 attempts'),
      },
      {
        task: 'fleet-k',
        title: 'Killed',
        labels: [],
        state: freshState('fleet-k'),
        lastRun: blockedRun('killed', 'stopped by me'),
      },
      {
        task: 'fleet-p',
        title: 'Paused',
        labels: [],
        state: { ...freshState('fleet-p'), waiting: 'paused by me', waitingKind: 'paused' },
        lastRun: blockedRun('error', 'failed before'),
      },
      {
        task: 'fleet-s',
        title: 'No script',
        labels: [],
        state: freshState('fleet-s'),
        lastRun: blockedRun('bad-settings', 'it has no script'),
      },
      { task: 'fleet-r', title: 'Done', labels: ['needs-review'], state: freshState('fleet-r'), lastRun: undefined },
      {
        task: 'fleet-h',
        title: 'By hand',
        labels: [],
        state: freshState('fleet-h'),
        lastRun: runOf({ next: { to: 'open' } }),
      },
    ],
  })
  const none = { rows: [], more: false }
  const lines = tasksLines({ now: NOW, supervisor: { pid: 1 }, attention: { rows, more: false }, running: none }, 160)
  expect(painted(lines, { colour: false }).painted).toBe(`Needs you
What      Which    Why                                                        What to do
stopped            no supervisor is running; the agents keep running          fleet run
paused             nothing new is started: paused by tester at 14:01:11       fleet resume
config             runtime.toml: max_concurrent is "x"                        fix it (fleet config show --raw)
lane      claude   paused, resumes 14:03:11: five hours                       wait, or fleet resume to try it now
lane      codex    down: login                                                fix it, then fleet resume
question  fleet-q  Which store? [1) SQLite | 2) Postgres] (suggests: SQLite)  fleet answer fleet-q <number>
blocked   fleet-b  Failed: 3 attempts                                         fleet retry fleet-b
blocked   fleet-k  Killed: stopped by me                                      fleet resume fleet-k
blocked   fleet-p  Paused: paused by me                                       fleet resume fleet-p
blocked   fleet-s  No script: it has no script                                fleet bd update fleet-s --command '<script>', then fleet retry fleet-s
blocked   fleet-r  Done: needs-review                                         fleet review fleet-r

Nothing is running.
`)
})

describe('the way to get a blocked task going again', () => {
  const wayOf = (state: Partial<TaskState>, lastRun?: Run, labels: readonly string[] = []) => {
    const blocked = [{ task: 'fleet-b', title: 'B', labels, state: { ...freshState('fleet-b'), ...state }, lastRun }]
    const [each] = attentionOf({ ...FACTS, blocked })
    return each?.kind === 'blocked' ? each.way : undefined
  }
  const refused = (code: OutcomeCode) => ({
    waiting: 'why',
    waitingKind: 'refused' as const,
    lastOutcome: { code, text: 'why' },
  })

  test.each<[string, string, Partial<TaskState>, Run | undefined]>([
    ['that failed', 'retry', {}, blockedRun('error', '3 attempts failed')],
    ['that was killed', 'resume', {}, blockedRun('killed', 'stopped by me')],
    ['that a person paused after it failed', 'resume', { ...refused('error'), waitingKind: 'paused' }, undefined],
    ['without a script', 'script', {}, blockedRun('bad-settings', 'it has no script')],
    ['whose directory was missing at its start', 'directory', {}, blockedRun('missing-cwd', 'is not there')],
    ['whose directory was missing before its start', 'directory', refused('missing-cwd'), undefined],
    ['whose task.json is wrong', 'settings', refused('bad-settings'), blockedRun('error', 'earlier')],
  ])('%s', (_, way, state, lastRun) => {
    expect(wayOf(state, lastRun)).toBe(way)
  })

  test('that waits for approval', () => {
    expect(wayOf({}, blockedRun('needs-review', 'look'), ['needs-review'])).toBe('review')
  })
})

test('a recovering lane is shown while its cap keeps agents from starting, with the reason', () => {
  const reason = 'API Error: 529 Overloaded'
  const capped = { name: 'claude', state: 'up', until: null, code: 'overload', reason, since: 0, cap: 5 } as const
  const shown = (running: number) => attentionOf({ ...FACTS, lanes: [capped], onLane: () => running })
  expect(shown(4)).toEqual([])
  expect(shown(6)).toEqual([{ kind: 'cap', lane: 'claude', cap: 5, running: 6, reason }])
})

test('a refused model is shown while ready tasks ask for it', () => {
  const refused = { lane: 'claude', model: 'typo', reason: 'no such model', since: 0, trialFrom: null }
  expect(attentionOf({ ...FACTS, refusedModels: [refused] })).toEqual([
    { kind: 'model', lane: 'claude', model: 'typo', reason: 'no such model' },
  ])
})

describe('work that passed by itself, or that a person accepted', () => {
  const standing = (ended: OutcomeCode, last: Outcome, labels: readonly string[], machine?: string) => {
    const next = { to: 'blocked', notes: 'as its run said' } as const
    const run = runOf({ phase: 'settled', outcome: { code: ended, text: 'done' }, next })
    const lastRun = { ...run, ...(machine !== undefined && { machine }) }
    const state: TaskState = { ...freshState('fleet-l'), lastOutcome: last }
    const [attention] = attentionOf({ ...FACTS, blocked: [{ task: 'fleet-l', title: 'Land', labels, state, lastRun }] })
    return attention?.kind === 'blocked' ? [attention.way, attention.reason] : []
  }
  const passed: Outcome = { code: 'needs-landing', text: 'done' }
  const waits = 'its work waits to land (fleet land says for what)'

  test.each(['needs-landing', 'needs-review'] as const)('waits to land until it has (%s)', (ended) => {
    expect(standing(ended, passed, ['needs-landing'])).toEqual(['land', waits])
    // The supervisor has yet to hear of it.
    expect(standing(ended, { code: ended, text: 'done' }, ['needs-landing'])).toEqual(['land', waits])
  })

  test('waits on the machine where its agent ran, which knows for what', () => {
    expect(standing('needs-landing', passed, ['needs-landing'], 'forge')).toEqual([
      'land',
      'its work waits to land on forge, where its agent ran (fleet land says there for what)',
    ])
  })

  test.each(['needs-landing', 'needs-review'] as const)('did not land if it was sent back for good (%s)', (ended) => {
    const conflict: Outcome = { code: 'conflict', text: 'conflicts with main' }
    expect(standing(ended, conflict, [])).toEqual(['retry', 'did not land: conflicts with main'])
    const red: Outcome = { code: 'verify-failed', text: 'red with main' }
    expect(standing(ended, red, [])).toEqual(['retry', 'did not land: red with main'])
  })

  test('does not wait to land any more if it was opened by hand, and failed since', () => {
    const failed: Outcome = { code: 'error', text: 'broke' }
    expect(standing('error', failed, ['needs-landing'])).toEqual(['retry', 'as its run said'])
  })

  test('waits for its review as long as the label asks for one', () => {
    const asked: Outcome = { code: 'needs-review', text: 'done' }
    for (const labels of [['needs-review'], ['needs-landing', 'needs-review']]) {
      expect(standing('needs-review', asked, labels)).toEqual(['review', 'as its run said'])
    }
  })
})
