import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { Home } from '../../src/platform/files/home.ts'
import type { SidecarPlace } from '../../src/ports/coder.ts'
import { homeAttempts } from '../../src/store/attempts.ts'
import { temporaryFolder } from '../support/cli.ts'

/** Creates files by path and returns the content of the sidecar that is found. */
function beside(files: Readonly<Record<string, string>>) {
  const base = temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true })
    writeFileSync(join(base, path), text)
  }
  return ({ folders, ...place }: SidecarPlace): string | undefined => {
    const there = folders.map((each) => join(base, each))
    const stream = homeAttempts(new Home(base)).followBeside({ folders: there, ...place })
    let text: string | undefined
    stream?.read((bytes) => {
      text = bytes.toString()
    })
    stream?.close()
    return text
  }
}

test('a sidecar is the first file by name with the right ending, in the first folder that has one', () => {
  const found = beside({
    '2027/x-1.jsonl': 'of another day',
    '2026/x-3.jsonl': 'of another session',
    '2026/late-x-1.jsonl': 'later by name',
    '2026/early-x-1.jsonl': 'this one',
  })
  expect(found({ folders: ['2025', '2026', '2027'], nameEnd: 'x-1.jsonl' })).toBe('this one')
  expect(found({ folders: ['2026'], nameEnd: 'x-2.jsonl' })).toBeUndefined()
})

test('a sidecar may be in a subfolder of each folder, whatever else is there', () => {
  const found = beside({
    'tmp/a/chats/session-1-x.jsonl': 'of another session',
    'tmp/b/other/session-1-y.jsonl': 'in another folder',
    'tmp/c': 'no folder',
    'tmp/d/chats/session-2-y.jsonl': 'left by going on',
    'tmp/d/chats/session-1-y.jsonl': 'this one',
  })
  expect(found({ folders: ['tmp'], inEach: 'chats', nameEnd: '-y.jsonl' })).toBe('this one')
  expect(found({ folders: ['tmp', 'gone'], inEach: 'chats', nameEnd: '-z.jsonl' })).toBeUndefined()
})
