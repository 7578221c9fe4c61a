import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { count, elapsed, moment, upcoming } from '../../../src/cli/render/figures.ts'
import { foregroundLine } from '../../../src/cli/render/log-event.ts'
import { questionLines } from '../../../src/cli/render/questions.ts'

// What people read is in their own time.
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
  ])('%d is %s', (value, text) => {
    expect(count(value)).toBe(text)
  })

  test.each([
    [-5, '0s'],
    [59_999, '59s'],
    [245_000, '4m05s'],
    [7_620_000, '2h07m'],
    [273_600_000, '3d04h'],
  ])('%d ms are %s', (millis, text) => {
    expect(elapsed(millis)).toBe(text)
  })

  test('a moment is as short as the day allows', () => {
    expect(moment(NOW, NOW)).toBe('14:02:11')
    expect(moment(Date.parse('2026-11-12T09:05:00Z'), NOW)).toBe('11-12 09:05')
    expect(moment(Date.parse('2025-11-12T09:05:00Z'), NOW)).toBe('2025-11-12')
  })

  test('a moment to come has seconds only where somebody may wait for it', () => {
    expect(upcoming(NOW + 5000, NOW)).toBe('14:02:16')
    expect(upcoming(NOW + 119_000, NOW)).toBe('14:04:10')
    expect(upcoming(NOW + 120_000, NOW)).toBe('14:04')
    const midnight = Date.parse('2026-11-15T23:59:50Z')
    expect(upcoming(midnight + 20_000, midnight)).toBe('00:00:10')
    expect(upcoming(midnight + 200_000, midnight)).toBe('11-16 00:03')
  })
})

const OF_RUN = { task: 'fleet-a', run: 'r' }
const LEFT = { pid: 1, startTime: '1', command: 'sleep' }

test('what a supervisor says of one agent is said of one', () => {
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

test("a lane is paused until a moment of the reader's own time", () => {
  vi.stubEnv('TZ', 'Asia/Tokyo')
  const until = Date.now() + 10 * 86_400_000
  expect(foregroundLine('lane-paused', { lane: 'claude', code: 'usage-limit', why: 'usage limit', until })).toBe(
    `! claude is paused until ${upcoming(until, Date.now())}: usage limit`,
  )
})

test("a question was asked in the reader's own time", () => {
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
