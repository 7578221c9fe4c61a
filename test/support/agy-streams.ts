import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { agy } from '../../src/coders/agy/coder.ts'
import { type Digest, emptyDigest, fold } from '../../src/domain/run/digest.ts'
import { NO_FIGURES } from '../../src/domain/run/run.ts'
import type { Verdict } from '../../src/ports/coder.ts'

export const FOLDER = resolve(import.meta.dirname, '../fixtures/coders/agy')
/** When their lines were seen. */
export const SEEN = Date.parse('2026-11-15T18:20:00Z')

export function linesOf(name: string): readonly string[] {
  return readFileSync(join(FOLDER, `${name}.jsonl`), 'utf8')
    .split('\n')
    .slice(0, -1)
}

export function stderrOf(name: string): string {
  const path = join(FOLDER, `${name}.stderr`)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

export function digestOf(lines: readonly string[]): Digest {
  const digest = emptyDigest()
  for (const line of lines) for (const event of agy.parse(line)) fold(digest, event, SEEN)
  return digest
}

const finished: Verdict = { kind: 'finished' }

function failed(code: Extract<Verdict, { kind: 'failed' }>['outcome']['code'], text: string, more = {}): Verdict {
  return { kind: 'failed', outcome: { code, text, ...more } }
}

const { events: _events, lastEventAt: _at, ...NONE } = NO_FIGURES
const BEGAN = { ...NONE, session: '3f2b8c1e-5d74-4a0b-9c11-0e6a7d2f9b40', servedModel: 'gemini-3-pro-high' }
const UNNAMED = { ...BEGAN, servedModel: null }
/** One answer: 9000 read, nothing of it from a cache. */
const ONE = { usage: { input: 9000, output: 40, cacheRead: 0, reasoning: 0 }, estimated: false }
const QUOTA = 'RESOURCE_EXHAUSTED (code 429): Individual quota reached. Resets in 2h18m58s.'

/** What each stream means, from the documentation it was written from: never from the parser. */
export const STREAMS = {
  done: {
    exit: 0,
    verdict: finished,
    // 21000 of the 30000 came from the cache: 30000 + 400 is the total.
    figures: {
      ...BEGAN,
      toolCalls: 3,
      usage: { input: 9000, output: 400, cacheRead: 21_000, reasoning: 150 },
      estimated: false,
    },
  },
  'two-turns': {
    exit: 0,
    verdict: finished,
    figures: { ...BEGAN, usage: { input: 10_500, output: 90, cacheRead: 8000, reasoning: 0 }, estimated: false },
  },
  'cache-beside': {
    exit: 0,
    verdict: finished,
    figures: { ...UNNAMED, usage: { input: 1000, output: 50, cacheRead: 8000, reasoning: 0 }, estimated: false },
  },
  subagent: {
    exit: 143,
    verdict: failed('lost', 'no result, exit 143 (SIGTERM)'),
    figures: { ...BEGAN, toolCalls: 1, openTool: 'browser_subagent: open the page' },
  },
  denied: {
    exit: 0,
    verdict: failed('denied', 'stopped where nobody could give permission: command(npm test)'),
    figures: { ...UNNAMED, ...ONE, toolCalls: 1 },
    denied: 1,
  },
  'denied-and-went-on': { exit: 0, verdict: finished, figures: { ...UNNAMED, ...ONE }, denied: 1 },
  'print-timeout': {
    exit: 0,
    verdict: failed('wall-clock', 'its own print timeout cut it short after 5m0s'),
    figures: BEGAN,
  },
  'no-usage': { exit: 0, verdict: finished, figures: BEGAN },
  quota: {
    exit: 3,
    verdict: failed('usage-limit', QUOTA, { resetsAt: Date.parse('2026-11-15T20:38:58Z') }),
    figures: BEGAN,
  },
  // The time of the message is unknown, so fleet uses its own wait.
  'quota-at-once': { exit: 3, verdict: failed('usage-limit', QUOTA), figures: NONE },
  unavailable: {
    exit: 3,
    verdict: failed('overload', 'UNAVAILABLE (code 503): The model is overloaded. Please try again later.'),
    figures: BEGAN,
  },
  'agent-error': {
    exit: 3,
    verdict: failed('error', 'agent executor error: the turn was aborted'),
    figures: BEGAN,
  },
  'broken-agy-error': { exit: 3, verdict: failed('error', '{"short_error":"RESOURCE_EXH'), figures: BEGAN },
  'not-signed-in': {
    exit: 1,
    verdict: failed('login', 'You are not signed in. Run agy to sign in.'),
    figures: NONE,
  },
  'bad-model': {
    exit: 1,
    verdict: failed('bad-model', 'unknown model "gemini-9-ultra-high"; run agy models'),
    figures: NONE,
  },
  'effort-clash': {
    exit: 1,
    verdict: failed('bad-flag', 'Error: --effort cannot be used with a model that names its effort'),
    figures: NONE,
  },
  'bad-flag': {
    exit: 2,
    verdict: failed(
      'bad-flag',
      'invalid argument "30" for "--print-timeout" flag: time: missing unit in duration "30"',
    ),
    figures: NONE,
  },
  'killed-in-tool': {
    exit: 143,
    verdict: failed('lost', 'no result, exit 143 (SIGTERM); error: unknown flag: --x'),
    figures: { ...BEGAN, toolCalls: 1, openTool: 'run_command: sleep 600' },
  },
  nothing: { exit: 0, verdict: failed('lost', 'no result, exit 0'), figures: NONE },
} as const satisfies Record<string, Expected>

export interface Expected {
  /** As a shell reports it: 128 and the signal. */
  readonly exit: number
  readonly verdict: Verdict
  readonly figures: typeof NONE
  readonly denied?: number
}
