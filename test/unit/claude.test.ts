import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { claude } from '../../src/coders/claude.ts'
import { claudeEvents, eventsOf } from '../../src/coders/claude-events.ts'
import { skim } from '../../src/coders/claude-skim.ts'
import type { Fields } from '../../src/coders/fields.ts'
import { type Digest, emptyDigest, figuresOf, fold } from '../../src/domain/digest.ts'
import type { CoderEvent } from '../../src/domain/event.ts'
import type { Order } from '../../src/ports/coder.ts'
import { RECORDINGS } from '../support/claude-recordings.ts'

const FOLDER = resolve(import.meta.dirname, '../fixtures/coders/claude')
/** Within the hour before the limits in the recordings lift. */
const SEEN = Date.parse('2026-11-15T18:20:00Z')

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

const ALL_LINES = Object.keys(RECORDINGS).flatMap(linesOf)

test('of what was recorded without a pipe to its stdin, nothing is unknown', () => {
  const streams = Object.keys(RECORDINGS).filter((name) => !name.startsWith('sj-'))
  const unknown = streams
    .flatMap(linesOf)
    .flatMap((line) => claudeEvents(line).filter(({ type }) => type === 'unknown'))
  expect(unknown).toEqual([])
})

test('what one line says, event by event', () => {
  const events = (name: string, line: number): readonly CoderEvent[] => claudeEvents(linesOf(name)[line] as string)
  expect({
    first: events('oauth-warn', 0),
    message: events('perm-acceptEdits', 2),
    limit: events('oauth-warn', 3),
    answer: events('ok', 3),
    failure: events('perm-default', 7),
    denial: events('perm-default', 3),
    retry: events('err-529', 1),
    background: events('agent', 3),
    subagent: events('agent', 6),
    complaint: events('err-402', 1),
    end: events('maxturns', 10),
  }).toEqual({
    first: [
      {
        type: 'session',
        id: '5fa91e68-4856-4e3b-bbd5-061b73effd2d',
        model: 'claude-sonnet-5-5',
        version: '2.1.325',
        payer: 'none',
      },
    ],
    message: [
      {
        type: 'usage',
        message: 'msg_husvdx35nk1uzh3npa6p',
        usage: { input: 12, output: 1, cacheRead: 0, cacheWrite: 14000 },
        model: 'claude-opus-5-5',
      },
      {
        type: 'tool-started',
        id: 'toolu_ks6dw7797hx55xr67ynt',
        name: 'Write',
        kind: 'edit',
        detail: '/home/dev/project/written.txt',
      },
    ],
    limit: [
      {
        type: 'limit',
        status: 'warning',
        name: 'five_hour',
        resetsAt: Date.parse('2026-11-15T19:18:02Z'),
        usedPct: 92,
      },
    ],
    answer: [{ type: 'tool-ended', id: 'toolu_hz066hbpw1y3e8lsb2bl', failed: false }],
    failure: [
      {
        type: 'tool-ended',
        id: 'toolu_1rtk4u104x6859rapb49',
        failed: true,
        text: 'Exit code 1\nwc: written.txt: No such file or directory',
      },
    ],
    denial: [
      {
        type: 'denied',
        tool: 'Write',
        id: 'toolu_kng6cjlb138conputqwd',
        text: "Claude requested permissions to write to /home/dev/project/written.txt, but you haven't granted it yet.",
      },
    ],
    retry: [{ type: 'retrying', why: { code: 'overload', text: '529 overloaded' }, attempt: 1, delayMs: 585 }],
    background: [{ type: 'background', pending: 1 }],
    subagent: [
      {
        type: 'usage',
        message: 'msg_usamgvkcpqhcckogyz2q',
        usage: { input: 12, output: 1, cacheRead: 0, cacheWrite: 14000 },
        model: 'claude-opus-5-5',
        subagent: true,
      },
      { type: 'text', text: 'sub says hi', subagent: true },
    ],
    complaint: [
      { type: 'text', text: 'Credit balance is too low' },
      { type: 'trouble', trouble: { code: 'billing', text: 'Credit balance is too low' } },
    ],
    end: [
      { type: 'window', tokens: 1_000_000, model: 'claude-opus-5-5' },
      {
        type: 'total',
        covers: 'since-last',
        usage: { input: 39, output: 123, cacheRead: 28300, cacheWrite: 14200, reasoning: 0 },
        costUsd: 0.07927600000000001,
      },
      {
        type: 'result',
        ok: false,
        text: 'Reached maximum number of turns (3)',
        trouble: { code: 'error', text: 'Reached maximum number of turns (3)' },
      },
    ],
  })
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

const ORDER: Order = {
  model: 'opus',
  cwd: '/project',
  promptFile: '/attempt/prompt.md',
  newSession: '22222222-2222-4333-8444-555555555555',
  permissions: 'full',
  lean: false,
  isRoot: false,
}
const QUIET = {
  CLAUDE_CODE_MAX_RETRIES: '3',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
}
const TOOLS_OFF = '--disallowedTools=AskUserQuestion,EnterPlanMode,ExitPlanMode,Agent,Task,Workflow'

test('a new session is started with its prompt on stdin, unattended, without tools that ask or multiply', () => {
  expect(claude.launch({ ...ORDER, isRoot: true })).toEqual({
    program: 'claude',
    args: [
      '-p',
      '--output-format=stream-json',
      '--verbose',
      '--model=opus',
      '--session-id=22222222-2222-4333-8444-555555555555',
      '--dangerously-skip-permissions',
      TOOLS_OFF,
    ],
    stdin: 'prompt',
    env: { ...QUIET, IS_SANDBOX: '1' },
  })
})

test('an old session is resumed, lean and within the project if that is asked', () => {
  const order: Order = {
    ...ORDER,
    model: undefined,
    session: 'abc',
    permissions: 'workspace',
    lean: true,
    isRoot: true,
  }
  expect(claude.launch(order)).toEqual({
    program: 'claude',
    args: [
      '-p',
      '--output-format=stream-json',
      '--verbose',
      '--model=sonnet',
      '--resume=abc',
      '--permission-mode=acceptEdits',
      '--allowedTools=Bash',
      TOOLS_OFF,
      '--setting-sources=project',
      '--strict-mcp-config',
      '--disable-slash-commands',
    ],
    stdin: 'prompt',
    env: QUIET,
  })
})

test('with the permissions of the settings none are passed', () => {
  const args = claude.launch({ ...ORDER, permissions: 'settings' }).args.join(' ')
  expect(args).not.toMatch(/permission|--allowedTools/)
})

test('a session whose id could be taken for a flag is not believed', () => {
  const line = JSON.stringify({ type: 'system', subtype: 'init', session_id: '--dangerously-skip-permissions x' })
  expect(claudeEvents(line)).toEqual([{ type: 'unknown', raw: line }])
})

test('no line at all makes the parser throw, and what it does not know is unknown', () => {
  const recorded = fc.constantFrom(...ALL_LINES)
  const cut = fc.tuple(recorded, fc.nat()).map(([line, at]) => line.slice(0, at % line.length))
  const spliced = fc
    .tuple(recorded, fc.nat(), fc.string({ unit: 'binary' }))
    .map(([line, at, junk]) => line.slice(0, at % line.length) + junk + line.slice(at % line.length))
  fc.assert(
    fc.property(fc.oneof(cut, spliced, fc.json(), fc.string({ unit: 'binary' })), (line) => {
      const digest = digestOf([line])
      claude.verdict({ kind: 'code', code: 1 }, digest, line)
      figuresOf(digest)
    }),
    { numRuns: 2000 },
  )
  for (const line of ['{', 'null', '[]', '{}', '"x"', '{"type":"constructor"}', '\0', '{"type":"system"}']) {
    expect(claudeEvents(line)).toEqual([{ type: 'unknown', raw: line }])
  }
})

const ODD = [null, true, 0, -1, 0.5, 1e300, '', 'x', [], {}, [null], ['x'], [[]], { x: 1 }, 'x'.repeat(10_000)]

test('fields of any type where others are expected never make it throw', () => {
  const twisted = fc
    .tuple(fc.constantFrom(...ALL_LINES), fc.infiniteStream(fc.tuple(fc.boolean(), fc.constantFrom(...ODD))))
    .map(([line, changes]) =>
      JSON.stringify(
        JSON.parse(line, (key, value) => {
          const [keep, other] = changes.next().value
          return key === '' || key === 'type' || key === 'subtype' || keep ? value : other
        }),
      ),
    )
  fc.assert(
    fc.property(twisted, (line) => {
      const digest = digestOf([line])
      for (const exit of [{ kind: 'unknown' }, { kind: 'code', code: 0 }] as const) claude.verdict(exit, digest, '')
      for (const amount of Object.values(figuresOf(digest).usage)) expect(amount).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 1000 },
  )
})

test('a line that is only skimmed says the same as when it is parsed whole', () => {
  expect(ALL_LINES.filter((line) => skim(line) !== undefined).length).toBeGreaterThan(150)
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"}],"stop_reason":null', '\\', '\\"', '"error"', '}]},"parent_tool_use_id":', ',"usage":{'),
  )
  const value = fc.oneof(text, fc.jsonValue())
  const base = fc.constantFrom(...ALL_LINES.filter((line) => skim(line) !== undefined))
  const changed = fc.tuple(base, text, value, fc.option(value)).map(([line, words, other, more]) => {
    const told = JSON.parse(line)
    const [part] = told.message.content
    if (told.type === 'user') part.content = words
    else if (part.type === 'text') part.text = words
    else part.input = { command: words, other, stop_reason: [{}] }
    if (more !== null) told.more = more
    if (more !== null && told.type === 'assistant') told.message.usage.more = more
    return JSON.stringify(told)
  })
  fc.assert(
    fc.property(fc.oneof(base, changed), (line) => {
      expect(claudeEvents(line)).toEqual(eventsOf(JSON.parse(line)))
    }),
    { numRuns: 2000 },
  )
})

function linesOf(name: string): readonly string[] {
  const lines = readFileSync(join(FOLDER, `${name}.jsonl`), 'utf8')
    .split('\n')
    .slice(0, -1)
  if (!name.startsWith('sj-')) return lines
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ dir }) => dir === '<')
    .map(({ msg }) => JSON.stringify(msg))
}

function stderrOf(name: string): string {
  const path = join(FOLDER, `${name}.stderr`)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function digestOf(lines: readonly string[]): Digest {
  const digest = emptyDigest()
  for (const line of lines) for (const event of claude.parse(line)) fold(digest, event, SEEN)
  return digest
}
