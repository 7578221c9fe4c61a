import fc from 'fast-check'
import { expect, test } from 'vitest'
import { claude } from '../../../src/coders/claude/coder.ts'
import { claudeEvents } from '../../../src/coders/claude/events.ts'
import { figuresOf } from '../../../src/domain/run/digest.ts'
import type { CoderEvent } from '../../../src/domain/run/event.ts'
import { RECORDINGS } from '../../support/claude-recordings.ts'
import { digestOf, linesOf } from '../../support/claude-streams.ts'
import { brokenLines, twistedLines } from '../../support/odd-lines.ts'
import { unprinted } from '../../support/prints.ts'

const ALL_LINES = Object.keys(RECORDINGS).flatMap(linesOf)

test('no event recorded without a pipe to stdin is unknown', () => {
  const streams = Object.keys(RECORDINGS).filter((name) => !name.startsWith('sj-'))
  const unknown = streams
    .flatMap(linesOf)
    .flatMap((line) => claudeEvents(line).filter(({ type }) => type === 'unknown'))
  expect(unknown).toEqual([])
})

test('each line becomes its events', () => {
  const events = (name: string, line: number): readonly CoderEvent[] =>
    unprinted(claudeEvents(linesOf(name)[line] as string))
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
        step: true,
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
        paths: ['/home/dev/project/written.txt'],
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

test('a session whose id could be taken for a flag is not believed', () => {
  const line = JSON.stringify({ type: 'system', subtype: 'init', session_id: '--dangerously-skip-permissions x' })
  expect(claudeEvents(line)).toEqual([{ type: 'unknown', raw: line }])
})

test('no line makes the parser throw, and an unfamiliar line is unknown', () => {
  fc.assert(
    fc.property(brokenLines(ALL_LINES), (line) => {
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

test('fields of any type where others are expected never make it throw', () => {
  fc.assert(
    fc.property(twistedLines(ALL_LINES, ['type', 'subtype']), (line) => {
      const digest = digestOf([line])
      for (const exit of [{ kind: 'unknown' }, { kind: 'code', code: 0 }] as const) claude.verdict(exit, digest, '')
      for (const amount of Object.values(figuresOf(digest).usage)) expect(amount).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 1000 },
  )
})
