import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agy } from '../../../src/coders/agy/coder.ts'
import { resetIn } from '../../../src/coders/shared/reset-in.ts'
import { emptyDigest, figuresOf } from '../../../src/domain/run/digest.ts'
import { digestOf, type Expected, FOLDER, linesOf, SEEN, STREAMS, stderrOf } from '../../support/agy-streams.ts'
import { brokenLines, twistedLines } from '../../support/odd-lines.ts'
import { unprinted } from '../../support/prints.ts'

const SIGN_IN = 'Error: authentication failed or timed out'

test('every stream has its expectation, and every expectation its stream', () => {
  const written = readdirSync(FOLDER).filter((file) => file.endsWith('.jsonl'))
  expect(written.map((file) => file.slice(0, -'.jsonl'.length)).sort()).toEqual(Object.keys(STREAMS).sort())
})

test.each(Object.entries<Expected>(STREAMS))('%s is judged and counted as described', (name, expected) => {
  const digest = digestOf(linesOf(name))
  const { events: _events, lastEventAt: _at, ...figures } = figuresOf(digest)
  const { denied, unknown } = digest
  const verdict = agy.verdict({ kind: 'code', code: expected.exit }, digest, stderrOf(name))
  expect({ exit: expected.exit, verdict, figures, denied, unknown }).toEqual({ denied: 0, unknown: 0, ...expected })
})

test('each line becomes its events', () => {
  const events = linesOf('done').flatMap((line) => unprinted(agy.parse(line)))
  const call = (index: number) => `3f2b8c1e-5d74-4a0b-9c11-0e6a7d2f9b40/${index}`
  const command = {
    type: 'tool-started',
    id: call(2),
    name: 'run_command',
    kind: 'shell',
    detail: 'npm test',
  }
  expect(events).toEqual([
    { type: 'session', id: '3f2b8c1e-5d74-4a0b-9c11-0e6a7d2f9b40', model: 'gemini-3-pro-high' },
    { type: 'session', id: '3f2b8c1e-5d74-4a0b-9c11-0e6a7d2f9b40', step: true },
    { type: 'text', text: 'I look at the ' },
    { type: 'text', text: 'tests first.' },
    command,
    command,
    { type: 'tool-ended', id: call(2), failed: false },
    {
      type: 'tool-started',
      id: call(3),
      name: 'write_to_file',
      kind: 'edit',
      detail: '/home/dev/project/written.txt',
      paths: ['/home/dev/project/written.txt'],
    },
    { type: 'tool-ended', id: call(3), failed: false },
    { type: 'tool-started', id: call(4), name: 'view_file', kind: 'read', detail: '/home/dev/project/gone.txt' },
    { type: 'tool-ended', id: call(4), failed: true, text: 'no such file' },
    { type: 'text', text: 'All done\u2028and tested.' },
    {
      type: 'total',
      covers: 'run',
      usage: { input: 9000, output: 400, cacheRead: 21_000, reasoning: 150 },
    },
    { type: 'result', ok: true, text: 'All done\u2028and tested.' },
  ])
})

test.each([
  ['DEADLINE: dial tcp 10.0.0.1:443: i/o timeout', 'network'],
  ['RESOURCE_EXHAUSTED (code 429): too many requests', 'overload'],
  ['INTERNAL (code 500): try again', 'overload'],
  ['UNAUTHENTICATED (code 401): token expired', 'login'],
  ['PERMISSION_DENIED (code 403)', 'login'],
  ['payment required (code 402)', 'billing'],
  ['NOT_FOUND (code 404): no such model', 'bad-model'],
  ['INVALID_ARGUMENT (code 400): the input token count (1200000) exceeds the maximum', 'context-full'],
  ['conversation 3f2b8c1e not found', 'no-session'],
  ['something else', 'error'],
])('%j in its line on stderr is a trouble of its own', (words, code) => {
  const stderr = `noise\nAGY_ERROR: ${JSON.stringify({ short_error: words })}\n`
  expect(agy.verdict({ kind: 'code', code: 3 }, emptyDigest(), stderr)).toEqual({
    kind: 'failed',
    outcome: { code, text: words },
  })
})

test.each([
  ['RESOURCE_EXHAUSTED', true, 'Quota reached, slow down', 'overload'],
  ['RESOURCE_EXHAUSTED', false, 'RESOURCE_EXHAUSTED (code 429)', 'usage-limit'],
  ['UNAVAILABLE', true, 'try again', 'overload'],
  ['INTERNAL', false, 'something broke', 'overload'],
  ['DEADLINE_EXCEEDED', true, 'too slow', 'overload'],
  ['UNAUTHENTICATED', false, 'who are you', 'login'],
  ['INTERNAL', false, 'the input token count (1200000) exceeds the maximum', 'context-full'],
  ['NEW_STATUS', false, 'something else', 'error'],
])('status %s with retryable %s and the words %j is %s', (status, retryable, words, code) => {
  const stderr = `AGY_ERROR: ${JSON.stringify({ short_error: words, status, retryable })}\n`
  expect(agy.verdict({ kind: 'code', code: 3 }, emptyDigest(), stderr)).toMatchObject({
    outcome: { code, text: words },
  })
})

test.each([
  ['in its result', [JSON.stringify({ event: 'result', result: { status: 'ERROR', error: SIGN_IN } })], ''],
  ['as plain text', [SIGN_IN], ''],
  ['on stderr', [], SIGN_IN],
])('a failed sign-in %s is trouble of the login', (_, lines, stderr) => {
  expect(agy.verdict({ kind: 'code', code: 1 }, digestOf(lines), stderr)).toMatchObject({
    outcome: { code: 'login', text: SIGN_IN },
  })
})

test('its line on stderr is believed before a result that calls itself a success', () => {
  const digest = digestOf(linesOf('done'))
  expect(agy.verdict({ kind: 'code', code: 3 }, digest, stderrOf('unavailable'))).toMatchObject({
    outcome: { code: 'overload' },
  })
  expect(agy.verdict({ kind: 'code', code: 143 }, digest, '')).toEqual({ kind: 'finished' })
})

test.each([
  ['Resets in 2h18m58s.', (2 * 3600 + 18 * 60 + 58) * 1000],
  ['resets in 45s', 45_000],
  ['Resets in 1d2h', 26 * 3_600_000],
  ['Resets in 1.5s', 1500],
  [`Resets in ${'9'.repeat(400)}h`, undefined],
  ['Resets in a while', undefined],
  ['Resets 7pm (UTC)', undefined],
])('%j is a time from now', (text, millis) => {
  expect(resetIn(`quota reached. ${text}`, SEEN)).toBe(millis === undefined ? undefined : SEEN + millis)
})

const step = (about: object) => JSON.stringify({ event: 'step_update', step_update: about })
const KILLED = { kind: 'code', code: 137 } as const

test.each([
  ['what it is told', { conversation_id: 'c', step_index: 5, state: 'DONE', step_type: 'user_input' }],
  ['an answer', { step_index: 5, state: 'ACTIVE', step_type: 'agent_response', text_delta: 'And ' }],
  ['an open tool', { step_index: 5, state: 'ACTIVE', step_type: 'tool', tool_name: 'run_command' }],
])('%s after a result is a turn of its own, which the result says nothing of', (_, about) => {
  const digest = digestOf([...linesOf('done'), step(about)])
  expect(agy.verdict(KILLED, digest, '')).toEqual({
    kind: 'failed',
    outcome: { code: 'lost', text: 'no result of its last turn, exit 137 (SIGKILL)' },
  })
  // Whether it prints such a step late, nobody knows.
  expect(agy.verdict({ kind: 'code', code: 0 }, digest, '')).toEqual({ kind: 'finished' })
})

test('the end of a step that comes after the result is no turn', () => {
  const late = step({ step_index: 3, state: 'DONE', step_type: 'tool', tool_name: 'run_command' })
  expect(agy.verdict(KILLED, digestOf([...linesOf('done'), late]), '')).toEqual({ kind: 'finished' })
})

const ALL_LINES = Object.keys(STREAMS).flatMap(linesOf)

test('no line makes the parser or the verdict throw, and an unfamiliar line is unknown', () => {
  fc.assert(
    fc.property(fc.oneof(brokenLines(ALL_LINES), twistedLines(ALL_LINES, ['event'])), (line) => {
      const digest = digestOf([line])
      for (const code of [0, 1, 2, 3]) agy.verdict({ kind: 'code', code }, digest, `AGY_ERROR: ${line}`)
      for (const amount of Object.values(figuresOf(digest).usage)) expect(amount).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 2000 },
  )
  for (const line of ['{', 'null', '{}', 'plain words', '{"event":"constructor"}', '{"event":"result"}', '\0']) {
    expect(agy.parse(line)).toEqual([{ type: 'unknown', raw: line }])
  }
})

test('a conversation whose id could be taken for a flag is not believed', () => {
  const line = JSON.stringify({ event: 'init', conversation_id: '--dangerously-skip-permissions', init: {} })
  expect(agy.parse(line)).toEqual([{ type: 'unknown', raw: line }])
})
