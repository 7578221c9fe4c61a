import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chatReader } from '../../../src/coders/gemini/chat.ts'
import { gemini } from '../../../src/coders/gemini/coder.ts'
import { chatPlace } from '../../../src/coders/gemini/session-files.ts'
import { emptyDigest, figuresOf, fold } from '../../../src/domain/run/digest.ts'
import type { CoderEvent } from '../../../src/domain/run/event.ts'
import { type Recording, streamsOf } from '../../support/coder-streams.ts'
import { CHATS, type Chat } from '../../support/gemini-chats.ts'
import { brokenLines, twistedLines } from '../../support/odd-lines.ts'

const { linesOf, stderrOf } = streamsOf(gemini)

const chatLines = ({ file, lines }: Chat): readonly string[] => linesOf(`chats/${file}`).slice(0, lines)

function chatEvents(chat: Chat, lines = chatLines(chat)): readonly CoderEvent[] {
  const session = chat.recording.figures.session as string
  const read = chatReader({ session, startedAt: Date.parse(chat.startedAt), cwd: '/project', env: {} })
  return lines.flatMap(read)
}

const stdoutEvents = (name: string): readonly CoderEvent[] => linesOf(name).flatMap((line) => gemini.parse(line))

function digestOf(events: readonly CoderEvent[]) {
  const digest = emptyDigest()
  for (const event of events) fold(digest, event, 7)
  return digest
}

function shownBy(name: string, { recording: { exit } }: Chat, events: readonly CoderEvent[]): Recording {
  const digest = digestOf(events)
  const { events: _events, lastEventAt: _at, ...figures } = figuresOf(digest)
  const verdict = gemini.verdict({ kind: 'code', code: exit }, digest, stderrOf(name))
  return { exit, verdict, figures, denied: digest.denied, results: digest.results }
}

test('every chat has its expectation', () => {
  const folder = resolve(import.meta.dirname, '../../fixtures/coders/gemini/chats')
  const recorded = readdirSync(folder).map((file) => file.slice(0, -'.jsonl'.length))
  expect(recorded.sort()).toEqual([...new Set(Object.values(CHATS).map(({ file }) => file))].sort())
})

test.each(Object.entries(CHATS))('%s shows the same, whichever of stdout and chat is read first', (name, chat) => {
  const stdout = stdoutEvents(name)
  const beside = chatEvents(chat)
  expect(shownBy(name, chat, [...stdout, ...beside])).toEqual(chat.recording)
  expect(shownBy(name, chat, [...beside, ...stdout])).toEqual(chat.recording)
})

/** Each kept in its order. */
function merged(one: readonly CoderEvent[], other: readonly CoderEvent[], turns: Iterator<boolean>) {
  const [first, second] = [[...one], [...other]]
  const all: CoderEvent[] = []
  while (first.length > 0 && second.length > 0) all.push(...(turns.next().value ? first : second).splice(0, 1))
  return [...all, ...first, ...second]
}

test('however stdout and chat interleave, nothing is counted twice and nothing is judged otherwise', () => {
  const both = Object.entries(CHATS).map(([name, chat]) => ({
    name,
    chat,
    stdout: stdoutEvents(name),
    beside: chatEvents(chat),
  }))
  const loop = JSON.stringify({ type: 'error', severity: 'warning', message: 'Loop detected, stopping execution' })
  fc.assert(
    fc.property(fc.constantFrom(...both), fc.infiniteStream(fc.boolean()), ({ name, chat, stdout, beside }, turns) => {
      expect(shownBy(name, chat, merged(stdout, beside, turns))).toEqual(chat.recording)
      const looped = merged([...gemini.parse(loop), ...stdout], beside, turns)
      expect(shownBy(name, chat, looped).verdict).toMatchObject({
        outcome: { text: 'Loop detected, stopping execution' },
      })
    }),
    { numRuns: 500 },
  )
})

test('each line of a chat becomes its events', () => {
  const chat = CHATS['chat-first'] as Chat
  const told = chatLines(chat).map((line) => chatEvents(chat, [line]))
  const usage = { input: 1001, output: 18, cacheRead: 201, reasoning: 7 }
  const first = { type: 'usage', message: 'e35e8d1c-0cda-4ba1-ac57-c6069e1ed707', usage, aside: true }
  // The answer is told once more with what became of its call.
  expect(told.map((events) => events.length)).toEqual([0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0])
  expect([told[4], told[6]]).toEqual([[first], [first]])
})

test('earlier runs of a resumed session report nothing, and neither does another chat', () => {
  const chat = CHATS['chat-resumed'] as Chat
  expect(new Set(chatEvents(chat).map((event) => event.type === 'usage' && event.message)).size).toBe(2)
  const other = chatReader({ session: '5e551017-0000-4333-8444-555555555555', startedAt: 0, cwd: '/project', env: {} })
  expect(chatLines(chat).flatMap(other)).toEqual([])
})

const EVERY_LINE = Object.values(CHATS).flatMap(chatLines)

test('no line makes it throw, and a value that is no count is not counted', () => {
  const line = fc.oneof(brokenLines(EVERY_LINE), twistedLines(EVERY_LINE))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
      const digest = digestOf(chatEvents({ ...(CHATS['chat-first'] as Chat), startedAt: '1970-01-01' }, lines))
      for (const amount of Object.values(figuresOf(digest).usage)) expect(amount).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 1000 },
  )
  expect(chatEvents(CHATS['chat-first'] as Chat, ['{', '{}', 'null'])).toEqual([
    { type: 'unknown', raw: '{' },
    { type: 'unknown', raw: 'null' },
  ])
})

test('a chat is looked for in the folder of every project, by the beginning of its id', () => {
  const run = { session: '5e551017-2222-4333-8444-555555555555', startedAt: 0, cwd: '/project' }
  expect(chatPlace({ ...run, env: { GEMINI_CLI_HOME: '/home/dev/second', HOME: '/home/dev' } })).toEqual({
    folders: ['/home/dev/second/.gemini/tmp'],
    inEach: 'chats',
    nameEnd: '-5e551017.jsonl',
  })
  expect(chatPlace({ ...run, env: { HOME: '/home/dev' } })).toMatchObject({ folders: ['/home/dev/.gemini/tmp'] })
  expect(chatPlace({ ...run, env: {} })).toBeUndefined()
})
