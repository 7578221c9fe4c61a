import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  COLLECTION_LIMIT,
  continuedAfterResult,
  type Digest,
  emptyDigest,
  figuresOf,
  fold,
} from '../../../src/domain/run/digest.ts'
import { type CoderEvent, USAGE_FIELDS, type Usage } from '../../../src/domain/run/event.ts'
import { NO_FIGURES } from '../../../src/domain/run/run.ts'

function digestOf(events: readonly CoderEvent[]): Digest {
  const digest = emptyDigest()
  for (const event of events) fold(digest, event, 7)
  return digest
}

const message = (id: string, usage: Usage, more = {}): CoderEvent => ({ type: 'usage', message: id, usage, ...more })
const sinceLast = (usage: Usage, more = {}): CoderEvent => ({ type: 'total', covers: 'since-last', usage, ...more })

test('without events nothing is known', () => {
  expect(figuresOf(emptyDigest())).toEqual(NO_FIGURES)
})

test('if a message is reported several times, the last report counts', () => {
  const digest = digestOf([
    message('a', { input: 10, output: 1 }),
    message('b', { input: 20, output: 2 }),
    message('a', { input: 10, output: 50 }),
  ])
  expect(figuresOf(digest)).toEqual({
    ...NO_FIGURES,
    usage: { input: 30, output: 52 },
    contextNow: 10,
    contextPeak: 20,
    events: 3,
    lastEventAt: 7,
  })
})

test('a total replaces the messages it covers, and later messages are added to it', () => {
  const upTo = digestOf([message('a', { input: 10 }), sinceLast({ input: 11, output: 5 })])
  expect(figuresOf(upTo)).toMatchObject({ usage: { input: 11, output: 5 }, estimated: false })
  fold(upTo, message('b', { input: 3 }), 8)
  expect(figuresOf(upTo)).toMatchObject({ usage: { input: 14, output: 5 }, estimated: true })
  fold(upTo, sinceLast({ input: 4, output: 1 }), 9)
  expect(figuresOf(upTo)).toMatchObject({ usage: { input: 15, output: 6 }, estimated: false, lastEventAt: 9 })
})

test('a total of the whole run replaces the previous one', () => {
  const total = (input: number): CoderEvent => ({ type: 'total', covers: 'run', usage: { input }, costUsd: input })
  expect(figuresOf(digestOf([total(10), total(25)]))).toMatchObject({ usage: { input: 25 }, costUsd: 25 })
})

const session = (usage: Usage): CoderEvent => ({ type: 'total', covers: 'session', usage })
const earlier = (usage: Usage): CoderEvent => ({ type: 'total', covers: 'earlier', usage })

test('this run used the session total minus that of earlier runs, in whatever order they are reported', () => {
  const events = [
    earlier({ input: 20, output: 2 }),
    message('a', { input: 4, output: 1 }),
    session({ input: 30, output: 3 }),
    message('b', { input: 6, output: 0 }),
  ]
  fc.assert(
    fc.property(fc.shuffledSubarray(events, { minLength: events.length }), (told) => {
      expect(figuresOf(digestOf(told))).toMatchObject({ usage: { input: 10, output: 1 }, estimated: false })
    }),
  )
})

test('the usage of a new session is the usage of this run', () => {
  const digest = digestOf([session({ input: 30 })])
  expect(figuresOf(digest, { earlierUsage: {} })).toMatchObject({ usage: { input: 30 }, estimated: false })
  fold(digest, earlier({ input: 10 }), 8)
  expect(figuresOf(digest, { earlierUsage: {} })).toMatchObject({ usage: { input: 20 } })
})

test('if the earlier usage of the session is unknown, the messages of this run are the estimate', () => {
  const digest = digestOf([session({ input: 30 })])
  expect(figuresOf(digest)).toMatchObject({ usage: { input: 30 }, estimated: true })
  fold(digest, message('a', { input: 4 }), 8)
  expect(figuresOf(digest)).toMatchObject({ usage: { input: 4 }, estimated: true })
})

test('messages after the last session total count, as an estimate', () => {
  const digest = digestOf([
    earlier({}),
    session({ input: 10 }),
    message('a', { input: 10 }),
    message('b', { input: 5 }),
  ])
  expect(figuresOf(digest)).toMatchObject({ usage: { input: 15 }, estimated: true })
})

test('usage is never negative, even if a session reports less than before', () => {
  const digest = digestOf([earlier({ input: 20 }), session({ input: 5 })])
  expect(figuresOf(digest)).toMatchObject({ usage: { input: 0 }, estimated: false })
})

test('figures are an estimate while a step is open, whatever totals were reported', () => {
  const digest = digestOf([
    { type: 'session', id: 's', model: 'asked', step: true },
    sinceLast({ input: 1 }, { model: 'served' }),
  ])
  expect(figuresOf(digest)).toMatchObject({ estimated: true, servedModel: 'served' })
  fold(digest, { type: 'result', ok: true }, 8)
  expect([digest.stepOpen, figuresOf(digest).estimated]).toEqual([false, false])
  fold(digest, { type: 'session', id: 's', step: true }, 9)
  expect([digest.stepOpen, digest.result?.ok, figuresOf(digest).estimated]).toEqual([true, true, true])
})

test('text or tool calls after a result begin a new turn; hooks and notices do not', () => {
  const ended = (...events: CoderEvent[]) => continuedAfterResult(digestOf([{ type: 'result', ok: true }, ...events]))
  const call: CoderEvent = { type: 'tool-started', id: '1', name: 'Bash', kind: 'shell' }
  const turns: readonly CoderEvent[][] = [
    [{ type: 'session', id: 's', step: true }],
    [{ type: 'text', text: 'and now' }],
    [call],
  ]
  expect(turns.map((events) => ended(...events))).toEqual([true, true, true])
  expect(turns.map((events) => ended(...events, { type: 'result', ok: true }))).toEqual([false, false, false])
  expect(turns.map((events) => continuedAfterResult(digestOf(events)))).toEqual([false, false, false])
  const beside: readonly CoderEvent[] = [
    { type: 'session', id: 's' },
    { type: 'text', text: 'its', subagent: true },
    call,
    { type: 'tool-ended', id: '1', failed: false },
    message('a', { input: 1 }),
    sinceLast({ input: 1 }),
    { type: 'window', tokens: 1 },
    { type: 'limit', status: 'allowed' },
    { type: 'background', pending: 0 },
    { type: 'denied', tool: 'Bash' },
    { type: 'compacted' },
    { type: 'notice', name: 'hook_response' },
    { type: 'unknown', raw: '{}' },
  ]
  expect(ended(...beside)).toBe(false)
})

test('a total of zero does not replace messages with usage', () => {
  const digest = digestOf([message('a', { input: 10 }), sinceLast({ input: 0 }, { costUsd: 0, costCovers: 'session' })])
  expect(figuresOf(digest)).toMatchObject({ usage: { input: 10 }, costUsd: null, estimated: true })
})

test('the cost of a session before this run is not part of the cost of this run', () => {
  const digest = digestOf([sinceLast({ input: 1 }, { costUsd: 5, costCovers: 'session' })])
  expect(figuresOf(digest, { sessionCostUsd: 3 }).costUsd).toBe(2)
  expect(figuresOf(digest).costUsd).toBe(5)
})

test("a sub-agent's tokens count, but its context, model and text are not the session's", () => {
  const digest = digestOf([
    message('a', { input: 10, cacheRead: 5, cacheWrite: 2, output: 9 }, { model: 'big' }),
    message('b', { input: 1000 }, { subagent: true, model: 'small' }),
    { type: 'text', text: 'mine' },
    { type: 'text', text: 'its', subagent: true },
  ])
  expect(figuresOf(digest)).toMatchObject({
    usage: { input: 1010, cacheRead: 5, cacheWrite: 2, output: 9 },
    contextNow: 17,
    contextPeak: 17,
    servedModel: 'big',
  })
  expect(digest.lastText).toBe('mine')
})

test("the answering model's window counts; another model's window is only used if there is none", () => {
  const window = (tokens: number, model?: string): CoderEvent =>
    model === undefined ? { type: 'window', tokens } : { type: 'window', tokens, model }
  const served = message('a', { input: 1 }, { model: 'big' })
  const windowOf = (...events: CoderEvent[]): number | null =>
    figuresOf(digestOf(events), { contextWindow: 5 }).contextWindow
  expect(windowOf(served)).toBe(5)
  expect(windowOf(served, window(200, 'small'))).toBe(200)
  expect(windowOf(served, window(200, 'small'), window(1000, 'big'))).toBe(1000)
  expect(windowOf(served, window(1000, 'big'), window(200, 'small'))).toBe(1000)
  expect(windowOf(served, window(1000, 'big'), window(300))).toBe(300)
})

test('a tool is open from its call to its answer, and the oldest open one is shown', () => {
  const start = (id: string, name: string, detail?: string): CoderEvent => ({
    type: 'tool-started',
    id,
    name,
    kind: 'shell',
    ...(detail === undefined ? {} : { detail }),
  })
  const digest = digestOf([start('1', 'Bash', 'make'), start('2', 'Read'), start('1', 'Bash', 'make')])
  expect(figuresOf(digest)).toMatchObject({ openTool: 'Bash: make', toolCalls: 2 })
  fold(digest, { type: 'tool-ended', id: '1', failed: false }, 8)
  expect(figuresOf(digest)).toMatchObject({ openTool: 'Read' })
  fold(digest, { type: 'result', ok: true }, 9)
  expect(figuresOf(digest)).toMatchObject({ openTool: null, toolCalls: 2 })
})

test('the last of several results counts', () => {
  const digest = digestOf([
    { type: 'result', ok: false, trouble: { code: 'error', text: 'no' } },
    { type: 'result', ok: true, text: 'yes' },
  ])
  expect({ result: digest.result, results: digest.results }).toEqual({
    result: { type: 'result', ok: true, text: 'yes' },
    results: 2,
  })
})

test('a retry and a trouble are forgotten once the model answers again', () => {
  const trouble = { code: 'overload', text: '529' } as const
  const digest = digestOf([
    { type: 'retrying', why: trouble, attempt: 1 },
    { type: 'trouble', trouble },
  ])
  expect([digest.retrying, digest.trouble]).toEqual([trouble, trouble])
  fold(digest, message('a', { input: 1 }), 8)
  expect([digest.retrying, digest.trouble]).toEqual([undefined, undefined])
})

test('usage from a sidecar adds nothing to a total, whichever comes first, and ends no trouble', () => {
  const trouble = { code: 'error', text: 'Loop detected' } as const
  const total: CoderEvent = { type: 'total', covers: 'run', usage: { input: 12, output: 5 } }
  const events: readonly CoderEvent[] = [
    message('a', { input: 4, output: 1 }, { aside: true }),
    message('b', { input: 6, output: 1 }, { aside: true }),
    { type: 'trouble', trouble },
  ]
  const before = digestOf(events)
  expect(figuresOf(before)).toMatchObject({ usage: { input: 10, output: 2 }, contextNow: 6, estimated: true })
  fc.assert(
    fc.property(fc.shuffledSubarray([...events, total], { minLength: 4 }), (told) => {
      const digest = digestOf(told)
      expect(figuresOf(digest)).toMatchObject({
        usage: { input: 12, output: 5 },
        contextPeak: 6,
        estimated: false,
      })
      expect(digest.trouble).toEqual(trouble)
    }),
  )
})

test('a denied call counts once, however often it is reported', () => {
  const denied = (id?: string): CoderEvent => ({ type: 'denied', tool: 'Bash', ...(id === undefined ? {} : { id }) })
  expect(digestOf([denied('a'), denied('a'), denied('b'), denied(), denied()]).denied).toBe(4)
})

test('an endless stream uses bounded memory and loses no tokens', () => {
  const digest = emptyDigest()
  const many = 5 * COLLECTION_LIMIT
  for (let i = 0; i < many; i++) {
    fold(digest, message(`m${i}`, { input: 1 }), i)
    fold(digest, message(`m${i}`, { input: 2 }), i)
    fold(digest, { type: 'tool-started', id: `t${i}`, name: 'Bash', kind: 'shell' }, i)
    fold(digest, { type: 'denied', tool: 'Bash', id: `d${i}` }, i)
  }
  const kept = [digest.messages, digest.olderMessages, digest.openTools, digest.deniedCalls].map((each) => each.size)
  expect(Math.max(...kept)).toBeLessThanOrEqual(COLLECTION_LIMIT)
  expect(figuresOf(digest)).toMatchObject({ usage: { input: 2 * many }, toolCalls: many })
})

test('usage is the sum of the last report of each message, in any order', () => {
  const usage = fc.record(
    Object.fromEntries(USAGE_FIELDS.map((field) => [field, fc.nat(1e6)])) as Record<keyof Usage, fc.Arbitrary<number>>,
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), usage), { maxLength: 30 }), (told) => {
      const last = new Map(told)
      const digest = digestOf(told.map(([id, each]) => message(id, each)))
      for (const field of USAGE_FIELDS) {
        const values = [...last.values()].flatMap((each) => each[field] ?? [])
        const known = told.some(([, each]) => each[field] !== undefined)
        expect(figuresOf(digest).usage[field]).toBe(known ? values.reduce((sum, value) => sum + value, 0) : undefined)
      }
    }),
  )
})

test('a trouble without a cause does not hide one with a cause', () => {
  const said = (code: 'error' | 'network' | 'login', text: string): CoderEvent => ({
    type: 'trouble',
    trouble: { code, text },
  })
  const trouble = (...events: CoderEvent[]) => digestOf(events).trouble?.text
  expect(trouble(said('network', 'timed out'), said('error', 'failed'))).toBe('timed out')
  expect(trouble(said('error', 'failed'), said('error', 'failed again'))).toBe('failed again')
  expect(trouble(said('network', 'timed out'), said('login', 'no key'))).toBe('no key')
  expect(trouble(said('network', 'timed out'), message('a', { input: 1 }), said('error', 'failed'))).toBe('failed')
})
