import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { claude } from '../../src/coders/claude.ts'
import type { Fields } from '../../src/coders/fields.ts'
import { emptyDigest, figuresOf } from '../../src/domain/digest.ts'
import { RECORDINGS } from '../support/claude-recordings.ts'
import { digestOf, FOLDER, linesOf, stderrOf } from '../support/claude-streams.ts'

test('every recording has its expectation, and every expectation its recording', () => {
  const recorded = readdirSync(FOLDER).filter((file) => file.endsWith('.jsonl'))
  expect(recorded.map((file) => file.slice(0, -'.jsonl'.length)).sort()).toEqual(Object.keys(RECORDINGS).sort())
})

test.each(Object.entries(RECORDINGS))('%s is judged and counted as it was', (name, recording) => {
  const digest = digestOf(linesOf(name))
  const { events: _events, lastEventAt: _at, costUsd, ...figures } = figuresOf(digest)
  const shown = {
    exit: recording.exit,
    verdict: claude.verdict({ kind: 'code', code: recording.exit }, digest, stderrOf(name)),
    figures: { ...figures, costUsd: costUsd === null ? null : Number(costUsd.toFixed(9)) },
    denied: digest.denied,
    results: digest.results,
  }
  expect(shown).toEqual(recording)
})

const RESULT = { type: 'result', subtype: 'success', is_error: true, session_id: 's' }

/** Known, but not recorded. */
const ENDINGS: readonly { what: string; told: Fields & { result: string }; code: string; resetsAt?: string }[] = [
  {
    what: 'a limit of which only the words are told',
    told: { api_error_status: 429, result: "You've hit your weekly limit · resets Nov 20, 7am (Europe/Berlin)" },
    code: 'usage-limit',
    resetsAt: '2026-11-20T06:00:00Z',
  },
  {
    what: 'a limit per minute',
    told: { api_error_status: 429, result: 'Server is temporarily limiting requests (not your usage limit)' },
    code: 'overload',
  },
  {
    what: 'a model that is not there',
    told: { api_error_status: 404, result: 'There is an issue with the selected model' },
    code: 'bad-model',
  },
  { what: 'no credit', told: { api_error_status: 400, result: 'Credit balance is too low' }, code: 'billing' },
  {
    what: 'a reset connection',
    told: { api_error_status: null, result: 'API Error: Connection error. (ECONNRESET)' },
    code: 'network',
  },
  {
    what: 'a prompt that does not fit',
    told: { terminal_reason: 'prompt_too_long', result: 'Prompt is too long' },
    code: 'context-full',
  },
  {
    what: 'output without end',
    told: { terminal_reason: 'api_error', result: 'API Error: exceeded the 32000 output token maximum' },
    code: 'error',
  },
]

test.each(ENDINGS)('$what is judged by what the result says', ({ told, code, resetsAt }) => {
  const digest = digestOf([JSON.stringify({ ...RESULT, ...told })])
  expect(claude.verdict({ kind: 'code', code: 1 }, digest, '')).toEqual({
    kind: 'failed',
    outcome: { code, text: told.result, ...(resetsAt === undefined ? {} : { resetsAt: Date.parse(resetsAt) }) },
  })
})

test('a limit without a time, told by the event and not by the words, is an overload', () => {
  const rejected = JSON.stringify({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected' } })
  const ended = JSON.stringify({ ...RESULT, api_error_status: 429, result: 'Server is temporarily limiting requests' })
  expect(claude.verdict({ kind: 'code', code: 1 }, digestOf([rejected, ended]), '')).toMatchObject({
    outcome: { code: 'overload' },
  })
})

test('success stays success whatever exit code follows, and is none while background work is still going', () => {
  const success = JSON.stringify({ ...RESULT, is_error: false, result: 'done' })
  const pending = JSON.stringify({ type: 'system', subtype: 'background_tasks_changed', tasks: [{}, {}] })
  expect(claude.verdict({ kind: 'code', code: 143 }, digestOf([success]), '')).toEqual({ kind: 'finished' })
  expect(claude.verdict({ kind: 'unknown' }, digestOf([success]), '')).toEqual({ kind: 'finished' })
  expect(claude.verdict({ kind: 'code', code: 0 }, digestOf([pending, success]), '')).toEqual({
    kind: 'failed',
    outcome: {
      code: 'lost',
      text: 'it told a result and ended with 2 pieces of background work still going (exit 0)',
    },
  })
})

/** Its sub-agent works in the background, and wakes it for a second turn. */
test('a turn that has begun after a result is lost without one of its own, whatever exit follows', () => {
  const lines = linesOf('agent')
  const isResult = (line: string) => JSON.parse(line).type === 'result'
  const first = lines.findIndex(isResult)
  expect(lines.filter(isResult)).toHaveLength(2)
  for (let told = first + 2; told < lines.length; told++) {
    const digest = digestOf(lines.slice(0, told))
    for (const code of [0, 137]) {
      expect(claude.verdict({ kind: 'code', code }, digest, '')).toMatchObject({
        outcome: { code: 'lost', text: expect.stringMatching(/^no result of its last turn, exit /) },
      })
    }
  }
})

test('a failure that it went on after is not why it ended', () => {
  const [begins = ''] = linesOf('ok')
  const failure = JSON.stringify({ ...RESULT, api_error_status: 401, result: 'Invalid API key' })
  expect(claude.verdict({ kind: 'code', code: 137 }, digestOf([begins, failure, begins]), '')).toEqual({
    kind: 'failed',
    outcome: { code: 'lost', text: 'no result of its last turn, exit 137 (SIGKILL)' },
  })
})

test.each([
  { type: 'system', subtype: 'hook_started', hook_name: 'Stop' },
  { type: 'system', subtype: 'hook_response', hook_name: 'SessionEnd', outcome: 'success' },
  { type: 'system', subtype: 'task_notification', task_id: 'b', status: 'completed', summary: 'sleep 5' },
  { type: 'system', subtype: 'background_tasks_changed', tasks: [] },
  { type: 'system', subtype: 'status', status: null },
  { type: 'system', subtype: 'something_new' },
  { type: 'rate_limit_event', rate_limit_info: { status: 'allowed' } },
  { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'Set model to haiku' }] } },
  {
    type: 'assistant',
    parent_tool_use_id: 'toolu_1',
    message: { id: 'm', model: 'haiku', content: [{ type: 'text', text: 'sub says hi' }], usage: { input_tokens: 1 } },
  },
  { type: 'brand_new' },
])('after its last result %j begins no turn', (told) => {
  const digest = digestOf([...linesOf('ok'), JSON.stringify(told)])
  for (const code of [0, 143]) expect(claude.verdict({ kind: 'code', code }, digest, '')).toEqual({ kind: 'finished' })
})

test('without a result it is lost, with what its last words were', () => {
  expect(claude.verdict({ kind: 'unknown' }, emptyDigest(), 'Segmentation\n fault\n')).toEqual({
    kind: 'failed',
    outcome: { code: 'lost', text: 'no result, exit unknown; Segmentation fault' },
  })
})

test('what a tool wrote to stderr in the midst of a session is not taken for a wrong call', () => {
  const digest = digestOf(linesOf('sig-tool-SIGTERM'))
  const verdict = claude.verdict({ kind: 'code', code: 143 }, digest, "error: unknown option '--x'")
  expect(verdict).toMatchObject({ outcome: { code: 'lost' } })
})
