import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkedEvent } from '../../../src/coders/user/checked-event.ts'
import { coderOfModule } from '../../../src/coders/user/module.ts'
import { emptyDigest, figuresOf, fold } from '../../../src/domain/run/digest.ts'
import type { CoderEvent } from '../../../src/domain/run/event.ts'
import { RULES } from '../../../src/domain/run/outcome.ts'
import type { Order } from '../../../src/ports/coder.ts'
import { EVENTS } from '../../docs/events-reference.ts'
import { ORDER as USUAL } from '../../support/order.ts'

const SOURCE = { name: 'mine', file: '/home/you/.fleet/coders/mine.mjs' }
const traits = { claim: 'explicit', evidence: 'work', resume: false, stream: 'json' }
const GOOD = {
  name: 'mine',
  binary: 'my-agent',
  traits,
  launch: () => ({ args: ['a'], stdin: 'prompt', env: { X: '1' } }),
  parse: (line: string) => [{ type: 'text', text: line }],
  verdict: () => ({ kind: 'finished' }),
}
const ORDER: Order = { ...USUAL, newSession: 'new-1' }

test('the export of a file becomes a coder', () => {
  const coder = coderOfModule(GOOD, SOURCE)
  expect(coder).toMatchObject({ name: 'mine', binary: 'my-agent', traits })
  expect(coder.launch(ORDER)).toEqual({ args: ['a'], stdin: 'prompt', env: { X: '1' }, files: {} })
  expect(coder.parse('x')).toEqual([{ type: 'text', text: 'x' }])
  expect(coder.verdict({ kind: 'unknown' }, emptyDigest(), '')).toEqual({ kind: 'finished' })
})

test('it may ask for files beside its prompt, know windows and name payers', () => {
  const files = { 'policy.toml': 'x = 1' }
  const coder = coderOfModule(
    {
      ...GOOD,
      launch: () => ({ ...GOOD.launch(), files }),
      windowOf: (model: string) => (model === 'big' ? 1000 : 'many'),
      payers: { KEY: 'KEY', ODD: 7 },
    },
    SOURCE,
  )
  expect(coder.launch(ORDER)).toMatchObject({ files })
  expect([coder.windowOf?.('big'), coder.windowOf?.('small'), coder.payers]).toEqual([1000, undefined, { KEY: 'KEY' }])
})

test('it may have a read-only mode', () => {
  const launchReviewer = ({ model }: { model?: string }) => ({
    args: ['--read-only', `--model=${model}`],
    env: { Y: '1' },
  })
  const coder = coderOfModule({ ...GOOD, launchReviewer }, SOURCE)
  expect(coder.launchReviewer?.({ model: 'm', servers: [] })).toEqual({
    args: ['--read-only', '--model=m'],
    env: { Y: '1' },
  })
  const wrong = coderOfModule({ ...GOOD, launchReviewer: () => ({ env: {} }) }, SOURCE)
  expect(() => wrong.launchReviewer?.({ model: 'm', servers: [] })).toThrow(
    'mine.mjs: launchReviewer: launch gave no args, a list of words',
  )
})

test('it may have a sidecar, and be another coder in another version', () => {
  const run = { session: 's-1', startedAt: 5, cwd: '/project', env: { HOME: '/home/you' } }
  const coder = coderOfModule(
    {
      ...GOOD,
      sidecar: {
        place: ({ session, env }: typeof run) => ({
          folders: [`${env.HOME}/.mine`],
          inEach: 'logs',
          nameEnd: `${session}.log`,
        }),
        reader: ({ session }: typeof run) => {
          let told = 0
          return (line: string) => [
            { type: 'usage', message: `${session}/${++told}`, usage: { input: Number(line) }, aside: true },
          ]
        },
      },
      forVersion: (version: string) => ({ ...GOOD, binary: `/opt/${version}/my-agent` }),
    },
    SOURCE,
  )
  expect(coder.sidecar?.place(run)).toEqual({ folders: ['/home/you/.mine'], inEach: 'logs', nameEnd: 's-1.log' })
  const read = coder.sidecar?.reader(run)
  expect([read?.('7'), read?.('8')]).toEqual([
    [{ type: 'usage', message: 's-1/1', usage: { input: 7 }, aside: true }],
    [{ type: 'usage', message: 's-1/2', usage: { input: 8 }, aside: true }],
  ])
  expect(coder.forVersion?.('2')).toMatchObject({ name: 'mine', binary: '/opt/2/my-agent' })
})

test.each([
  '../x',
  'a/b',
  '.hidden',
  'exit.json',
  'exit.json.pid',
  'launch.json',
  'stdout.jsonl',
  'inbox',
  'stdin',
  '',
])('a file %j is fleet’s own or stands elsewhere, and is refused', (name) => {
  const coder = coderOfModule({ ...GOOD, launch: () => ({ ...GOOD.launch(), files: { [name]: 'x' } }) }, SOURCE)
  expect(() => coder.launch(ORDER)).toThrow('that cannot stand beside its prompt')
})

test('a coder made by a class keeps its own fields', () => {
  class Mine {
    name = 'mine'
    binary = 'my-agent'
    traits = traits
    #word = 'hello'
    launch = GOOD.launch
    verdict = GOOD.verdict
    parse() {
      return [{ type: 'text', text: this.#word }]
    }
  }
  expect(coderOfModule(new Mine(), SOURCE).parse('x')).toEqual([{ type: 'text', text: 'hello' }])
})

test.each<[unknown, string]>([
  [undefined, 'has no default export that is a coder'],
  [() => GOOD, 'has no default export that is a coder'],
  [{ ...GOOD, name: undefined }, 'has no name, expected the name of its file'],
  [{ ...GOOD, name: 'yours' }, 'has a wrong name, expected the name of its file'],
  [{ ...GOOD, binary: './x' }, 'has a wrong binary, expected a program on PATH or an absolute path'],
  [{ ...GOOD, traits: undefined }, 'has no traits, expected an object'],
  [{ ...GOOD, traits: { ...traits, claim: 'often' } }, 'has a wrong traits.claim, expected explicit or exit'],
  [{ ...GOOD, traits: { ...traits, stream: undefined } }, 'has no traits.stream, expected json or text'],
  [{ ...GOOD, traits: { ...traits, contextWindow: '1' } }, 'has a wrong traits.contextWindow, expected a number'],
  [{ ...GOOD, launch: 1 }, 'has a wrong launch, expected a function'],
  [{ ...GOOD, parse: undefined }, 'has no parse, expected a function'],
  [{ ...GOOD, verdict: undefined }, 'has no verdict, expected a function'],
  [{ ...GOOD, windowOf: 7 }, 'has a wrong windowOf, expected a function of a model, or nothing'],
  [{ ...GOOD, payers: 'me' }, 'has a wrong payers, expected an object, or nothing'],
  [{ ...GOOD, forVersion: '2' }, 'has a wrong forVersion, expected a function of a version, or nothing'],
  [{ ...GOOD, sidecar: { place: () => ({}) } }, 'has a wrong sidecar, expected an object with the functions place and'],
])('%# a missing or wrong member is named, with its file', (exported, words) => {
  expect(() => coderOfModule(exported, SOURCE)).toThrow(`${SOURCE.file} ${words}`)
})

describe('a mistake in it costs only itself', () => {
  const made = (members: object) => coderOfModule({ ...GOOD, ...members }, SOURCE)
  const fail = (): never => {
    throw new Error('oh no')
  }

  test.each<[string, () => unknown, unknown]>([
    ['a parse that throws', fail, `${SOURCE.file}: parse failed (oh no): a line`],
    ['a parse that is late', async () => [], `${SOURCE.file}: parse gave no list: a line`],
    ['a parse that makes something else', () => [null], `${SOURCE.file}: parse gave no event: a line`],
    ['an event nobody knows', () => [{ type: 'constructor' }], `${SOURCE.file}: parse gave no event: a line`],
  ])('%s gives an unknown event', (_what, parse, raw) => {
    expect(made({ parse }).parse('a line')).toEqual([{ type: 'unknown', raw }])
  })

  test.each<[string, () => unknown, string]>([
    ['a verdict that throws', fail, 'verdict failed (oh no)'],
    ['a verdict of another kind', () => 'fine', 'verdict gave none that fleet knows'],
    [
      'a failure that says it is done',
      () => ({ kind: 'failed', outcome: { code: 'done', text: '' } }),
      'verdict gave none that fleet knows',
    ],
  ])('%s is an error', (_what, verdict, why) => {
    expect(made({ verdict }).verdict({ kind: 'unknown' }, emptyDigest(), '')).toEqual({
      kind: 'failed',
      outcome: { code: 'error', text: `${SOURCE.file}: ${why}` },
    })
  })

  const run = { session: 's', startedAt: 0, cwd: '/project', env: {} }

  test.each<[string, () => unknown]>([
    ['throws', fail],
    ['is nowhere', () => undefined],
    ['is relative', () => ({ folders: ['logs'], nameEnd: 'x' })],
    ['leaves its folder', () => ({ folders: ['/logs'], nameEnd: '/../x' })],
    ['leaves the folders in it', () => ({ folders: ['/logs'], inEach: '..', nameEnd: 'x' })],
    ['is no list', () => ({ folders: '/logs', nameEnd: 'x' })],
    ['has no name', () => ({ folders: ['/logs'], nameEnd: '' })],
  ])('a place of its sidecar that %s is none', (_what, place) => {
    expect(made({ sidecar: { place, reader: () => () => [] } }).sidecar?.place(run)).toBeUndefined()
  })

  test.each<[string, () => unknown, string]>([
    ['cannot be made', fail, 'failed (oh no)'],
    ['fails', () => fail, 'failed (oh no)'],
    ['is none', () => undefined, 'failed (read is not a function)'],
    ['makes something else', () => () => [7], 'gave no event'],
  ])('a reader of its sidecar that %s gives unknown events', (_what, reader, why) => {
    const read = made({ sidecar: { place: () => undefined, reader } }).sidecar?.reader(run)
    const raw = `${SOURCE.file}: sidecar.reader ${why}: a line`
    expect([read?.('a line'), read?.('a line')]).toEqual([[{ type: 'unknown', raw }], [{ type: 'unknown', raw }]])
  })

  test('a version of it that is no coder is refused, with its file', () => {
    expect(() => made({ forVersion: fail }).forVersion?.('1')).toThrow(
      `${SOURCE.file} has a forVersion that failed (oh no)`,
    )
    expect(() => made({ forVersion: () => undefined }).forVersion?.('1')).toThrow('has a forVersion that gave no coder')
    expect(() => made({ forVersion: () => ({ ...GOOD, parse: 1 }) }).forVersion?.('1')).toThrow('has a wrong parse')
  })

  test('its verdict cannot close a task or speak for a person', () => {
    const given = Object.keys(RULES).filter((code) => {
      const verdict = () => ({ kind: 'failed', outcome: { code, text: 'x', resetsAt: 5 } })
      const judged = made({ verdict }).verdict({ kind: 'unknown' }, emptyDigest(), '')
      return judged.kind === 'failed' && judged.outcome.code === code
    })
    expect(given.sort()).toEqual(
      [
        ...['error', 'lost', 'stalled', 'wall-clock', 'no-session', 'context-full', 'usage-limit', 'overload'],
        ...['network', 'login', 'billing', 'bad-model', 'bad-flag', 'budget', 'denied', 'interrupted'],
      ].sort(),
    )
  })

  test.each<[() => unknown, string]>([
    [() => undefined, 'launch gave no args, a list of words'],
    [() => ({ args: [1], stdin: 'closed', env: {} }), 'launch gave no args, a list of words'],
    [() => ({ args: [], env: {} }), 'launch gave no stdin, prompt or closed'],
    [() => ({ args: [], stdin: 'closed' }), 'launch gave no env, an object'],
    [() => ({ args: [], stdin: 'closed', env: { A: 1 } }), 'launch gave an env that is not all texts'],
    [fail, 'oh no'],
  ])('%# a launch that is none is not started', (launch, words) => {
    expect(() => made({ launch }).launch(ORDER)).toThrow(words)
  })
})

test('every kind of event passes as it is', () => {
  const examples = Object.values(EVENTS).map(({ example }) => example)
  const step = { type: 'session', id: 'x-1', step: true }
  expect(checkedEvent(step)).toEqual(step)
  expect(examples.map((example) => checkedEvent({ ...example, ...('id' in example ? { id: 'x-1' } : {}) }))).toEqual(
    examples.map((example) => ({ ...example, ...('id' in example ? { id: 'x-1' } : {}) })),
  )
})

test.each<CoderEvent>([
  { type: 'session', id: 'x-1', step: true },
  { type: 'total', covers: 'run', usage: { input: 5 } },
  { type: 'total', covers: 'since-last', usage: { input: 5 }, costUsd: 1, costCovers: 'session' },
  { type: 'total', covers: 'session', usage: { input: 5 }, model: 'large' },
  { type: 'total', covers: 'earlier', usage: { input: 5 } },
])('nothing that an event may say is lost: %j', (event) => {
  expect(checkedEvent(event)).toEqual(event)
})

test('a total with an unknown scope is no total', () => {
  expect(checkedEvent({ type: 'total', covers: 'sesion', usage: { input: 5 } })).toBeUndefined()
})

test('any value in the place of an event can be counted', () => {
  const type = fc.constantFrom(...Object.keys(EVENTS))
  const field = fc.constantFrom('id', 'name', 'text', 'usage', 'message', 'tokens', 'pending', 'why', 'ok', 'covers')
  const event = fc.tuple(type, fc.dictionary(field, fc.jsonValue())).map(([name, more]) => ({ ...more, type: name }))
  fc.assert(
    fc.property(fc.oneof(event, fc.anything()), (made) => {
      const checked = checkedEvent(made)
      if (checked === undefined) return
      const digest = emptyDigest()
      fold(digest, checked, 1)
      expect(typeof digest.lastText).toBe('string')
      for (const amount of Object.values(figuresOf(digest).usage)) expect(amount).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 1000 },
  )
})
