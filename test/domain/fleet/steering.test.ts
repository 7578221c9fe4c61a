import { describe, expect, test } from 'vitest'
import {
  nothingToKill,
  pauseTask,
  resumeTask,
  retryTask,
  type SteeringFacts,
} from '../../../src/domain/fleet/steering.ts'
import { BLANK_TASK } from '../../../src/domain/task/task.ts'

function facts(status: string, more: Partial<SteeringFacts> = {}): SteeringFacts {
  return { task: { ...BLANK_TASK, id: 'fleet-a', status, assignee: 'bob' }, running: false, asked: false, ...more }
}

const CLOSED = { step: 'refuse', why: 'is closed', hint: 'fleet bd reopen fleet-a opens it again' }
const CLAIMED = {
  step: 'refuse',
  why: 'is claimed by bob',
  hint: 'fleet bd update fleet-a --status open --assignee ""',
}
const UNANSWERED = { step: 'refuse', why: 'waits for an answer', hint: 'fleet answer fleet-a "..."' }
const DEFERRED = { step: 'refuse', why: 'is deferred', hint: 'fleet bd update fleet-a --status open opens it' }

describe('a person pauses a task', () => {
  test.each([
    ['that runs: it is interrupted', facts('in_progress', { running: true }), { step: 'interrupt' }],
    ['that is open: it is blocked', facts('open'), { step: 'block' }],
    ['that is blocked: nothing to do', facts('blocked'), { step: 'nothing', why: 'is blocked already' }],
    ['that is closed', facts('closed'), CLOSED],
    ['that a person has', facts('in_progress'), CLAIMED],
    ['that is deferred', facts('deferred'), DEFERRED],
  ])('%s', (_, given, steering) => {
    expect(pauseTask(given)).toEqual(steering)
  })
})

describe('a person resumes a task', () => {
  test.each([
    ['that runs: nothing to do', facts('in_progress', { running: true }), { step: 'nothing', why: 'is running' }],
    ['that is open: nothing to do', facts('open'), { step: 'nothing', why: 'is open already' }],
    ['that is blocked', facts('blocked'), { step: 'open', from: 'blocked' }],
    ['whose agent asked: not without an answer', facts('blocked', { asked: true }), UNANSWERED],
    ['that is closed', facts('closed'), CLOSED],
    ['that a person has', facts('in_progress'), CLAIMED],
  ])('%s', (_, given, steering) => {
    expect(resumeTask(given)).toEqual(steering)
  })
})

describe('a person retries a task', () => {
  test.each([
    [
      'that runs',
      facts('in_progress', { running: true }),
      { step: 'refuse', why: 'is running', hint: 'fleet kill fleet-a ends it first' },
    ],
    ['that is blocked', facts('blocked'), { step: 'open', from: 'blocked' }],
    ['that waits for its next attempt', facts('open'), { step: 'open', from: 'open' }],
    ['whose agent asked: not without an answer', facts('blocked', { asked: true }), UNANSWERED],
    ['that is closed', facts('closed'), CLOSED],
    ['that a person has', facts('in_progress'), CLAIMED],
  ])('%s', (_, given, steering) => {
    expect(retryTask(given)).toEqual(steering)
  })
})

test.each([
  ['open', 'is not running', 'fleet pause fleet-a keeps it from being started'],
  ['closed', 'is closed', 'fleet show fleet-a says how it ended'],
  ['blocked', 'is blocked', 'fleet does not start it in this status; fleet show fleet-a says why'],
  ['deferred', 'is deferred', 'fleet does not start it in this status; fleet show fleet-a says why'],
  [
    'in_progress',
    'is claimed by bob, and no fleet agent is working on it',
    'fleet bd update fleet-a --status open --assignee "" takes it back',
  ],
])('killing a task without an agent that is %s explains why not, and what to do instead', (status, why, hint) => {
  expect(nothingToKill(facts(status).task)).toEqual({ why, hint })
})
