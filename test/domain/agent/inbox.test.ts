import { execFileSync } from 'node:child_process'
import { Dir, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { LETTER_LIMIT, type Letter, letterOf } from '../../../src/domain/agent/inbox.ts'
import { archive, collect, isUntouched, makeInbox } from '../../../src/platform/files/inbox.ts'
import { post } from '../../../src/platform/files/post.ts'
import { temporaryFolder } from '../../support/cli.ts'

const note = (at: number, text: string, run = 'r1'): Letter => ({ v: 1, run, at, item: { kind: 'note', text } })

const text = fc.string({ minLength: 1 }).filter((each) => each.trim() !== '' && !each.includes('\0'))
const letters: fc.Arbitrary<Letter> = fc.record({
  v: fc.constant(1 as const),
  run: text,
  at: fc.nat(),
  item: fc.oneof(
    fc.record({ kind: fc.constant('done' as const), summary: text }),
    fc.record({ kind: fc.constant('note' as const), text }),
    fc.record(
      { kind: fc.constant('ask' as const), text, options: fc.array(text, { maxLength: 20 }), suggestion: text },
      { requiredKeys: ['kind', 'text', 'options'] },
    ),
  ),
})

test('a written letter is read back unchanged', () => {
  fc.assert(
    fc.property(letters, (letter) => {
      expect(letterOf(JSON.stringify(letter))).toEqual(letter)
    }),
  )
})

test('any file content is a letter or has a problem', () => {
  const anything = fc.oneof(
    fc.string(),
    fc.json(),
    fc.jsonValue().map((item) => JSON.stringify({ v: 1, run: 'r', at: 1, item })),
  )
  fc.assert(
    fc.property(anything, (content) => {
      const found = letterOf(content)
      expect('problem' in found ? typeof found.problem : found.v).toEqual('problem' in found ? 'string' : 1)
    }),
  )
})

test('an inbox shows from outside whether anything was ever written to it', () => {
  const folder = temporaryFolder()
  makeInbox(folder)
  expect(isUntouched(folder)).toBe(true)
  makeInbox(folder)
  expect(isUntouched(folder)).toBe(true)
  post(folder, note(1, 'hello'))
  expect(isUntouched(folder)).toBe(false)
  archive(folder, 1, collect(folder, 'r1'))
  makeInbox(folder)
  expect(isUntouched(folder)).toBe(false)
})

test('letters are collected in the order they were written, and only their owner can read them', () => {
  const folder = temporaryFolder()
  for (const at of [1_700_000_000_002, 1_700_000_000_001, 1_700_000_000_003]) post(folder, note(at, `said at ${at}`))
  const collected = collect(folder, 'r1')
  expect(collected.letters).toMatchObject([1, 2, 3].map((i) => note(1_700_000_000_000 + i, `said at 170000000000${i}`)))
  expect(collected.refused).toEqual([])
  const inbox = join(folder, 'inbox')
  expect(
    [inbox, ...collected.names.map((name) => join(inbox, name))].map((path) => statSync(path).mode & 0o777),
  ).toEqual([0o700, 0o600, 0o600, 0o600])
})

test('files that are not letters of this run are refused, and links are never followed', () => {
  const folder = temporaryFolder()
  const inbox = join(folder, 'inbox')
  const at = 1_700_000_000_000
  const name = (i: number) => `${at + i}-0000000${i}.json`
  const letter = JSON.stringify(note(at, 'mine'))
  mkdirSync(inbox)
  writeFileSync(join(folder, 'secret.json'), letter)
  symlinkSync(join(folder, 'secret.json'), join(inbox, name(1)))
  mkdirSync(join(inbox, name(2)))
  writeFileSync(join(inbox, name(3)), 'junk')
  writeFileSync(join(inbox, name(4)), JSON.stringify(note(at, 'not mine', 'r2')))
  writeFileSync(join(inbox, name(5)), JSON.stringify(note(at, 'x'.repeat(LETTER_LIMIT))))
  execFileSync('mkfifo', [join(inbox, name(6))])
  writeFileSync(join(inbox, 'done.json'), letter)
  writeFileSync(join(inbox, `${name(7)}.123.tmp`), letter)
  writeFileSync(join(inbox, name(8)), letter)
  expect(collect(folder, 'r1')).toEqual({
    letters: [{ ...note(at, 'mine'), name: name(8), text: letter }],
    refused: [
      { name: name(1), why: 'is a link' },
      { name: name(2), why: 'is not a file' },
      { name: name(3), why: 'is not JSON' },
      { name: name(4), why: 'is of another run', forged: { from: 'r2', kind: 'note' } },
      { name: name(5), why: 'is longer than 65536 bytes' },
      { name: name(6), why: 'is not a file' },
      { name: 'done.json', why: 'is not named like a letter' },
    ],
    names: [1, 2, 3, 4, 5, 6, 8].map(name).concat('done.json'),
  })
})

test('an inbox that is a symbolic link is not read', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'elsewhere'))
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'inbox'))
  expect(collect(folder, 'r1')).toEqual({
    letters: [],
    refused: [{ name: 'inbox', why: 'is not a folder' }],
    names: [],
  })
})

test('at most 200 letters are taken at a time, the newest ones', () => {
  const folder = temporaryFolder()
  for (let i = 0; i < 203; i++) post(folder, note(1_700_000_000_000 + i, `${i}`))
  writeFileSync(join(folder, 'inbox', 'zz'), '')
  const { letters, refused, names } = collect(folder, 'r1')
  expect(letters.map(({ item }) => item)).toEqual(
    Array.from({ length: 200 }, (_, n) => ({ kind: 'note', text: `${n + 3}` })),
  )
  const others = Array(3).fill('is followed by 200 others')
  expect(refused.map(({ why }) => why)).toEqual([...others, 'is not named like a letter'])
  expect(names).toHaveLength(204)
})

test('collected letters move into the evidence of the attempt', () => {
  const folder = temporaryFolder()
  post(folder, note(1_700_000_000_000, 'hello'))
  writeFileSync(join(folder, 'inbox', 'junk'), 'junk')
  const collected = collect(folder, 'r1')
  post(folder, note(1_700_000_000_001, 'later'))
  archive(folder, 2, collected)
  const evidence = join(folder, 'attempts', '2', 'inbox')
  expect(readdirSync(evidence)).toEqual(collected.names)
  expect(readFileSync(join(evidence, collected.names[0] as string), 'utf8')).toEqual(collected.letters[0]?.text)
  expect(collect(folder, 'r1').letters).toMatchObject([note(1_700_000_000_001, 'later')])
})

test('a flood of unfinished letters costs a bounded number of reads', () => {
  const folder = temporaryFolder()
  makeInbox(folder)
  for (let n = 0; n < 6000; n++) writeFileSync(join(folder, 'inbox', `${n}.tmp`), '')
  const reads = vi.spyOn(Dir.prototype, 'readSync')
  try {
    expect(collect(folder, 'r1')).toEqual({ letters: [], refused: [], names: [] })
    expect(reads.mock.calls.length).toBeLessThan(5500)
  } finally {
    reads.mockRestore()
  }
})
