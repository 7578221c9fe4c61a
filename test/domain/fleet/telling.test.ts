import { expect, test } from 'vitest'
import { reachAfter, telling, tooLate } from '../../../src/domain/fleet/telling.ts'
import { BLANK_TASK, type Task } from '../../../src/domain/task/task.ts'

const task = (given: Partial<Task>): Task => ({ ...BLANK_TASK, id: 'f-1', ...given })
const LANDS = { status: 'blocked', labels: ['needs-landing'] } as const

test('work that waits to land is read by no agent, so a message is refused with the way to an attempt that reads it', () => {
  expect(telling({ task: task(LANDS), isScript: false, running: undefined })).toEqual({
    step: 'refuse',
    why: 'has passed, and waits to land: no agent would read it',
    hint: 'fleet retry f-1 --note "<text>" starts an attempt that reads it, and its work lands after that',
  })
})

test.each([
  ['its task is closed', { task: task({ status: 'closed' }), last: undefined }, /^ended just before/],
  [
    'its run closes it, and the queue does not know yet',
    {
      task: task({ status: 'in_progress' }),
      last: { phase: 'ended', next: { to: 'closed', reason: 'x' }, outcome: null },
    },
    /^ended just before/,
  ],
  ['its work lands', { task: task(LANDS), last: undefined }, /^passed just before/],
  [
    'its work is to land, and the queue does not know yet',
    {
      task: task({ status: 'in_progress' }),
      last: { phase: 'ended', next: { to: 'blocked' }, outcome: { code: 'needs-landing', text: 'x' } },
    },
    /^passed just before/,
  ],
] as const)('a message is too late if %s', (_, facts, why) => {
  expect(tooLate('f-1', facts)?.why).toMatch(why)
})

test.each([
  ['runs', { task: task({ status: 'in_progress' }), last: { phase: 'running', next: null, outcome: null } }],
  ['is open again', { task: task({}), last: { phase: 'ended', next: { to: 'closed', reason: 'x' }, outcome: null } }],
  [
    'was closed once',
    { task: task({}), last: { phase: 'settled', next: { to: 'closed', reason: 'x' }, outcome: null } },
  ],
  [
    'waits for a person',
    { task: task({ status: 'blocked' }), last: { phase: 'ended', next: { to: 'blocked' }, outcome: null } },
  ],
] as const)('a message to a task that %s is not too late', (_, facts) => {
  expect(tooLate('f-1', facts)).toBeUndefined()
})

test('a run that was to be interrupted for a message goes on with it only if it ended for that', () => {
  expect(reachAfter({ code: 'told', text: 'x' })).toBe('interrupted')
  for (const code of ['killed', 'paused', 'question', 'no-claim'] as const) {
    expect(reachAfter({ code, text: 'x' })).toBe('next-prompt')
  }
  expect(reachAfter(null)).toBe('next-prompt')
})
