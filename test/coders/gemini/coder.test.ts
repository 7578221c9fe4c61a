import { expect, test } from 'vitest'
import { gemini } from '../../../src/coders/gemini/coder.ts'
import { streamsOf } from '../../support/coder-streams.ts'
import { RECORDINGS } from '../../support/gemini-recordings.ts'
import { unprinted } from '../../support/prints.ts'

const { names, shown, linesOf, digestOf } = streamsOf(gemini)

test('every recording has its expectation, and every expectation its recording', () => {
  expect(names.sort()).toEqual(Object.keys(RECORDINGS).sort())
})

test.each(Object.entries(RECORDINGS))('%s is judged and counted as it was', (name, recording) => {
  expect(shown(name, recording.exit)).toEqual(recording)
})

test('each line becomes its events', () => {
  const events = (name: string, line: number) => unprinted(gemini.parse(linesOf(name)[line] as string))
  expect({
    first: events('ok', 0),
    prompt: events('ok', 1),
    call: events('ok', 2),
    answer: events('ok', 3),
    words: events('ok', 4),
    end: events('ok', 8),
    server: events('mcp', 2),
    outside: events('outside', 3),
    denial: events('denied', 3),
    failure: events('err-402', 2),
  }).toEqual({
    first: [
      { type: 'session', id: '36a0a1fc-b557-463a-8cd9-afdf17adc281', model: 'gemini-2.5-pro' },
      { type: 'window', tokens: 1_048_576, model: 'gemini-2.5-pro' },
    ],
    prompt: [{ type: 'notice', name: 'message' }],
    call: [
      {
        type: 'tool-started',
        id: 'run_shell_command__fc20kme4sxpdhly361dsl4',
        name: 'run_shell_command',
        kind: 'shell',
        detail: 'echo hello-from-mock > mock-out.txt && cat mock-out.txt',
      },
    ],
    answer: [{ type: 'tool-ended', id: 'run_shell_command__fc20kme4sxpdhly361dsl4', failed: false }],
    words: [{ type: 'text', text: 'Done: wrote ' }],
    end: [
      {
        type: 'total',
        covers: 'run',
        usage: { input: 25, output: 95, cacheRead: 14100, reasoning: 14 },
        model: 'mock',
      },
      { type: 'result', ok: true },
    ],
    server: [
      {
        type: 'tool-started',
        id: 'mcp_mymcp_echo__mcp_mymcp_echo_1794799990267_0',
        name: 'mcp_mymcp_echo',
        kind: 'mcp',
      },
    ],
    outside: [
      {
        type: 'tool-ended',
        id: 'write_file__write_file_1794798257847_0',
        failed: true,
        text: 'Path not in workspace: Attempted path "/home/dev/tmp/outside.txt" resolves outside the allowed workspace directories: /home/dev/project or the project temp directory: /home/dev/.gemini/tmp/project',
      },
    ],
    denial: [
      {
        type: 'tool-ended',
        id: 'run_shell_command__run_shell_command_1794800212840_0',
        failed: true,
        text: 'Tool execution denied by policy.',
      },
      {
        type: 'denied',
        tool: 'run_shell_command',
        id: 'run_shell_command__run_shell_command_1794800212840_0',
        text: 'Tool execution denied by policy.',
      },
    ],
    failure: [
      { type: 'total', covers: 'run', usage: { input: 0, output: 0, cacheRead: 0, reasoning: 0 } },
      {
        type: 'result',
        ok: false,
        text: 'Insufficient credits',
        trouble: { code: 'billing', text: 'Insufficient credits' },
      },
    ],
  })
})

test('a session whose id could be taken for a flag is not believed', () => {
  const line = JSON.stringify({ type: 'init', session_id: '--yolo', model: 'x' })
  expect(gemini.parse(line)).toEqual([{ type: 'unknown', raw: line }])
})

const AT = '2026-11-15T18:20:00Z'
const ended = (message: string) =>
  JSON.stringify({ type: 'result', timestamp: AT, status: 'error', error: { type: 'unknown', message } })
const ADVICE =
  '\nPossible quota limitations in place or slow response times detected. Switching to the gemini-2.5-flash model for the rest of this session.'

/** Known, but not recorded. */
test.each([
  {
    what: 'a quota of a Google login, with what is left to wait',
    message: `[API Error: You have exhausted your capacity on this model. Your quota will reset after 4h28m20s.]${ADVICE}`,
    exit: 173,
    outcome: {
      code: 'usage-limit',
      text: 'You have exhausted your capacity on this model. Your quota will reset after 4h28m20s.',
      resetsAt: Date.parse(AT) + (4 * 3600 + 28 * 60 + 20) * 1000,
    },
  },
  {
    what: 'a model without capacity',
    message: `[API Error: No capacity available for model gemini-3-pro on the server]${ADVICE}`,
    exit: 173,
    outcome: { code: 'overload', text: 'No capacity available for model gemini-3-pro on the server' },
  },
  {
    what: 'an answer in a list, inside of another',
    message: `[API Error: ${JSON.stringify([{ error: { code: 403, message: JSON.stringify({ error: { code: 403, message: 'Request had insufficient scopes.', status: 'PERMISSION_DENIED' } }) } }])}]`,
    exit: 147,
    outcome: { code: 'login', text: 'Request had insufficient scopes.' },
  },
  {
    what: 'a status of which only the exit code is left',
    message: '[API Error: An unknown error occurred.]',
    exit: 244,
    outcome: { code: 'overload', text: 'An unknown error occurred.' },
  },
  {
    what: 'too many turns',
    message: '[API Error: Reached max session turns for this session.]',
    exit: 53,
    outcome: { code: 'error', text: 'Reached max session turns for this session.' },
  },
])('$what is told by its result', ({ message, exit, outcome }) => {
  expect(gemini.verdict({ kind: 'code', code: exit }, digestOf([ended(message)]), '')).toEqual({
    kind: 'failed',
    outcome,
  })
})

test('an error before the end outweighs the end, which gemini may call a success', () => {
  const error = (severity: string, message: string) =>
    JSON.stringify({ type: 'error', timestamp: AT, severity, message })
  const end = (status: string) => JSON.stringify({ type: 'result', timestamp: AT, status, stats: {} })
  const verdict = (lines: readonly string[]) => gemini.verdict({ kind: 'code', code: 0 }, digestOf(lines), '')
  expect(verdict([error('error', 'The model returned an empty response.'), end('error')])).toEqual({
    kind: 'failed',
    outcome: { code: 'error', text: 'The model returned an empty response.' },
  })
  expect(verdict([error('warning', 'Loop detected, stopping execution'), end('success')])).toEqual({
    kind: 'failed',
    outcome: { code: 'error', text: 'Loop detected, stopping execution' },
  })
  expect(verdict([error('warning', 'Agent execution blocked: by a hook'), end('success')])).toEqual({
    kind: 'finished',
  })
})

test('success stays success whatever exit code follows', () => {
  for (const exit of [{ kind: 'unknown' }, { kind: 'code', code: 143 }] as const) {
    expect(gemini.verdict(exit, digestOf(linesOf('ok')), '')).toEqual({ kind: 'finished' })
  }
})

test('stopped in silence, it was still waiting after its last complaint; ended by itself, it may have recovered', () => {
  const digest = digestOf(linesOf('sig-tool-SIGTERM'))
  const complaint = (status: number, message: string) =>
    `Attempt 2 failed with status ${status}. Retrying with backoff... _ApiError: ${JSON.stringify({ error: { code: status, message } })}\n    at x (y.js:1:2) {\n`
  expect(gemini.verdict({ kind: 'unknown' }, digest, complaint(503, 'Try again later'))).toEqual({
    kind: 'failed',
    outcome: { code: 'overload', text: '503 Try again later' },
  })
  expect(gemini.verdict({ kind: 'code', code: 137 }, digest, complaint(503, 'Try again later'))).toMatchObject({
    outcome: { code: 'lost', text: expect.stringContaining('while trying again after: 503 Try again later') },
  })
})

test('stderr of a tool during a session is not taken for a wrong call', () => {
  const digest = digestOf(linesOf('sig-tool-SIGTERM'))
  expect(gemini.verdict({ kind: 'code', code: 42 }, digest, 'Error resuming session: no\n')).toEqual({
    kind: 'failed',
    outcome: { code: 'lost', text: 'no result, exit 42; Error resuming session: no' },
  })
})
