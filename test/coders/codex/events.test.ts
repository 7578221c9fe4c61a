import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codex } from '../../../src/coders/codex/coder.ts'
import { codexEvents } from '../../../src/coders/codex/events.ts'
import { figuresOf } from '../../../src/domain/run/digest.ts'
import type { CoderEvent } from '../../../src/domain/run/event.ts'
import { RECORDINGS } from '../../support/codex-recordings.ts'
import { digestOf, linesOf, stdoutEvents } from '../../support/codex-streams.ts'
import { brokenLines, twistedLines } from '../../support/odd-lines.ts'
import { unprinted } from '../../support/prints.ts'

const ALL_LINES = Object.keys(RECORDINGS).flatMap(linesOf)

test('no recorded event is unknown', () => {
  expect(stdoutEvents(ALL_LINES).filter(({ type }) => type === 'unknown')).toEqual([])
})

test('each line becomes its events', () => {
  const events = (name: string, line: number): readonly CoderEvent[] =>
    unprinted(codexEvents(linesOf(name)[line] as string))
  expect({
    first: events('ok', 0),
    turn: events('ok', 1),
    command: events('ok', 2),
    answer: events('ok', 3),
    said: events('ok', 4),
    end: events('resume', 5),
    bare: events('search', 4),
    failure: events('sandbox-ro', 3),
    edit: events('write', 2),
    mcp: events('mcp', 2),
    search: events('search', 2),
    agent: events('collab', 2),
    thought: events('think', 2),
    plan: events('older-plan', 3),
    warning: events('hooks-log', 3),
    retry: events('err-429', 2),
    complaint: events('err-limit', 2),
    failed: events('noauth', 3),
  }).toEqual({
    first: [{ type: 'session', id: '01a1e09c-4d15-71f2-9c3f-690070a125ee' }],
    turn: [{ type: 'notice', name: 'turn.started' }],
    command: [
      {
        type: 'tool-started',
        id: 'item_0',
        name: 'command_execution',
        kind: 'shell',
        detail: 'echo hello-from-mock > mock-out.txt && cat mock-out.txt',
      },
    ],
    answer: [{ type: 'tool-ended', id: 'item_0', failed: false }],
    said: [{ type: 'text', text: 'Done: wrote mock-out.txt. STATUS: complete' }],
    end: [
      {
        type: 'total',
        covers: 'session',
        usage: { input: 50, output: 162, cacheRead: 28200, cacheWrite: 0, reasoning: 28 },
      },
      { type: 'result', ok: true },
    ],
    bare: [{ type: 'tool-started', id: 'item_1', name: 'command_execution', kind: 'shell', detail: 'true' }],
    failure: [
      {
        type: 'tool-ended',
        id: 'item_0',
        failed: true,
        text: 'exit code 1\nwc: written.txt: No such file or directory\n',
      },
    ],
    edit: [
      {
        type: 'tool-started',
        id: 'item_0',
        name: 'file_change',
        kind: 'edit',
        detail: '/home/dev/project/written.txt',
        paths: ['/home/dev/project/written.txt'],
      },
    ],
    mcp: [{ type: 'tool-started', id: 'item_0', name: 'mcp__mockmcp__mock_echo', kind: 'mcp' }],
    // It tells two ids, of which a reader of JSON sees the last.
    search: [{ type: 'tool-started', id: 'ws_0000000222610', name: 'web_search', kind: 'other', detail: 'cats' }],
    agent: [{ type: 'tool-started', id: 'item_0', name: 'wait', kind: 'agent' }],
    thought: [{ type: 'notice', name: 'reasoning' }],
    plan: [{ type: 'notice', name: 'todo_list' }],
    warning: [
      {
        type: 'notice',
        name: 'error',
        text: 'clamping SessionEnd hook timeout to 3s in /<session-flags>/config.toml',
      },
    ],
    retry: [
      {
        type: 'retrying',
        why: { code: 'overload', text: 'exceeded retry limit, last status: 429 Too Many Requests' },
        attempt: 1,
      },
    ],
    complaint: [
      {
        type: 'trouble',
        trouble: {
          code: 'usage-limit',
          text: 'You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at 7:26 PM.',
        },
      },
    ],
    failed: [
      {
        type: 'result',
        ok: false,
        text: 'Missing environment variable: `MOCK_KEY`.',
        trouble: { code: 'login', text: 'Missing environment variable: `MOCK_KEY`.' },
      },
    ],
  })
})

test('while there is no network it tries again, without a count', () => {
  const message = 'Reconnecting... waiting for network (Connection failed: error sending request)'
  expect(codexEvents(JSON.stringify({ type: 'error', message }))).toEqual([
    {
      type: 'retrying',
      why: { code: 'network', text: 'Connection failed: error sending request' },
      attempt: 0,
    },
  ])
})

test('a call that was declined has failed, and was denied', () => {
  const item = { id: 'item_3', type: 'command_execution', command: 'rm -rf x', status: 'declined' }
  expect(unprinted(codexEvents(JSON.stringify({ type: 'item.completed', item })))).toEqual([
    { type: 'denied', tool: 'command_execution', id: 'item_3' },
    { type: 'tool-ended', id: 'item_3', failed: true },
  ])
})

test('a tool of a server that failed says why', () => {
  const item = {
    id: 'item_3',
    type: 'mcp_tool_call',
    server: 's',
    tool: 't',
    error: { message: 'no such row' },
    status: 'failed',
  }
  expect(unprinted(codexEvents(JSON.stringify({ type: 'item.completed', item })))).toEqual([
    { type: 'tool-ended', id: 'item_3', failed: true, text: 'no such row' },
  ])
})

test.each(['--dangerously-bypass-approvals-and-sandbox', '-x', '../../etc', 'a b', '', 7])(
  'a thread called %j is not believed',
  (thread_id) => {
    const line = JSON.stringify({ type: 'thread.started', thread_id })
    expect(codexEvents(line)).toEqual([{ type: 'unknown', raw: line }])
  },
)

test('no line makes the parser throw, and an unfamiliar line is unknown', () => {
  fc.assert(
    fc.property(brokenLines(ALL_LINES), (line) => {
      const digest = digestOf(codexEvents(line))
      codex.verdict({ kind: 'code', code: 1 }, digest, line)
      figuresOf(digest)
    }),
    { numRuns: 2000 },
  )
  for (const line of ['{', 'null', '[]', '{}', '"x"', '{"type":"constructor"}', '\0', '{"type":"item.started"}']) {
    expect(codexEvents(line)).toEqual([{ type: 'unknown', raw: line }])
  }
})

test('fields of any type where others are expected never make it throw', () => {
  fc.assert(
    fc.property(twistedLines(ALL_LINES), (line) => {
      const digest = digestOf(codexEvents(line))
      for (const exit of [{ kind: 'unknown' }, { kind: 'code', code: 0 }] as const) codex.verdict(exit, digest, '')
      for (const amount of Object.values(figuresOf(digest).usage)) expect(amount).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 1000 },
  )
})

const ENDED = Object.entries(RECORDINGS).filter(([, { results }]) => results > 0)

test('unknown events, new fields, and lines cut short or in another order change no verdict of a run that ended', () => {
  const strange = fc.constantFrom('{"type":"turn.reviewed"}', '{"type":"item.rated","item":{}}', 'codex: hello', '{')
  const change = fc.record({ shuffle: fc.boolean(), keep: fc.nat(), field: fc.boolean(), junk: strange })
  fc.assert(
    fc.property(fc.constantFrom(...ENDED), change, fc.infiniteStream(fc.nat()), ([name, recording], how, chance) => {
      const lines = linesOf(name)
      const last = lines.at(-1) as string
      const before = lines.slice(0, -1).map((line) => (chance.next().value % 4 === 0 ? line.slice(0, how.keep) : line))
      const order = before.map((line) => [how.shuffle ? chance.next().value : 0, line] as const)
      const ordered = order.toSorted(([a], [b]) => a - b).map(([, line]) => line)
      const grown = (line: string): string => line.replace(/^\{"type"/, '{"brand_new":{"type":"error"},"type"')
      const stream = [...ordered, how.junk, last].map((line) => (how.field ? grown(line) : line))
      const digest = digestOf(stdoutEvents(stream))
      expect(codex.verdict({ kind: 'code', code: recording.exit }, digest, '')).toEqual(recording.verdict)
    }),
    { numRuns: 1000 },
  )
})
