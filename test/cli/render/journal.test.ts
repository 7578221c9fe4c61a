import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { journalLine } from '../../../src/cli/render/journal.ts'
import { painted } from '../../../src/cli/render/painted.ts'

// People read local time.
beforeEach(() => void vi.stubEnv('TZ', 'UTC'))
afterEach(() => void vi.unstubAllEnvs())

const NOW = Date.parse('2026-11-15T14:02:11Z')

describe('a line of a log file', () => {
  const line = (text: string) => painted([journalLine(text, NOW)], { colour: false }).painted.trimEnd()

  test('of events is shown for people', () => {
    const event = {
      v: 1,
      ts: '2026-11-15T14:01:00Z',
      attempt: 2,
      run: 'r',
      kind: 'tool-started',
      tool: 'Bash',
      text: 'npm\ntest',
    }
    expect(line(JSON.stringify(event))).toBe('14:01:00 #2 tool-started npm test tool=Bash')
  })

  test("of a task's log is shown for people", () => {
    expect(line(JSON.stringify({ level: 50, time: NOW, pid: 1, msg: 'run ended', outcome: 'lost', ms: 5 }))).toBe(
      '14:02:11 error run ended outcome=lost ms=5',
    )
  })

  test("of the supervisor's log is shown for people", () => {
    expect(
      line(JSON.stringify({ v: 1, ts: '2026-11-15T14:01:00Z', event: 'run-ended', task: 'fleet-a', run: 'r' })),
    ).toBe('14:01:00 run ended task=fleet-a')
  })

  test('with an event of another version is shown by its event name', () => {
    const at = { v: 1, ts: '2026-11-15T14:01:00Z' }
    expect(line(JSON.stringify({ ...at, event: 'lane at full width again', lane: 'claude' }))).toBe(
      '14:01:00 lane at full width again lane=claude',
    )
    expect(line(JSON.stringify({ ...at, event: 'toString' }))).toBe('14:01:00 toString')
  })

  test('that is not JSON is shown as it is, without terminal escapes', () => {
    expect(line('half \u001b[31ma line')).toBe('half a line')
    expect(line('[1]')).toBe('[1]')
  })

  test('never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc
            .dictionary(fc.constantFrom('ts', 'time', 'level', 'kind', 'text', 'x'), fc.jsonValue())
            .map((entry) => JSON.stringify(entry)),
        ),
        (text) => {
          expect(line(text)).toBeTypeOf('string')
        },
      ),
    )
  })
})
