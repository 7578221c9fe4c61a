import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { claude } from '../../../src/coders/claude/coder.ts'
import type { Fields } from '../../../src/coders/shared/fields.ts'
import { emptyDigest, figuresOf } from '../../../src/domain/run/digest.ts'
import { idleSubagentsWarning, workDone } from '../../../src/domain/run/work-done.ts'
import { RECORDINGS } from '../../support/claude-recordings.ts'
import { digestOf, FOLDER, linesOf, SEEN, stderrOf } from '../../support/claude-streams.ts'

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

/** As versions tell them that have no `api_error_status`, and as the program has them for accounts nobody recorded. */
test.each<[code: string, says: string]>([
  ['overload', 'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'],
  ['overload', 'API Error: Repeated 529 Overloaded errors'],
  [
    'overload',
    'API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"30,000 tokens per minute"}}',
  ],
  ['overload', 'API Error: Request rejected (429) · this may be a temporary capacity issue.'],
  ['overload', 'API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}'],
  ['overload', 'API error (status 503)'],
  ['login', 'API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}'],
  ['login', 'API Error: 403 {"type":"error","error":{"type":"permission_error"}}'],
  ['login', 'This organization has been disabled.'],
  ['bad-model', 'API Error: 404 {"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}'],
  ['usage-limit', 'Claude Opus 4 limit reached'],
  ['usage-limit', "You've reached your Fable limit"],
  ['billing', "You're out of extra usage"],
  ['billing', "You're out of usage credits"],
  ['billing', 'Your org is out of usage · contact your admin'],
  ['billing', "Your group's usage limit is set to $0"],
  ['billing', "Your seat type doesn't include usage credits"],
  ['billing', 'Opus 5.5 requires usage credits.'],
  ['billing', "You've hit your team's shared budget. Switch to another model to continue."],
  ['network', 'API Error: Unable to connect to API (ConnectionRefused)'],
  ['network', 'API Error: fetch failed'],
  ['context-full', 'API Error: 400 input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000'],
  [
    'error',
    'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"roles must alternate"}}',
  ],
])('by its words alone it is %s: %s', (code, says) => {
  for (const status of [{}, { api_error_status: null }]) {
    const digest = digestOf([JSON.stringify({ ...RESULT, terminal_reason: 'api_error', ...status, result: says })])
    expect(claude.verdict({ kind: 'code', code: 1 }, digest, '')).toEqual({
      kind: 'failed',
      outcome: { code, text: says },
    })
  }
})

test('the reset of a limit is read where the words name no zone, and where they have it in seconds', () => {
  const outcome = (says: string) =>
    claude.verdict({ kind: 'code', code: 1 }, digestOf([JSON.stringify({ ...RESULT, result: says })]), '')
  const soon = new Date(SEEN)
  soon.setHours(soon.getHours() + 2, 0)
  const hour = `${soon.getHours() % 12 || 12}${soon.getHours() < 12 ? 'am' : 'pm'}`
  for (const says of [`5-hour limit reached ∙ resets ${hour}`, `You're out of extra usage · resets ${hour}`]) {
    expect(outcome(says)).toMatchObject({ outcome: { code: 'usage-limit', resetsAt: soon.getTime() } })
  }
  expect(outcome('Claude AI usage limit reached|1794799999')).toMatchObject({
    outcome: { code: 'usage-limit', resetsAt: 1794799999_000 },
  })
})

test.each([
  { error: { message: '[API Error: 401 invalid x-api-key]' } },
  { error: '[API Error: 401 invalid x-api-key]' },
])('a reason that stands in the error of the result is read: %j', (told) => {
  const digest = digestOf([JSON.stringify({ ...RESULT, subtype: 'error_during_execution', ...told })])
  expect(claude.verdict({ kind: 'code', code: 1 }, digest, '')).toEqual({
    kind: 'failed',
    outcome: { code: 'login', text: '[API Error: 401 invalid x-api-key]' },
  })
})

test('a limit without a time, told by the event and not by the words, is an overload', () => {
  const rejected = JSON.stringify({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected' } })
  const ended = JSON.stringify({ ...RESULT, api_error_status: 429, result: 'Server is temporarily limiting requests' })
  expect(claude.verdict({ kind: 'code', code: 1 }, digestOf([rejected, ended]), '')).toMatchObject({
    outcome: { code: 'overload' },
  })
})

describe('a window that is used up', () => {
  const resetsAt = 1_794_770_283
  const window = (more: Fields) =>
    JSON.stringify({
      type: 'rate_limit_event',
      rate_limit_info: { status: 'rejected', resetsAt, rateLimitType: 'five_hour', ...more },
    })
  const answer = JSON.stringify({
    type: 'assistant',
    message: { id: 'm1', model: 'm', content: [], usage: { input_tokens: 12, output_tokens: 1 } },
  })
  const turns = JSON.stringify({
    ...RESULT,
    subtype: 'error_max_turns',
    errors: ['Reached maximum number of turns (3)'],
  })
  const overloaded = JSON.stringify({ ...RESULT, api_error_status: 529, result: 'API Error: 529 Overloaded' })
  const verdict = (...lines: string[]) => claude.verdict({ kind: 'code', code: 1 }, digestOf(lines), '')
  const overage = { overageStatus: 'allowed', isUsingOverage: true }

  test('is why a request was refused that nothing else explains', () => {
    expect(verdict(window({}), overloaded)).toMatchObject({
      outcome: { code: 'usage-limit', resetsAt: resetsAt * 1000 },
    })
  })

  test('refuses nothing while more is paid for, or once a model has answered', () => {
    for (const before of [[window(overage)], [window(overage), answer], [window({}), answer]]) {
      expect(verdict(...before, overloaded)).toMatchObject({ outcome: { code: 'overload' } })
      expect(verdict(...before, turns)).toEqual({
        kind: 'failed',
        outcome: { code: 'error', text: 'Reached maximum number of turns (3)' },
      })
    }
  })

  test('does not explain what ended for a reason of its own', () => {
    expect(verdict(window({}), turns)).toMatchObject({ outcome: { code: 'error' } })
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
test('a turn after a result is lost without its own result, whatever the exit code', () => {
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

test('a recorded sub-agent that only wrote a text is known by its own count of tool calls', () => {
  const done = workDone(digestOf(linesOf('agent')).work, claude.subagents)
  expect(done.subagent_calls).toEqual([{ tool: 'Agent', what: 'sub', failed: false, tool_calls: 0 }])
  expect(idleSubagentsWarning(done)).toBe('1 of 1 sub-agent made no tool call: sub')
})

test('a failure that it continued after is not why it ended', () => {
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

test('without a result the run is lost, with its last words', () => {
  expect(claude.verdict({ kind: 'unknown' }, emptyDigest(), 'Segmentation\n fault\n')).toEqual({
    kind: 'failed',
    outcome: { code: 'lost', text: 'no result, exit unknown; Segmentation fault' },
  })
})

test('stderr of a tool during a session is not taken for a wrong call', () => {
  const digest = digestOf(linesOf('sig-tool-SIGTERM'))
  const verdict = claude.verdict({ kind: 'code', code: 143 }, digest, "error: unknown option '--x'")
  expect(verdict).toMatchObject({ outcome: { code: 'lost' } })
})
