import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inPlace } from '../../src/workspace/in-place.ts'
import { temporaryFolder } from '../support/cli.ts'
import { commit, git, put } from '../support/verifying.ts'

const lines = async (base: Awaited<ReturnType<typeof inPlace.base>>, files: string[], commits: string[] = []) =>
  await inPlace.lines(base, { files, commits, artifacts: [] })

const file = (path: string, added: number | null, removed: number | null) => ({ path, added, removed })

test('the lines of edited, deleted, new, ignored and binary files are counted, and of these files alone', async () => {
  const root = temporaryFolder()
  commit(root, { 'a.txt': 'one\ntwo\n', 'gone.txt': '1\n2\n3\n', 'other.txt': 'x\n', '.gitignore': 'out/\n' })
  const base = await inPlace.base(root, '/nowhere')
  put(root, { 'a.txt': 'one\n2\n3\n', 'ü "new".txt': 'a\nb', 'out/b.txt': '\n', 'c.bin': 'a\0b\n', 'other.txt': 'y\n' })
  rmSync(join(root, 'gone.txt'))
  symlinkSync('a.txt', join(root, 'link'))
  const elsewhere = join(temporaryFolder(), 'd.txt')
  const files = [elsewhere, 'a.txt', 'c.bin', 'gone.txt', 'link', 'out/b.txt', 'ü "new".txt']
  expect(await lines(base, files)).toEqual({
    added: 5,
    removed: 4,
    uncounted: 3,
    files: [
      file(elsewhere, null, null),
      file('a.txt', 2, 1),
      file('c.bin', null, null),
      file('gone.txt', 0, 3),
      file('link', null, null),
      file('out/b.txt', 1, 0),
      file('ü "new".txt', 2, 0),
    ],
  })
  commit(root, {})
  expect(await lines(base, ['a.txt'])).toMatchObject({ added: 2, removed: 1 })
})

test('the lines of commits on a branch that was pushed and deleted are counted', async () => {
  const root = temporaryFolder()
  commit(root, { 'a.txt': 'one\n' })
  const base = await inPlace.base(root, '/nowhere')
  git(root, 'checkout', '-q', '-b', 'topic')
  const commits = [commit(root, { 'a.txt': 'two\n' }), commit(root, { 'a.txt': 'two\n3\n', 'b.txt': 'b\n' })].reverse()
  git(root, 'checkout', '-q', 'main')
  git(root, 'branch', '-q', '-D', 'topic')
  expect(await lines(base, ['a.txt', 'b.txt'], commits)).toEqual({
    added: 3,
    removed: 1,
    uncounted: 0,
    files: [file('a.txt', 2, 1), file('b.txt', 1, 0)],
  })
})

test('of very many files all are counted, and the first hundred are named', async () => {
  const root = temporaryFolder()
  git(root, 'init', '-q')
  const base = await inPlace.base(root, '/nowhere')
  const files = Array.from({ length: 1500 }, (_, i) => `${i}.txt`)
  put(root, Object.fromEntries(files.slice(0, 200).map((name) => [name, 'a\nb\n'])))
  git(root, 'add', '100.txt')
  const found = await lines(base, files)
  expect(found).toMatchObject({ added: 400, removed: 0, uncounted: 1300 })
  expect(found?.files).toEqual(files.slice(0, 100).map((path) => file(path, 2, 0)))
})

test('without git, and without a changed file, there are no lines to tell of', async () => {
  const folder = temporaryFolder()
  const base = await inPlace.base(folder, '/nowhere')
  put(folder, { 'a.txt': 'a\n' })
  expect(await lines(base, ['a.txt'])).toBeUndefined()
  commit(folder, {})
  expect(await lines(await inPlace.base(folder, '/nowhere'), [])).toBeUndefined()
})
