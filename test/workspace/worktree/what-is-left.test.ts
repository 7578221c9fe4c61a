import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Worktree } from '../../../src/domain/run/worktree.ts'
import { until } from '../../support/supervisor.ts'
import { git, put, type Repository, repositoryWithHome } from '../../support/worktree.ts'

/** What would be lost with a worktree. */

const ignoring = (...patterns: readonly string[]): Repository => {
  const repository = repositoryWithHome()
  put(repository.root, '.gitignore', `${patterns.join('\n')}\n`)
  git(repository.root, 'add', '.')
  git(repository.root, 'commit', '-qm', 'Ignore')
  return repository
}

const left = ({ worktrees }: Repository, worktree: Worktree, ...evidence: readonly string[]) =>
  worktrees.whatIsLeft(worktree, { landed: undefined, evidence, byProducts: [] })

/** Its agents start now: the files that are there are older. */
async function setUp(worktree: Worktree): Promise<Worktree> {
  const readyAt = Date.now() + 1
  await until(
    async () => Date.now() > readyAt + 20,
    () => 'the clock goes on',
  )
  return { ...worktree, readyAt }
}

describe('a file that git ignores', () => {
  test('is work where an agent wrote it, and not where it was brought or its setup made it', async () => {
    const repository = ignoring('out/', '*.db')
    const worktree = await repository.made()
    put(worktree.path, 'out/of-setup.txt', 'x\n')
    put(worktree.path, 'cache.db', 'x\n')
    const ready = await setUp(worktree)
    expect(await left(repository, ready)).toMatchObject({ kind: 'nothing' })
    put(worktree.path, 'out/deep/report.txt', 'x\n')
    put(worktree.path, 'cache.db', 'y\n')
    expect(await left(repository, ready)).toEqual({
      kind: 'work',
      why: 'it has files that git does not keep: cache.db and 1 more',
    })
  })

  test('is no work where the tools of a project make it again, unless the task asks for it there', async () => {
    const repository = ignoring('node_modules/', 'build/', 'dist/', '*.log', '__pycache__/')
    const worktree = await repository.made()
    for (const name of [
      'node_modules/a/index.js',
      'web/build/report.txt',
      'web/dist/a.js',
      'x.log',
      'dir/__pycache__/a.pyc',
    ])
      put(worktree.path, name, 'x\n')
    const ready = { ...worktree, readyAt: statSync(worktree.path).ctimeMs - 1000 }
    expect(await left(repository, ready)).toMatchObject({ kind: 'nothing' })
    expect(await left(repository, ready, 'web/build/other')).toMatchObject({ kind: 'nothing' })
    const why = 'it has files that git does not keep: web/build/report.txt'
    for (const path of ['web/build/report.txt', 'web/build', join(worktree.path, 'web/build')])
      expect(await left(repository, ready, 'kept.txt', path)).toEqual({ kind: 'work', why })
  })

  test('is work in a repository of an agent inside an ignored folder', async () => {
    const repository = ignoring('tmp/')
    const worktree = await setUp(await repository.made())
    put(worktree.path, 'tmp/inner/file.txt', 'x\n')
    git(join(worktree.path, 'tmp/inner'), 'init', '-q')
    expect(await left(repository, worktree)).toMatchObject({ kind: 'work', why: expect.stringContaining('tmp/inner/') })
  })

  test('is work also if the clock was set back before the agent wrote it', async () => {
    const repository = ignoring('out/')
    const worktree = await repository.made()
    put(worktree.path, 'out/report.txt', 'x\n')
    const later = Date.now() + 3_600_000
    expect(await left(repository, { ...worktree, madeAt: later, readyAt: later + 1000 })).toMatchObject({
      kind: 'work',
    })
  })

  test('is no work where no agent has worked', async () => {
    const repository = ignoring('out/')
    const worktree = await repository.made()
    put(worktree.path, 'out/of-setup.txt', 'x\n')
    expect(await left(repository, { ...worktree, state: 'made', readyAt: null })).toMatchObject({ kind: 'nothing' })
  })
})

test('what an agent left in a submodule is work, with a commit and without', async () => {
  const repository = repositoryWithHome()
  git(repository.root, 'submodule', 'add', '-q', repositoryWithHome().root, 'lib/inner')
  git(repository.root, 'commit', '-qm', 'Inner')
  const worktree = await setUp(await repository.made())
  expect(await left(repository, worktree)).toMatchObject({ kind: 'nothing' })
  put(worktree.path, 'lib/inner/kept.txt', 'changed\n')
  const inner = join(worktree.path, 'lib/inner')
  expect(await left(repository, worktree)).toMatchObject({
    kind: 'work',
    why: 'it has files that git does not keep: lib/inner/kept.txt',
  })
  git(inner, 'commit', '-qam', 'Inside')
  git(inner, 'checkout', '-q', 'HEAD~')
  expect(await left(repository, worktree)).toMatchObject({
    kind: 'work',
    why: 'a submodule of it has commits of its own',
  })
})
