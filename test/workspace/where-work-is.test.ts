import { statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { inPlace } from '../../src/workspace/in-place.ts'
import { eventually } from '../support/home-run.ts'
import { NOTHING, plain, project } from '../support/project.ts'

test('history that is only written again is no evidence; a commit on top of it is', async () => {
  const { write, git, changesBy } = project('git')
  for (const n of [1, 2, 3]) {
    write('a.txt', `${n}\n`)
    git('commit', '-q', '-a', '-m', `${n}`)
  }
  const again = () => {
    git('reset', '-q', '--soft', 'HEAD~2')
    git('commit', '-q', '-m', 'squashed')
  }
  expect(await changesBy(again)).toEqual(NOTHING)
  const split = () => {
    git('reset', '-q', '--hard', 'HEAD~1')
    for (const text of ['half', '3']) {
      write('a.txt', `${text}\n`)
      git('commit', '-q', '-a', '-m', text)
    }
  }
  expect(await changesBy(split)).toEqual(NOTHING)
  const more = await changesBy(() => {
    git('commit', '-q', '--amend', '--allow-empty', '-m', 'other words')
    write('b.txt', 'more\n')
    git('add', '.')
    git('commit', '-q', '-m', 'more')
  })
  expect(more).toEqual({ ...NOTHING, commits: [git('rev-parse', 'HEAD')], files: ['b.txt'] })
})

test('a branch that was pushed and deleted here is evidence', async () => {
  const { path, write, git, changesBy } = project('git')
  const remote = join(dirname(path), 'remote.git')
  git('init', '-q', '--bare', '-b', 'main', remote)
  git('remote', 'add', 'origin', remote)
  let id = ''
  const changes = await changesBy(() => {
    git('checkout', '-q', '-b', 'feature')
    write('a.txt', 'mine\n')
    git('commit', '-q', '-a', '-m', 'mine')
    id = git('rev-parse', 'HEAD')
    git('push', '-q', 'origin', 'feature')
    git('checkout', '-q', 'main')
    git('branch', '-q', '-D', 'feature')
  })
  expect(changes).toMatchObject({ commits: [id] })
  const undone = await changesBy(() => {
    write('a.txt', 'undone\n')
    git('commit', '-q', '-a', '-m', 'undone')
    git('reset', '-q', '--hard', 'HEAD~1')
  })
  expect(undone).toMatchObject({ commits: [], files: [] })
})

test('a repository inside the checkout is looked at, with its files and its commit', async () => {
  const { path, write, git, changesBy } = project('git')
  git('init', '-q', 'inner')
  write('inner/kept.txt', 'kept\n')
  const inner = (...argv: string[]) => git('-C', join(path, 'inner'), ...argv)
  inner('add', '.')
  inner('commit', '-q', '-m', 'first')
  expect(await changesBy(() => write('inner/kept.txt', 'other\n'))).toEqual({ ...NOTHING, files: ['inner/kept.txt'] })
  expect(await changesBy(() => inner('commit', '-q', '-a', '-m', 'second'))).toMatchObject({
    files: expect.arrayContaining(['inner/']),
  })
})

test('a file that a tool writes again as it was is no change where git ignores it, nor in another checkout', async () => {
  const sibling = project('git')
  const { path, artifacts, write, git } = project('git')
  for (const folder of [path, sibling.path]) writeFileSync(join(folder, '.git/info/exclude'), 'build/\n')
  for (const name of ['build/same.js', 'build/other.js', 'build/deep/in/same.js']) write(name, 'built\n')
  git('commit', '-q', '--allow-empty', '-m', 'second')
  sibling.write('dir/b.txt', 'of a person\n')
  const base = await inPlace.base(path, '/nowhere')
  const last = statSync(join(sibling.path, 'dir/b.txt')).ctimeMs
  await eventually(() => Date.now() > last + 100, 'they are older')
  const since = Date.now()
  for (const name of ['build/same.js', 'build/deep/in/same.js']) write(name, 'built\n')
  write('build/other.js', 'better\n')
  sibling.write('a.txt', 'a\n')
  sibling.write('dir/b.txt', 'better\n')
  const [same, other] = [join(sibling.path, 'a.txt'), join(sibling.path, 'dir/b.txt')]
  const names = ['build/same.js', 'build/deep/in/same.js', 'build/other.js', same, other]
  const named = inPlace.spelled(base, names, path)
  expect(plain(await inPlace.changes(base, { since, artifacts, home: '/nowhere', named }))).toEqual({
    ...NOTHING,
    files: [other, 'build/other.js'],
  })
})

test('a file that a tool names is looked at where git ignores it, and in another checkout, but nowhere else', async () => {
  const sibling = project('git')
  const { path, artifacts, write, git } = project('git')
  const loose = join(dirname(path), 'loose.txt')
  write('.gitignore', 'build/\n')
  git('add', '.')
  git('commit', '-q', '-m', 'ignore')
  const base = await inPlace.base(path, '/nowhere')
  // The clock of files may be a tick behind: what was there before is older than that.
  const old = statSync(join(sibling.path, 'a.txt')).ctimeMs
  await eventually(() => Date.now() > old + 100, 'the sibling is old')
  const since = Date.now()
  write('build/out.js', 'built\n')
  write('build/other.js', 'built\n')
  sibling.write('new.txt', 'new\n')
  writeFileSync(loose, 'loose\n')
  const names = ['build/out.js', 'a.txt', join(sibling.path, 'new.txt'), join(sibling.path, 'a.txt'), loose]
  const named = inPlace.spelled(base, names, path)
  expect(plain(await inPlace.changes(base, { since, artifacts, home: '/nowhere', named }))).toEqual({
    ...NOTHING,
    files: [join(sibling.path, 'new.txt'), 'build/out.js'],
  })
})
