import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Loop, loopOf } from '../../../../src/domain/run/diagnosis/loop.ts'
import { countRepeat, noRepeats } from '../../../../src/domain/run/diagnosis/repeats.ts'
import type { CoderEvent, ToolKind } from '../../../../src/domain/run/event.ts'

const MINUTE = 60_000

interface Call {
  readonly name?: string
  readonly kind?: ToolKind
  readonly args: string
  readonly result: string
  readonly failed?: boolean
  readonly parent?: string
}

let ids = 0

function events({ name = 'Bash', kind = 'shell', args, result, failed = false, parent }: Call): CoderEvent[] {
  const id = `call-${++ids}`
  return [
    { type: 'tool-started', id, name, kind, detail: args, print: args, ...(parent && { parent }) },
    { type: 'tool-ended', id, failed, print: result },
  ]
}

/** The loop that these events show at their end or before, if each comes so much later than the one before. */
function found(
  all: readonly CoderEvent[],
  { every = 100, unpaced = false, hasBackground = false } = {},
): Loop | undefined {
  const repeats = noRepeats()
  let at = 0
  for (const event of all) {
    countRepeat(repeats, event, at)
    at += every
    const loop = loopOf(repeats, { idle: 10 * MINUTE, unpaced, hasBackground })
    if (loop !== undefined) return loop
  }
  return undefined
}

const times = <T>(many: number, make: (n: number) => readonly T[]): T[] =>
  Array.from({ length: many }, (_, n) => make(n)).flat()
const same = (): CoderEvent[] => events({ args: 'npm test', result: 'one test fails', failed: true })

test('the same call with the same result is a loop after 25 times', () => {
  expect(found(times(24, same))).toBe(undefined)
  expect(found(times(25, same))).toEqual({
    text: 'made 24 calls in a row that it had made before, with the same results: Bash "npm test" ×24',
    sequence: Array.from({ length: 16 }, () => 'Bash "npm test"'),
  })
})

test('calls in rotation, in whatever order, are a loop that is found within a few rounds', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(19), { minLength: 1, maxLength: 20 }), (order) => {
      const rounds = Math.ceil(40 / order.length) + 4
      const loop = found(
        times(rounds, () => order.flatMap((n) => events({ args: `look ${n}`, result: 'nothing new' }))),
      )
      expect(loop?.text).toMatch(/^made \d+ calls in a row that it had made before, with the same results: /)
    }),
  )
})

test.each<[string, CoderEvent[], { every?: number; unpaced?: boolean; hasBackground?: boolean }]>([
  ['a flaky command that is tried ten times', times(11, same), {}],
  [
    'the same command with other results',
    times(300, (n) => events({ args: 'npm test', result: `${n} tests fail` })),
    {},
  ],
  ['a cycle of test and fix', times(100, (n) => [...same(), ...edit(`fix ${n}`)]), {}],
  [
    'files that are read again in other places',
    times(200, (n) => events({ name: 'Read', args: `a.ts from ${n}`, result: 'x' })),
    {},
  ],
  ['many files that are read a second time', times(200, (n) => events({ args: `file ${n % 100}`, result: 'x' })), {}],
  [
    'everything read again after the session was made shorter',
    times(20, (n) => (n % 4 === 3 ? [{ type: 'compacted' }] : times(8, same))),
    {},
  ],
  ['a server that is asked twice a minute for twenty minutes', times(40, same), { every: 15_000 }],
  [
    'sub-agents that begin alike',
    times(100, (n) => events({ args: 'ls', result: 'x', parent: `agent-${n % 50}` })),
    {},
  ],
  ['calls whose arguments are not known', times(100, () => [call('a'), ended('a', 'x')]), {}],
  ['calls of an adopted run, whose times are not known', times(50, same), { every: 0, unpaced: true }],
  ['an agent that asks after its background work', times(190, same), { hasBackground: true }],
  [
    'an agent that thinks for an hour',
    times(1000, () => [{ type: 'notice', name: 'thinking_tokens' }]),
    { every: 3600 },
  ],
  ['a call that takes long and tells its progress', [call('b'), ...times(1000, () => [status()])], { every: 3600 }],
  ['lines that fleet does not know', times(1000, () => [{ type: 'unknown', raw: '{}' }]), { every: 3600 }],
  ['status lines for some minutes', times(500, () => [status()]), { every: 1000 }],
  [
    'a text that is said now and then',
    times(100, (n) => [text('I run the tests.'), ...events({ args: `${n}`, result: 'x' })]),
    {},
  ],
])('%s: no loop', (_, all, how) => {
  expect(found(all, how)).toBe(undefined)
})

test.each<[string, CoderEvent[], { every?: number; unpaced?: boolean; hasBackground?: boolean }, string]>([
  ['a server that is asked for ever', times(70, same), { every: 15_000 }, 'made 60 calls in a row'],
  ['an edit to and fro', times(40, (n) => [...same(), ...edit(n % 2 ? 'a' : 'b')]), {}, 'made 60 calls in a row'],
  ['an agent that asks after it for ever', times(210, same), { hasBackground: true }, 'made 200 calls in a row'],
  ['calls of an adopted run', times(70, same), { every: 0, unpaced: true }, 'made 60 calls in a row'],
  ['the same words', times(50, () => [text('I am waiting.')]), {}, 'said the same 40 times: "I am waiting."'],
  ['words in turn', times(50, (n) => [text(n % 2 ? 'Waiting.' : 'Still.')]), {}, 'said the same 40 times: '],
  [
    'status lines without end',
    times(1000, () => [status()]),
    { every: 1000 },
    'status lines in 10m, and nothing else: "status"',
  ],
])('%s: a loop', (_, all, how, words) => {
  expect(found(all, how)?.text).toContain(words)
})

test('calls of any kind use bounded memory', () => {
  const repeats = noRepeats()
  for (let n = 0; n < 5000; n++) {
    for (const event of events({ args: `${n}`, result: 'x' })) countRepeat(repeats, event, n)
    countRepeat(repeats, call(`open ${n}`), n)
    countRepeat(repeats, text(`${n}`), n)
  }
  const sizes = [repeats.open.size, repeats.seen.size, repeats.texts.size, repeats.streak.counts.size]
  expect(sizes.every((size) => size <= 1000)).toBe(true)
})

function edit(args: string): CoderEvent[] {
  return events({ name: 'Edit', kind: 'edit', args, result: 'changed' })
}

function call(id: string): CoderEvent {
  return { type: 'tool-started', id, name: 'Bash', kind: 'shell' }
}

function ended(id: string, print: string): CoderEvent {
  return { type: 'tool-ended', id, failed: false, print }
}

function text(words: string): CoderEvent {
  return { type: 'text', text: words }
}

function status(): CoderEvent {
  return { type: 'notice', name: 'status' }
}
