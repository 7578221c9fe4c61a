import { expect, test } from 'vitest'
import { opencode } from '../../../src/coders/opencode/coder.ts'
import { streamsOf } from '../../support/coder-streams.ts'
import { RECORDINGS } from '../../support/opencode-recordings.ts'
import { unprinted } from '../../support/prints.ts'

const { names, shown, linesOf, digestOf } = streamsOf(opencode)

test('every recording has its expectation, and every expectation its recording', () => {
  expect(names.sort()).toEqual(Object.keys(RECORDINGS).sort())
})

test.each(Object.entries(RECORDINGS))('%s is judged and counted as it was', (name, recording) => {
  expect(shown(name, recording.exit)).toEqual(recording)
})

test('what one line says, event by event', () => {
  const events = (name: string, line: number) => unprinted(opencode.parse(linesOf(name)[line] as string))
  expect({
    began: events('ok', 0),
    call: events('ok', 1),
    server: events('mcp', 1),
    failure: events('tool-exit', 1),
    refused: events('rejected', 1),
    forbidden: events('denied', 1),
    step: events('ok', 2),
    words: events('ok', 4),
    end: events('ok', 5),
    shortened: events('compacted', 4),
    complaint: events('err-402', 0),
  }).toEqual({
    began: [{ type: 'session', id: 'ses_e1f815de4ffeBULSJxEhueyOMH', step: true }],
    call: [
      {
        type: 'tool-started',
        id: 'call_9aetdzu6pb3bic530cn1',
        name: 'bash',
        kind: 'shell',
        detail: 'echo hello-from-mock > mock-out.txt && cat mock-out.txt',
        cwd: '/home/dev/project',
      },
      { type: 'tool-ended', id: 'call_9aetdzu6pb3bic530cn1', failed: false },
    ],
    server: [
      { type: 'tool-started', id: 'call_rw4hkzb18qwtf03t6lh3', name: 'mockmcp_mock_echo', kind: 'mcp' },
      { type: 'tool-ended', id: 'call_rw4hkzb18qwtf03t6lh3', failed: false },
    ],
    failure: [
      { type: 'tool-started', id: 'call_1_0', name: 'bash', kind: 'shell', detail: 'exit 3' },
      { type: 'tool-ended', id: 'call_1_0', failed: true, text: '(no output)' },
    ],
    refused: [
      {
        type: 'tool-started',
        id: 'call_1_0',
        name: 'write',
        kind: 'edit',
        detail: '/home/dev/tmp/elsewhere.md',
        paths: ['/home/dev/tmp/elsewhere.md'],
      },
      {
        type: 'tool-ended',
        id: 'call_1_0',
        failed: true,
        text: 'The user rejected permission to use this specific tool call.',
      },
      { type: 'denied', tool: 'write', id: 'call_1_0', text: 'nobody could give permission' },
      {
        type: 'result',
        ok: false,
        text: 'stopped where nobody could give permission: write: /home/dev/tmp/elsewhere.md',
        trouble: {
          code: 'denied',
          text: 'stopped where nobody could give permission: write: /home/dev/tmp/elsewhere.md',
        },
      },
    ],
    forbidden: [
      {
        type: 'tool-started',
        id: 'call_1_0',
        name: 'write',
        kind: 'edit',
        detail: '/home/dev/tmp/elsewhere.md',
        paths: ['/home/dev/tmp/elsewhere.md'],
      },
      {
        type: 'tool-ended',
        id: 'call_1_0',
        failed: true,
        text: expect.stringMatching(/^The user has specified a rule which prevents you/),
      },
      { type: 'denied', tool: 'write', id: 'call_1_0', text: 'a rule forbids it' },
    ],
    step: [
      { type: 'usage', message: 'prt_1e07eb1ec001BqvDCcPVTgP6R1', usage: USED },
      { type: 'total', covers: 'since-last', usage: USED, costUsd: 0.000212 },
    ],
    words: [{ type: 'text', text: 'Done: wrote mock-out.txt. STATUS: complete' }],
    end: [
      expect.objectContaining({ type: 'usage' }),
      expect.objectContaining({ type: 'total' }),
      { type: 'result', ok: true },
    ],
    shortened: [{ type: 'compacted' }],
    complaint: [
      { type: 'session', id: 'ses_e1dab5486ffeIRCQZaD3YEE0aa' },
      { type: 'trouble', trouble: { code: 'billing', text: 'Insufficient credits' } },
    ],
  })
})

const USED = { input: 12, output: 40, cacheRead: 0, cacheWrite: 0, reasoning: 7 }

test('a session whose id could be taken for a flag is not believed', () => {
  const line = JSON.stringify({ type: 'step_start', sessionID: '--auto', part: {} })
  expect(opencode.parse(line)).toEqual([{ type: 'unknown', raw: line }])
})

const AT = Date.parse('2026-11-15T18:20:00Z')
const complaint = (name: string, about: object) =>
  JSON.stringify({ type: 'error', timestamp: AT, sessionID: 'ses_1', error: { name, data: about } })

/** Known, but not recorded. */
test.each([
  {
    what: 'a limit of its own service, until its header says',
    line: complaint('APIError', {
      message: 'Weekly usage limit reached',
      statusCode: 429,
      responseHeaders: { 'retry-after': '7200' },
      responseBody: '{"type":"error","error":{"type":"GoUsageLimitError","message":"Weekly usage limit reached"}}',
    }),
    outcome: { code: 'usage-limit', text: 'Weekly usage limit reached', resetsAt: AT + 7_200_000 },
  },
  {
    what: 'a limit until a date',
    line: complaint('APIError', {
      message: 'The usage limit has been reached',
      statusCode: 429,
      responseHeaders: { 'retry-after': 'Sun, 15 Nov 2026 19:00:00 GMT' },
    }),
    outcome: {
      code: 'usage-limit',
      text: 'The usage limit has been reached',
      resetsAt: Date.parse('2026-11-15T19:00:00Z'),
    },
  },
  {
    what: 'a limit whose words say when',
    line: complaint('APIError', {
      message: '5-hour usage limit reached. It will reset in 5 days 10 hours.',
      statusCode: 429,
    }),
    outcome: {
      code: 'usage-limit',
      text: '5-hour usage limit reached. It will reset in 5 days 10 hours.',
      resetsAt: AT + 130 * 3_600_000,
    },
  },
  {
    what: 'a limit whose answer says how long it lasts',
    line: complaint('APIError', {
      message: 'The usage limit has been reached',
      statusCode: 429,
      responseBody: '{"error":{"type":"usage_limit_reached","plan_type":"plus","resets_in_seconds":5400}}',
    }),
    outcome: { code: 'usage-limit', text: 'The usage limit has been reached', resetsAt: AT + 5_400_000 },
  },
  {
    what: 'a limit whose answer says when it lifts',
    line: complaint('APIError', {
      message: 'Too Many Requests',
      statusCode: 429,
      responseBody: `{"error":{"type":"usage_limit_reached","resets_at":${AT / 1000 + 60}}}`,
    }),
    outcome: { code: 'usage-limit', text: 'Too Many Requests', resetsAt: AT + 60_000 },
  },
  {
    what: 'a limit of a subscription, which only the headers call one',
    line: complaint('APIError', {
      message: "This request would exceed your account's rate limit. Please try again later.",
      statusCode: 429,
      responseHeaders: {
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-reset': String(AT / 1000 + 7200),
        'retry-after': '30',
      },
    }),
    outcome: {
      code: 'usage-limit',
      text: "This request would exceed your account's rate limit. Please try again later.",
      resetsAt: AT + 7_200_000,
    },
  },
  {
    what: 'too many requests for now',
    line: complaint('APIError', {
      message: 'This request would exceed the rate limit',
      statusCode: 429,
      responseHeaders: {
        'anthropic-ratelimit-unified-status': 'allowed',
        'anthropic-ratelimit-unified-reset': String(AT / 1000 + 7200),
      },
    }),
    outcome: { code: 'overload', text: 'This request would exceed the rate limit' },
  },
  {
    what: 'a limit with headers that are none',
    line: complaint('APIError', {
      message: 'The usage limit has been reached',
      statusCode: 429,
      responseHeaders: {
        'anthropic-ratelimit-unified-status': { toString: 1 },
        'anthropic-ratelimit-unified-reset': { valueOf: 1, toString: 1 },
      },
    }),
    outcome: { code: 'usage-limit', text: 'The usage limit has been reached' },
  },
  {
    what: 'a limit whose reset is none',
    line: complaint('APIError', {
      message: 'The usage limit has been reached',
      statusCode: 429,
      responseBody: '{"error":{"type":"usage_limit_reached","resets_at":1e300,"resets_in_seconds":-5}}',
    }),
    outcome: { code: 'usage-limit', text: 'The usage limit has been reached' },
  },
  {
    what: 'no way to the provider',
    line: complaint('UnknownError', { message: 'Unable to connect. Is the computer able to access the url?' }),
    outcome: { code: 'network', text: 'Unable to connect. Is the computer able to access the url?' },
  },
  {
    what: 'an account without credit, which OpenAI calls a quota',
    line: complaint('APIError', {
      message: 'You exceeded your current quota, please check your plan and billing details.',
      statusCode: 429,
      responseBody: '{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}',
    }),
    outcome: {
      code: 'billing',
      text: 'You exceeded your current quota, please check your plan and billing details.',
    },
  },
  {
    what: 'a provider without a login',
    line: complaint('ProviderAuthError', { providerID: 'anthropic', message: 'no credentials' }),
    outcome: { code: 'login', text: 'no credentials' },
  },
  {
    what: 'a server in trouble',
    line: complaint('APIError', { message: 'Bad Gateway', statusCode: 502 }),
    outcome: { code: 'overload', text: 'Bad Gateway' },
  },
  {
    what: 'nobody there',
    line: complaint('UnknownError', { message: 'Unable to connect: ECONNREFUSED' }),
    outcome: { code: 'network', text: 'Unable to connect: ECONNREFUSED' },
  },
  {
    what: 'an error without words',
    line: complaint('MessageAbortedError', {}),
    outcome: { code: 'error', text: 'MessageAbortedError' },
  },
])('$what is told by its error event', ({ line, outcome }) => {
  expect(opencode.verdict({ kind: 'code', code: 1 }, digestOf([line]), '')).toEqual({ kind: 'failed', outcome })
})

test('a step that finished stays the end whatever exit follows, unless another one began', () => {
  const lines = linesOf('ok')
  for (const exit of [{ kind: 'unknown' }, { kind: 'code', code: 143 }] as const) {
    expect(opencode.verdict(exit, digestOf(lines), '')).toEqual({ kind: 'finished' })
    expect(opencode.verdict(exit, digestOf([...lines, lines[0] as string]), '')).toMatchObject({
      outcome: { code: 'lost' },
    })
  }
})

test('what it waited for when it was ended is what was wrong, if it was logged after its last event', () => {
  const logged = (at: string, words: string) =>
    `timestamp=${at} level=ERROR run=1 message="stream error" session.id=ses_1 error.error="AI_APICallError: ${words}"\n`
  const digest = digestOf([complaint('x', {}).replace('"error"', '"step_start"').replace('"error":', '"part":')])
  const killed = { kind: 'code', code: 137 } as const
  const after = logged('2026-11-15T18:20:00.001Z', 'Monthly usage limit reached. It will reset in 2 hours.')
  expect(opencode.verdict(killed, digest, after)).toEqual({
    kind: 'failed',
    outcome: {
      code: 'usage-limit',
      text: 'Monthly usage limit reached. It will reset in 2 hours.',
      resetsAt: AT + 1 + 7_200_000,
    },
  })
  expect(opencode.verdict(killed, digest, logged('2026-11-15T18:20:00.001Z', 'what \\"is\\" this'))).toEqual({
    kind: 'failed',
    outcome: { code: 'lost', text: 'no result, exit 137 (SIGKILL); while trying again after: what "is" this' },
  })
  // Its last event was read then; printed it was before that.
  expect(opencode.verdict(killed, digest, logged('2026-11-15T18:19:59Z', 'Overloaded'))).toMatchObject({
    outcome: { code: 'overload' },
  })
  expect(opencode.verdict(killed, digest, logged('2026-11-15T18:19:54Z', 'Overloaded'))).toMatchObject({
    outcome: { code: 'lost' },
  })
})

test('what a tool wrote to stderr in the midst of a session is not taken for a wrong call', () => {
  const digest = digestOf(linesOf('sig-tool-SIGINT'))
  expect(
    opencode.verdict({ kind: 'code', code: 143 }, digest, 'Session not found\n  -h, --help  show help'),
  ).toMatchObject({
    outcome: { code: 'lost' },
  })
})
