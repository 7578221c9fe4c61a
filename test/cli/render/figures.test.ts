import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { count } from '../../../src/cli/render/figures.ts'
import { foregroundLine } from '../../../src/cli/render/log-event.ts'
import { questionLines } from '../../../src/cli/render/questions.ts'
import { upcoming } from '../../../src/domain/text/moment.ts'

// People read local time.
beforeEach(() => void vi.stubEnv('TZ', 'UTC'))
afterEach(() => void vi.unstubAllEnvs())

const NOW = Date.parse('2026-11-15T14:02:11Z')

describe('figures', () => {
  test.each([
    [0, '0'],
    [999, '999'],
    [1000, '1k'],
    [12_345, '12.3k'],
    [456_000, '456k'],
    [999_499, '999k'],
    [999_500, '1M'],
    [7_800_000, '7.8M'],
  ])('%d is shown as %s', (value, text) => {
    expect(count(value)).toBe(text)
  })
})

const OF_RUN = { task: 'fleet-a', run: 'r' }
const LEFT = { pid: 1, startTime: '1', command: 'sleep' }

test("a supervisor's messages use the singular for one agent", () => {
  expect([
    foregroundLine('supervisor-started', { adopted: 1 }),
    foregroundLine('supervisor-started', { adopted: 2 }),
    foregroundLine('agents-left-running', { runs: 1 }),
    foregroundLine('leftovers-killed', { ...OF_RUN, found: [LEFT] }),
    foregroundLine('leftovers-killed', { ...OF_RUN, found: [LEFT, LEFT] }),
  ]).toEqual([
    'supervisor started, 1 agent adopted',
    'supervisor started, 2 agents adopted',
    'leaving 1 agent to the next supervisor',
    '  fleet-a: ended 1 process it left behind',
    '  fleet-a: ended 2 processes it left behind',
  ])
})

test("the end of a lane's pause is shown in local time", () => {
  vi.stubEnv('TZ', 'Asia/Tokyo')
  const until = Date.now() + 10 * 86_400_000
  expect(
    foregroundLine('lane-paused', { lane: 'claude', code: 'usage-limit', why: 'usage limit', until, cap: 2 }),
  ).toBe(`! claude is paused until ${upcoming(until, Date.now())}: usage limit`)
})

test('the time of a question is shown in local time', () => {
  vi.stubEnv('TZ', 'Asia/Tokyo')
  const question = {
    id: 1,
    task: 'fleet-q',
    run: 'r',
    askedAt: Date.parse('2026-11-15T14:00:00Z'),
    text: 'Which?',
    options: [],
    suggestion: null,
    answeredAt: null,
    answeredBy: null,
    answer: null,
  }
  expect(questionLines({ question, title: 'Choose' }, NOW)[0]).toBe('fleet-q  Choose  (asked 23:00:00)')
})
