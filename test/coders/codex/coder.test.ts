import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { codex } from '../../../src/coders/codex/coder.ts'
import { emptyDigest, figuresOf } from '../../../src/domain/run/digest.ts'
import type { CoderEvent } from '../../../src/domain/run/event.ts'
import { RECORDINGS } from '../../support/codex-recordings.ts'
import { digestOf, FOLDER, linesOf, SEEN, stderrOf, stdoutEvents } from '../../support/codex-streams.ts'

test('every recording has its expectation, and every expectation its recording', () => {
  const recorded = readdirSync(FOLDER).filter((file) => file.endsWith('.jsonl'))
  expect(recorded.map((file) => file.slice(0, -'.jsonl'.length)).sort()).toEqual(Object.keys(RECORDINGS).sort())
})

test.each(Object.entries(RECORDINGS))('%s is judged and counted as it was', (name, recording) => {
  const { exit, resumed } = recording
  const digest = digestOf(stdoutEvents(linesOf(name)))
  const known = resumed ? {} : { earlierUsage: {} }
  const { events: _events, lastEventAt: _at, ...figures } = figuresOf(digest, known)
  expect({
    exit,
    resumed,
    verdict: codex.verdict({ kind: 'code', code: exit }, digest, stderrOf(name)),
    figures,
    denied: digest.denied,
    results: digest.results,
  }).toEqual(recording)
})

const failing = (message: string): string => JSON.stringify({ type: 'turn.failed', error: { message } })

/** Known, but not recorded. */
const ENDINGS: readonly { text: string; code: string }[] = [
  { text: 'unexpected status 503 Service Unavailable: busy, url: http://127.0.0.1/v1/responses', code: 'overload' },
  { text: 'unexpected status 402 Payment Required: pay', code: 'billing' },
  { text: 'unexpected status 408 Request Timeout: slow', code: 'network' },
  { text: 'unexpected status 413 Payload Too Large: much', code: 'error' },
  { text: 'unexpected status 404 Not Found: nothing here', code: 'bad-model' },
  {
    text: 'Access blocked by Cloudflare. This usually happens when connecting from a restricted region (status 403 Forbidden)',
    code: 'login',
  },
  { text: 'Your workspace is out of credits. Add credits to continue.', code: 'billing' },
  {
    text: 'You hit your spend cap set in your workspace. Increase your spend cap to continue.',
    code: 'billing',
  },
  {
    text: 'To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.',
    code: 'billing',
  },
  { text: 'You’ve hit your usage limit. Try again later.', code: 'usage-limit' },
  {
    text: "You've hit your usage limit for gpt-6-astra. Switch to another model now, or try again later.",
    code: 'usage-limit',
  },
  {
    text: 'Your access token could not be refreshed because your refresh token was revoked. Please log out and sign in again.',
    code: 'login',
  },
  { text: 'request timed out', code: 'network' },
  { text: 'Invalid prompt: flagged', code: 'error' },
]

test.each(ENDINGS)('$text: $code', ({ text, code }) => {
  expect(codex.verdict({ kind: 'code', code: 1 }, digestOf(stdoutEvents([failing(text)])), '')).toEqual({
    kind: 'failed',
    outcome: { code, text },
  })
})

test('a limit whose words say how long it lasts is dated by them', () => {
  const says = 'You’ve hit your usage limit. Upgrade to Pro or try again in 5 days 10 hours 3 minutes.'
  expect(codex.verdict({ kind: 'code', code: 1 }, digestOf(stdoutEvents([failing(says)])), '')).toEqual({
    kind: 'failed',
    outcome: { code: 'usage-limit', text: says, resetsAt: SEEN + ((5 * 24 + 10) * 60 + 3) * 60_000 },
  })
})

test('a limit lifts at the time in the rollout, although a model has answered since', () => {
  const events: CoderEvent[] = [
    { type: 'limit', status: 'rejected', resetsAt: 9_000_000, usedPct: 100 },
    { type: 'usage', message: 'm1', usage: { input: 12 } },
    ...stdoutEvents([failing('You’ve hit your usage limit. Try again later.')]),
  ]
  expect(codex.verdict({ kind: 'code', code: 1 }, digestOf(events), '')).toMatchObject({
    outcome: { code: 'usage-limit', resetsAt: 9_000_000 },
  })
})

test('an answer of the API is shown in its own words, without the JSON around them', () => {
  const detail = "The 'nope' model is not supported when using Codex with a ChatGPT account."
  const digest = digestOf(stdoutEvents([failing(JSON.stringify({ detail }))]))
  expect(codex.verdict({ kind: 'code', code: 1 }, digest, '')).toEqual({
    kind: 'failed',
    outcome: { code: 'bad-model', text: detail },
  })
})

/** What the CLI prints and ends with, without a line on stdout. */
const NEVER_BEGAN: readonly { stderr: string; code: string; text?: string }[] = [
  {
    stderr: "error: unexpected argument '--nonsense' found\n\n  tip: to pass '--nonsense' as a value\n",
    code: 'bad-flag',
    text: "error: unexpected argument '--nonsense' found",
  },
  { stderr: 'Error: Model provider `nosuch` not found\n', code: 'bad-model' },
  {
    stderr: 'Error finding codex home: CODEX_HOME points to "/nowhere", but that path does not exist\n',
    code: 'bad-flag',
  },
  { stderr: 'Not inside a trusted directory and --skip-git-repo-check was not specified.\n', code: 'bad-flag' },
  { stderr: 'Error loading config.toml: unknown variant `foo`\nin `sandbox_mode`\n', code: 'bad-flag' },
  { stderr: 'Error: Unknown feature flag: nosuchfeature\n', code: 'bad-flag' },
  {
    stderr:
      '2026-11-16T03:09:11.363721Z ERROR codex_core::session: Failed to create session\nError: thread/start: thread/start failed: error creating thread: Fatal error: Failed to initialize session: required MCP servers failed to initialize: broken\n',
    code: 'bad-flag',
    text: 'Error: thread/start: thread/start failed: error creating thread: Fatal error: Failed to initialize session: required MCP servers failed to initialize: broken',
  },
  { stderr: 'Segmentation\n fault\n', code: 'lost', text: 'no result, exit 1; Segmentation fault' },
]

test.each(NEVER_BEGAN)('$stderr before a session: $code', ({ stderr, code, text }) => {
  expect(codex.verdict({ kind: 'code', code: 1 }, emptyDigest(), `Reading prompt from stdin...\n${stderr}`)).toEqual({
    kind: 'failed',
    outcome: { code, text: text ?? stderr.split('\n')[0] },
  })
})

test('stderr of a tool during a session is not taken for a wrong call', () => {
  const digest = digestOf(stdoutEvents(linesOf('sig-tool-SIGTERM')))
  const verdict = codex.verdict({ kind: 'code', code: 143 }, digest, "error: unexpected argument '--x' found")
  expect(verdict).toMatchObject({ outcome: { code: 'lost' } })
})

test('success stays success whatever exit code follows', () => {
  const digest = digestOf(stdoutEvents(linesOf('ok')))
  for (const exit of [{ kind: 'unknown' }, { kind: 'code', code: 143 }] as const) {
    expect(codex.verdict(exit, digest, '')).toEqual({ kind: 'finished' })
  }
})

test('a run that is lost while it retries says after which failure', () => {
  const digest = digestOf(stdoutEvents(linesOf('err-529').slice(0, 3)))
  expect(codex.verdict({ kind: 'unknown' }, digest, '')).toEqual({
    kind: 'failed',
    outcome: {
      code: 'lost',
      text: 'no result, exit unknown; while trying again after: unexpected status 529 <unknown status code>: Overloaded, url: http://127.0.0.1:8788/s/529/v1/responses',
    },
  })
})
