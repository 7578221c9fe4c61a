import { describe, expect, test } from 'vitest'
import { type FleetContext, type Waiting, type WaitingContext, waitingFor } from '../../../src/domain/fleet/waiting.ts'
import { freshState, type Lane, type Question } from '../../../src/domain/run/run.ts'
import { BLANK_TASK, type Task } from '../../../src/domain/task/task.ts'
import { whyNotRunning } from '../../../src/views/why-not-running.ts'
import { runOf } from '../../support/runs.ts'

const NOW = Date.parse('2026-11-15T14:00:00Z')
const TASK: Task = { ...BLANK_TASK, id: 'fleet-a', status: 'open' }
const STATE = freshState('fleet-a')
const LANE: Lane = {
  name: 'claude',
  state: 'paused',
  until: NOW + 120_000,
  code: 'usage-limit',
  reason: 'five hours',
  since: 0,
}
const QUESTION: Question = {
  id: 1,
  task: 'fleet-a',
  run: 'r',
  askedAt: 0,
  text: 'Which?',
  options: [],
  suggestion: null,
  answeredAt: null,
  answeredBy: null,
  answer: null,
}
const RETRY = { ...STATE, waiting: 'retry 2 of 3: no claim', waitingUntil: NOW + 60_000 }

function circumstances(fleet: Partial<FleetContext> = {}, more: Partial<WaitingContext> = {}): WaitingContext {
  return {
    blockedBy: [],
    ready: true,
    isWork: true,
    now: NOW,
    fleet: {
      supervisor: true,
      machine: undefined,
      state: STATE,
      lastRun: undefined,
      question: undefined,
      lane: undefined,
      onLane: [],
      refusedModel: undefined,
      paused: undefined,
      running: 0,
      most: 3,
      ...fleet,
    },
    ...more,
  }
}

const AT_WORK = { lane: 'claude', model: '', startedAt: NOW - 500 }
const REFUSED = { lane: 'claude', model: 'typo', reason: 'no such model', since: NOW - 60_000, trialFrom: null }

const LATER: Waiting = { kind: 'later', reason: 'retry 2 of 3: no claim', until: NOW + 60_000 }

describe('why a task is not running', () => {
  test.each<[string, Task, WaitingContext, Waiting]>([
    ['it is next', TASK, circumstances(), { kind: 'next' }],
    ['no supervisor', TASK, circumstances({ supervisor: false, state: RETRY }), { kind: 'no-supervisor' }],
    [
      'its machine is away',
      TASK,
      circumstances({ supervisor: false, machine: { kind: 'machine', on: 'forge', seen: null } }),
      { kind: 'machine', on: 'forge', seen: null },
    ],
    ['claiming is paused', TASK, circumstances({ paused: { by: 'me', at: 5 } }), { kind: 'paused', by: 'me', at: 5 }],
    [
      'its lane is paused',
      TASK,
      circumstances({ lane: LANE }),
      { kind: 'lane', lane: 'claude', state: 'paused', until: NOW + 120_000, reason: 'five hours' },
    ],
    ['its lane was paused until now', TASK, circumstances({ lane: { ...LANE, until: NOW } }), { kind: 'next' }],
    ['its lane is up', TASK, circumstances({ lane: { ...LANE, state: 'up' } }), { kind: 'next' }],
    [
      'its lane is down',
      TASK,
      circumstances({ lane: { ...LANE, state: 'down', until: null, reason: null } }),
      { kind: 'lane', lane: 'claude', state: 'down', until: null, reason: 'usage-limit' },
    ],
    ['its retry is delayed', TASK, circumstances({ state: RETRY }, { ready: false }), LATER],
    ['its lane is up again', TASK, circumstances({ state: { ...RETRY, waitingUntil: null } }), { kind: 'next' }],
    ['its retry is due', TASK, circumstances({ state: { ...RETRY, waitingUntil: NOW } }), { kind: 'next' }],
    [
      'its lane recovers and has as many agents as it may have',
      TASK,
      circumstances({ lane: { ...LANE, state: 'up', until: null, cap: 1 }, onLane: [AT_WORK] }),
      { kind: 'cap', lane: 'claude', cap: 1, running: 1, reason: 'five hours' },
    ],
    [
      'its lane recovers and has room',
      TASK,
      circumstances({ lane: { ...LANE, state: 'up', until: null, cap: 2 }, onLane: [AT_WORK] }),
      { kind: 'next' },
    ],
    [
      'another task tries its lane',
      TASK,
      circumstances({ lane: { ...LANE, until: NOW - 1000 }, onLane: [AT_WORK] }),
      { kind: 'trial', lane: 'claude', reason: 'five hours' },
    ],
    [
      'its coder refuses its model',
      TASK,
      circumstances({ refusedModel: REFUSED }),
      { kind: 'model', lane: 'claude', model: 'typo', reason: 'no such model' },
    ],
    [
      'its model is tried again',
      TASK,
      circumstances({ refusedModel: { ...REFUSED, trialFrom: NOW - 1 } }),
      { kind: 'next' },
    ],
    [
      'another task has its lock',
      TASK,
      circumstances({ lock: { lock: 'db', by: 'fleet-b', machine: undefined } }),
      { kind: 'lock', lock: 'db', by: 'fleet-b', machine: undefined },
    ],
    [
      'its project has as many agents as it may',
      TASK,
      circumstances({ project: { project: '/lib', running: 2, most: 2 } }),
      { kind: 'project', project: '/lib', running: 2, most: 2 },
    ],
    ['its supervisor is draining', TASK, circumstances({ leaving: true, running: 3 }), { kind: 'leaving' }],
    [
      'a pause comes before a supervisor that ends by itself',
      TASK,
      circumstances({ leaving: true, paused: { by: 'me', at: 5 } }),
      { kind: 'paused', by: 'me', at: 5 },
    ],
    [
      'a lane comes before a supervisor that ends by itself',
      TASK,
      circumstances({ leaving: true, lane: { ...LANE, state: 'down', until: null } }),
      { kind: 'lane', lane: 'claude', state: 'down', until: null, reason: 'five hours' },
    ],
    ['all slots are taken', TASK, circumstances({ running: 3 }), { kind: 'slots', running: 3, most: 3 }],
    [
      'a dependency comes before a retry',
      TASK,
      circumstances({ state: RETRY }, { blockedBy: ['x'] }),
      { kind: 'blocked', by: ['x'] },
    ],
    [
      'a question',
      { ...TASK, status: 'blocked' },
      circumstances({ question: QUESTION }),
      { kind: 'question', question: 'Which?' },
    ],
    [
      'blocked by fleet',
      { ...TASK, status: 'blocked' },
      circumstances({ lastRun: runOf({ next: { to: 'blocked', notes: '3 attempts failed' } }) }),
      { kind: 'status', status: 'blocked', label: undefined, reason: '3 attempts failed' },
    ],
    [
      'blocked by hand, whatever its last run decided',
      { ...TASK, status: 'blocked', labels: ['needs-review'] },
      circumstances({ lastRun: runOf({ next: { to: 'open' } }) }),
      { kind: 'status', status: 'blocked', label: 'needs-review', reason: undefined },
    ],
    [
      'another status, whatever happened before',
      { ...TASK, status: 'hooked' },
      circumstances({ state: RETRY }),
      { kind: 'status', status: 'hooked', label: undefined, reason: undefined },
    ],
  ])('%s', (_, task, at, waiting) => {
    expect(waitingFor(task, at)).toEqual(waiting)
  })
})

test('each reason has a sentence', () => {
  const said = (waiting: Waiting) => whyNotRunning(waiting, NOW)
  expect(said({ kind: 'slots', running: 3, most: 3 })).toBe('all slots are taken: 3 of 3 agents are at work')
  expect(said({ kind: 'question', question: 'Which?' })).toBe('its agent asked a question that nobody has answered')
  expect(said({ kind: 'status', status: 'blocked', label: undefined, reason: 'exit 1' })).toBe(
    'its status is blocked: exit 1',
  )
  expect(said({ kind: 'lane', lane: 'claude', state: 'down', until: null, reason: 'login' })).toBe(
    'its lane claude is down: login',
  )
  expect(said({ kind: 'machine', on: 'forge\u001b[31m', seen: null })).toBe(
    'it waits for machine forge, which was never online (fleet hosts)',
  )
  expect(said({ kind: 'machine', on: 'gpu', seen: NOW })).toMatch(
    /^it waits for machine gpu, which was last seen at \d\d:\d\d:\d\d \(fleet hosts\)$/,
  )
  expect(said({ kind: 'later', reason: '\u001b[31mretry', until: NOW })).toMatch(/^until \d\d:\d\d:\d\d: retry$/)
})
