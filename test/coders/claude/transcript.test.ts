import fc from 'fast-check'
import { expect, test } from 'vitest'
import { transcriptPlace, transcriptReader } from '../../../src/coders/claude/transcript.ts'
import { emptyDigest, figuresOf, fold } from '../../../src/domain/run/digest.ts'
import type { CoderEvent } from '../../../src/domain/run/event.ts'
import { twistedLines } from '../../support/odd-lines.ts'

const STARTED = Date.parse('2026-11-15T12:00:00Z')
const RUN = { session: '8d6493fc', startedAt: STARTED, cwd: '/home/dev/my_project.x', env: { HOME: '/home/dev' } }

const record = (id: string, output: number, more: object = {}): string =>
  JSON.stringify({
    type: 'assistant',
    timestamp: '2026-11-15T12:00:05.000Z',
    message: { id, model: 'claude-opus-5-5', usage: { input_tokens: 12, output_tokens: output } },
    ...more,
  })

test('the transcript is in a folder named after the directory, where claude keeps its files', () => {
  const folders = ['/home/dev/.claude/projects/-home-dev-my-project-x']
  expect(transcriptPlace(RUN)).toEqual({ folders, nameEnd: '8d6493fc.jsonl' })
  const moved = transcriptPlace({ ...RUN, env: { HOME: '/home/dev', CLAUDE_CONFIG_DIR: '/account' } })
  expect(moved?.folders).toEqual(['/account/projects/-home-dev-my-project-x'])
  expect(transcriptPlace({ ...RUN, env: {} })).toBeUndefined()
})

test('only answers of this run are read, the last record of each message last', () => {
  const read = transcriptReader(RUN)
  const lines = [
    record('m0', 99, { timestamp: '2026-11-15T11:00:00Z' }),
    JSON.stringify({ type: 'user', timestamp: '2026-11-15T12:00:01Z', message: { content: '"output_tokens"' } }),
    record('m1', 1),
    record('m1', 40),
    record('m2', 41, { isSidechain: true }),
    record('m3', 5, { message: { id: 'm3', model: '<synthetic>', usage: { output_tokens: 5 } } }),
  ]
  const usage = (message: string, output: number) => ({
    type: 'usage',
    message,
    usage: { input: 12, output },
    model: 'claude-opus-5-5',
    aside: true,
  })
  expect(lines.flatMap((line) => read(line))).toEqual([
    usage('m1', 1),
    usage('m1', 40),
    { ...usage('m2', 41), subagent: true },
  ])
})

test('no line makes it throw', () => {
  const lines = [record('m1', 1), record('m2', 2, { isSidechain: true })]
  fc.assert(
    fc.property(twistedLines(lines, ['type']), (line) => {
      for (const event of transcriptReader(RUN)(line)) expect(event.type).toBe('usage')
    }),
  )
})

const STDOUT: readonly CoderEvent[] = [
  { type: 'usage', message: 'm1', usage: { input: 12, output: 1 } },
  { type: 'usage', message: 'm1', usage: { input: 12, output: 1 } },
  { type: 'usage', message: 'm2', usage: { input: 13, output: 1 } },
]
const ASIDE: readonly CoderEvent[] = [
  { type: 'usage', message: 'm1', usage: { input: 12, output: 40 }, aside: true },
  { type: 'usage', message: 'm2', usage: { input: 13, output: 41 }, aside: true },
]

test('however stdout and transcript interleave, each message counts once, with its whole output', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([0, 0, 0, 1, 1], { minLength: 5 }), (order) => {
      const left = [[...STDOUT], [...ASIDE]]
      const digest = emptyDigest()
      for (const which of order) {
        const event = left[which]?.shift()
        if (event !== undefined) fold(digest, event, STARTED)
      }
      expect(figuresOf(digest).usage).toEqual({ input: 25, output: 81 })
    }),
  )
})

test('a total that covers the messages is not added to, whenever the transcript is read', () => {
  const total: CoderEvent = { type: 'total', covers: 'since-last', usage: { input: 25, output: 81 } }
  for (const events of [
    [...STDOUT, ...ASIDE, total],
    [...STDOUT, total, ...ASIDE],
    [...ASIDE, ...STDOUT, total],
  ]) {
    const digest = emptyDigest()
    for (const event of events) fold(digest, event, STARTED)
    expect(figuresOf(digest)).toMatchObject({ usage: { input: 25, output: 81 }, estimated: false })
  }
})
