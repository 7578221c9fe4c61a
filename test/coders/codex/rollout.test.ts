import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codex } from '../../../src/coders/codex/coder.ts'
import { troubleFrom } from '../../../src/coders/codex/trouble.ts'
import { figuresOf } from '../../../src/domain/run/digest.ts'
import type { CoderEvent } from '../../../src/domain/run/event.ts'
import type { Recording } from '../../support/codex-recordings.ts'
import { eventsOfRollout, ROLLOUTS, type Rollout, rolloutLines } from '../../support/codex-rollouts.ts'
import { digestOf, FOLDER, linesOf, rolloutEvents, stderrOf, stdoutEvents } from '../../support/codex-streams.ts'
import { brokenLines, twistedLines } from '../../support/odd-lines.ts'

test('every rollout has its expectation', () => {
  const recorded = readdirSync(`${FOLDER}/rollouts`).map((file) => file.slice(0, -'.jsonl'.length))
  const expected = new Set(Object.values(ROLLOUTS).map(({ file }) => file))
  expect(recorded.sort()).toEqual([...expected].sort())
})

function shownBy(name: string, { recording }: Rollout, events: readonly CoderEvent[]) {
  const { exit, resumed } = recording
  const digest = digestOf(events)
  const { events: _events, lastEventAt: _at, ...figures } = figuresOf(digest, resumed ? {} : { earlierUsage: {} })
  const verdict = codex.verdict({ kind: 'code', code: exit }, digest, stderrOf(name))
  const shown: Recording = { exit, resumed, verdict, figures, denied: digest.denied, results: digest.results }
  return { recording: shown, limit: digest.limit }
}

test.each(Object.entries(ROLLOUTS))(
  '%s shows the same, whichever of stdout and rollout is read first',
  (name, rollout) => {
    const stdout = stdoutEvents(linesOf(name))
    const beside = eventsOfRollout(rollout)
    const expected = { recording: rollout.recording, limit: rollout.limit }
    expect(shownBy(name, rollout, [...stdout, ...beside])).toEqual(expected)
    expect(shownBy(name, rollout, [...beside, ...stdout])).toEqual(expected)
  },
)

test('however stdout and rollout interleave, nothing is counted twice and nothing is judged otherwise', () => {
  const both = Object.entries(ROLLOUTS).map(([name, rollout]) => ({
    name,
    rollout,
    stdout: stdoutEvents(linesOf(name)),
    beside: eventsOfRollout(rollout),
  }))
  fc.assert(
    fc.property(fc.constantFrom(...both), fc.infiniteStream(fc.boolean()), ({ name, rollout, ...told }, turns) => {
      const stdout = [...told.stdout]
      const beside = [...told.beside]
      const merged: CoderEvent[] = []
      while (stdout.length > 0 && beside.length > 0) {
        merged.push(...(turns.next().value ? stdout : beside).splice(0, 1))
      }
      const shown = shownBy(name, rollout, [...merged, ...stdout, ...beside])
      expect(shown).toEqual({ recording: rollout.recording, limit: rollout.limit })
    }),
    { numRuns: 500 },
  )
})

test('each line of a rollout becomes its events', () => {
  const session = '01a1e26e-8ecc-7211-870a-bb733c3e2944'
  expect({
    first: eventsOfRollout(ROLLOUTS['thread-first'] as Rollout),
    resumed: eventsOfRollout(ROLLOUTS['thread-resumed'] as Rollout),
    older: eventsOfRollout(ROLLOUTS['older-resumed'] as Rollout),
    refused: eventsOfRollout(ROLLOUTS['refused-by-hook'] as Rollout).filter(({ type }) => type === 'denied'),
    silent: eventsOfRollout(ROLLOUTS['silent-calls'] as Rollout).filter(({ type }) => type.startsWith('tool')),
    limit: eventsOfRollout(ROLLOUTS['limit-weekly'] as Rollout).slice(-1),
    compacted: eventsOfRollout(ROLLOUTS['compacted'] as Rollout).filter(({ type }) => type === 'compacted'),
  }).toEqual({
    first: [
      { type: 'session', id: session, version: '0.166.0' },
      { type: 'total', covers: 'earlier', usage: {} },
      { type: 'window', tokens: 258_400 },
      { type: 'session', id: session, model: 'gpt-5.5' },
      {
        type: 'usage',
        message: 'resp_0000000118734',
        usage: { input: 12, output: 40, cacheRead: 0, cacheWrite: 0, reasoning: 7 },
      },
      { type: 'limit', status: 'warning', name: '5h', resetsAt: 1_794_803_859_000, usedPct: 92 },
      {
        type: 'usage',
        message: 'resp_0000000418734',
        usage: { input: 13, output: 41, cacheRead: 14100, cacheWrite: 0, reasoning: 7 },
      },
    ],
    resumed: [
      {
        type: 'total',
        covers: 'earlier',
        usage: { input: 25, output: 81, cacheRead: 14100, cacheWrite: 0, reasoning: 14 },
      },
      { type: 'window', tokens: 258_400 },
      { type: 'session', id: session, model: 'gpt-5.5' },
      {
        type: 'usage',
        message: 'resp_0000000119246',
        usage: { input: 12, output: 40, cacheRead: 0, cacheWrite: 0, reasoning: 7 },
      },
      {
        type: 'usage',
        message: 'resp_0000000419246',
        usage: { input: 13, output: 41, cacheRead: 14100, cacheWrite: 0, reasoning: 7 },
      },
      {
        type: 'usage',
        message: 'resp_0000000719246',
        usage: { input: 13, output: 42, cacheRead: 14200, cacheWrite: 0, reasoning: 7 },
      },
    ],
    // Without a record of each request, the thread's total names it.
    older: [
      { type: 'total', covers: 'earlier', usage: { input: 25, output: 81, cacheRead: 14100, reasoning: 14 } },
      { type: 'window', tokens: 258_400 },
      { type: 'session', id: '01a1e26f-73c4-7d32-9c41-f15555499592', model: 'gpt-5.4' },
      { type: 'usage', message: 'up to 14258 tokens', usage: { input: 12, output: 40, cacheRead: 0, reasoning: 7 } },
      {
        type: 'usage',
        message: 'up to 28412 tokens',
        usage: { input: 13, output: 41, cacheRead: 14100, reasoning: 7 },
      },
      {
        type: 'usage',
        message: 'up to 42667 tokens',
        usage: { input: 13, output: 42, cacheRead: 14200, reasoning: 7 },
      },
    ],
    refused: [
      {
        type: 'denied',
        tool: 'exec_command',
        id: 'call_0000000319548',
        text: 'Command blocked by PreToolUse hook: policy: no shell. Command: echo hello > out.txt && cat out.txt',
      },
    ],
    silent: [
      { type: 'tool-started', id: 'call_0000000619916', name: 'write_stdin', kind: 'shell' },
      { type: 'tool-ended', id: 'call_0000000619916', failed: false },
      { type: 'tool-started', id: 'call_0000000919916', name: 'view_image', kind: 'read' },
      { type: 'tool-ended', id: 'call_0000000919916', failed: false },
      { type: 'tool-started', id: 'call_0000001219916', name: 'request_user_input', kind: 'other' },
      { type: 'tool-ended', id: 'call_0000001219916', failed: false },
    ],
    limit: [
      {
        type: 'trouble',
        trouble: {
          code: 'usage-limit',
          text: 'You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at Nov 19th, 2026 3:38 AM.',
        },
      },
    ],
    compacted: [{ type: 'compacted' }],
  })
})

test.each([
  ['usage_limit_exceeded', 'usage-limit'],
  ['rate_limit_exceeded', 'overload'],
  ['server_overloaded', 'overload'],
  ['internal_server_error', 'overload'],
  ['model_not_found', 'bad-model'],
  ['unauthorized', 'login'],
  ['context_window_exceeded', 'context-full'],
  ['session_budget_exceeded', 'budget'],
  ['other', 'error'],
  ['brand_new', 'error'],
  [{ http_connection_failed: { http_status_code: null } }, 'network'],
  [{ http_connection_failed: { http_status_code: 401 } }, 'login'],
  [{ http_connection_failed: { http_status_code: 413 } }, 'error'],
  [{ response_stream_disconnected: { http_status_code: null } }, 'network'],
  [{ response_too_many_failed_attempts: { http_status_code: 429 } }, 'overload'],
  [null, 'error'],
  [7, 'error'],
])('a failure that codex calls %j is %s', (told, code) => {
  expect(troubleFrom('No words that anybody knows.', told)).toEqual({ code, text: 'No words that anybody knows.' })
})

const counted = (limits: unknown): readonly CoderEvent[] =>
  rolloutEvents(
    [
      JSON.stringify({
        timestamp: '2026-11-16T03:00:01Z',
        type: 'event_msg',
        payload: { type: 'token_count', info: null, rate_limits: limits },
      }),
    ],
    { session: 's', startedAt: Date.parse('2026-11-16T03:00:00Z') },
  )
const full = (resets_at: number) => ({ used_percent: 100, window_minutes: 300, resets_at })

test('of two windows that are used up the later decides; with credits none refuses', () => {
  expect(counted({ primary: full(5000), secondary: { ...full(9000), window_minutes: 10_080 } })).toEqual([
    { type: 'limit', status: 'rejected', name: '7d', resetsAt: 9_000_000, usedPct: 100 },
  ])
  expect(counted({ primary: full(5000), secondary: null, credits: { has_credits: true } })).toMatchObject([
    { status: 'warning', name: '5h' },
  ])
  expect(counted({ primary: full(5000), limit_name: 'astra' })).toMatchObject([{ name: 'astra 5h' }])
  expect(counted({ primary: null, secondary: null })).toEqual([])
})

const ALL_LINES = Object.values(ROLLOUTS).flatMap(rolloutLines)

test('a line that is left unparsed would have told nothing', () => {
  const reordered = (line: string): string => {
    const { payload, ...rest } = JSON.parse(line)
    return JSON.stringify({ payload, ...rest })
  }
  for (const rollout of Object.values(ROLLOUTS)) {
    const run = { session: rollout.recording.figures.session as string, startedAt: Date.parse(rollout.startedAt) }
    expect(rolloutEvents(rolloutLines(rollout).map(reordered), run)).toEqual(eventsOfRollout(rollout))
  }
})

test('no line makes the reader throw, nor fields of an unexpected type', () => {
  const any = fc.oneof(brokenLines(ALL_LINES), twistedLines(ALL_LINES, ['type', 'payload']))
  fc.assert(
    fc.property(fc.array(any, { maxLength: 10 }), (lines) => {
      const digest = digestOf(rolloutEvents(lines, { session: 's', startedAt: 0 }))
      codex.verdict({ kind: 'code', code: 1 }, digest, '')
      for (const amount of Object.values(figuresOf(digest).usage)) expect(amount).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 1000 },
  )
})

test('a file of another thread says nothing about the session', () => {
  const [first] = rolloutLines(ROLLOUTS['allowed'] as Rollout)
  expect(rolloutEvents([first as string], { session: 'another', startedAt: 0 })).toEqual([])
})
