import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Worktree } from '../../../src/domain/run/worktree.ts'
import { freeBranch } from '../../../src/domain/run/worktree.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { fill, smallDisk } from '../../support/small-disk.ts'
import { git, inRepository, put, repositoryWithHome, wanted } from '../../support/worktree.ts'

test('a worktree is one like any other for git', async () => {
  const { root, made } = repositoryWithHome()
  const worktree = await made()
  const listed = git(root, 'worktree', 'list', '--porcelain').split('\n\n')[1]
  expect(listed?.split('\n')).toEqual([
    `worktree ${worktree.path}`,
    `HEAD ${worktree.base}`,
    'branch refs/heads/fleet/fleet-a1b',
  ])
  expect(git(worktree.path, 'status', '--porcelain=v2', '--branch')).toBe(
    `# branch.oid ${worktree.base}\n# branch.head fleet/fleet-a1b`,
  )
  expect(git(worktree.path, 'fsck', '--no-dangling')).toBe('')
  put(worktree.path, 'kept.txt', 'mine\n')
  git(worktree.path, 'commit', '-qam', 'By hand')
  expect(git(root, 'log', '-1', '--format=%s', 'fleet/fleet-a1b')).toBe('By hand')
  git(root, 'worktree', 'remove', '--force', worktree.path)
  expect(existsSync(worktree.path)).toBe(false)
})

test('git does not rewrite files that are as they were checked out', async () => {
  const { made } = repositoryWithHome()
  const { path } = await made()
  expect(git(path, 'diff-files', '--name-only')).toBe('')
  // A file of the same size, changed in the second of its checkout.
  put(path, 'kept.txt', 'new\n')
  expect(git(path, 'diff-files', '--name-only')).toBe('kept.txt')
})

describe('names of branches', () => {
  test('a branch that is there is never used', async () => {
    const { root, made } = repositoryWithHome()
    git(root, 'branch', 'fleet/fleet-a1b')
    const { branch, base } = await made()
    expect(branch).toBe('fleet/fleet-a1b-2')
    expect(git(root, 'rev-parse', 'fleet/fleet-a1b', branch).split('\n')).toEqual([base, base])
  })

  test('nor one that is made between the choice and the checkout', async () => {
    const { root, intended, worktrees } = repositoryWithHome()
    const worktree = await intended()
    git(root, 'commit', '-qm', 'Second', '--allow-empty')
    git(root, 'branch', worktree.branch)
    expect(await worktrees.make(worktree)).toBe('taken')
    expect(git(root, 'rev-parse', worktree.branch)).toBe(git(root, 'rev-parse', 'HEAD'))
  })

  test('a file system that ignores case has one name for both', () => {
    expect(freeBranch('fleet-A1b', ['main', 'FLEET/fleet-a1B'])).toBe('fleet/fleet-A1b-2')
  })

  test('a branch named fleet leaves no room below it', () => {
    expect(freeBranch('fleet-a1b', ['main', 'fleet'])).toBe('fleet-fleet-a1b')
    expect(freeBranch('fleet-a1b', ['fleet/fleet-a1b/deeper'])).toBe('fleet/fleet-a1b-2')
  })
})

test('two homes with the same task id work on one repository, each on its own branch', async () => {
  const one = repositoryWithHome()
  const other = inRepository(one.root, join(temporaryFolder(), 'home'))
  const [first, second] = [await one.made(), await other.made()]
  expect([first.branch, second.branch]).toEqual(['fleet/fleet-a1b', 'fleet/fleet-a1b-2'])
  put(first.path, 'first.txt', 'x\n')
  put(second.path, 'second.txt', 'x\n')
  await Promise.all([one.keep(first), other.keep(second)])
  const files = [first, second].map(({ branch }) => git(one.root, 'ls-tree', '--name-only', branch).split('\n'))
  expect(files).toEqual([
    ['dir', 'first.txt', 'kept.txt'],
    ['dir', 'kept.txt', 'second.txt'],
  ])
})

describe('what a killed supervisor left', () => {
  test('the branch alone: it is used', async () => {
    const { root, intended, worktrees } = repositoryWithHome()
    const worktree = await intended()
    git(root, 'branch', worktree.branch, worktree.base)
    expect(await worktrees.make(worktree)).toBeUndefined()
    expect(git(worktree.path, 'status', '--porcelain')).toBe('')
  })

  test('half of the files, beside their place: they are removed', async () => {
    const { intended, worktrees, home } = repositoryWithHome()
    const worktree = await intended()
    put(join(home, 'worktrees', '.making-fleet-a1b-dead'), 'files/half.txt', 'x')
    expect(await worktrees.make(worktree)).toBeUndefined()
    expect(existsSync(join(home, 'worktrees', '.making-fleet-a1b-dead'))).toBe(false)
  })

  test('all of the files in their place, and no record of that: they are used', async () => {
    const { made, worktrees } = repositoryWithHome()
    const worktree = await made()
    expect(await worktrees.make({ ...worktree, state: 'making' })).toBeUndefined()
    expect(git(worktree.path, 'status', '--porcelain')).toBe('')
  })

  test('the folder in the repository without files: it is filled again', async () => {
    const { made, worktrees } = repositoryWithHome()
    const worktree = await made()
    rmSync(worktree.path, { recursive: true })
    expect(await worktrees.make({ ...worktree, state: 'making' })).toBeUndefined()
    expect(git(worktree.path, 'status', '--porcelain')).toBe('')
  })
})

test('a worktree that was removed by hand comes again from its branch', async () => {
  const { root, made, keep, worktrees } = repositoryWithHome()
  const worktree = await made()
  put(worktree.path, 'work.txt', 'work\n')
  await keep(worktree)
  rmSync(worktree.path, { recursive: true })
  git(root, 'worktree', 'prune')
  expect(await worktrees.make(worktree)).toBeUndefined()
  expect(readFileSync(join(worktree.path, 'work.txt'), 'utf8')).toBe('work\n')
})

test('files that lost their folder in the repository stay as they are', async () => {
  const { root, made, worktrees } = repositoryWithHome()
  const worktree = await made()
  put(worktree.path, 'work.txt', 'work\n')
  git(root, 'worktree', 'lock', worktree.path)
  rmSync(join(root, '.git/worktrees'), { recursive: true })
  expect(await worktrees.make(worktree)).toBeUndefined()
  expect(git(worktree.path, 'status', '--porcelain')).toBe('?? work.txt')
})

test('a branch that a person has checked out meanwhile is not checked out twice', async () => {
  const { root, made, worktrees } = repositoryWithHome()
  const worktree = await made()
  git(root, 'worktree', 'remove', worktree.path)
  git(root, 'checkout', '-q', worktree.branch)
  expect(await worktrees.make(worktree)).toEqual({
    refused: `its branch ${worktree.branch} is checked out in ${root}: switch that to another branch, then fleet retry fleet-a1b`,
  })
})

test('something else in its place stays there', async () => {
  const { intended, worktrees } = repositoryWithHome()
  const worktree = await intended()
  put(worktree.path, 'precious.txt', 'mine\n')
  expect(await worktrees.make(worktree)).toEqual({
    refused: `${worktree.path} is in the way of its worktree: move it away, then fleet retry fleet-a1b`,
  })
  expect(readFileSync(join(worktree.path, 'precious.txt'), 'utf8')).toBe('mine\n')
})

test('a repository that was moved keeps its worktrees', async () => {
  const { root, home, made } = repositoryWithHome()
  const worktree = await made()
  put(worktree.path, 'work.txt', 'work\n')
  const moved = `${root}-moved`
  renameSync(root, moved)
  const there = inRepository(moved, home)
  const now = { ...worktree, repository: moved }
  expect(there.worktrees.belongs(now)).toBe(true)
  expect(await there.worktrees.make(now)).toBeUndefined()
  expect(git(worktree.path, 'status', '--porcelain')).toBe('?? work.txt')
  expect(there.worktrees.belongs({ ...now, repository: repositoryWithHome().root })).toBe(false)
})

test('a repository that was moved, or a home, keeps the submodules of its worktrees', async () => {
  const { root, home, made } = repositoryWithHome()
  const [inner, deepest] = [repositoryWithHome().root, repositoryWithHome().root]
  git(inner, 'submodule', 'add', '-q', deepest, 'deepest')
  git(inner, 'commit', '-qm', 'Deepest')
  git(root, 'submodule', 'add', '-q', inner, 'lib/inner')
  git(root, 'submodule', 'update', '-q', '--init', '--recursive')
  git(root, 'commit', '-qm', 'Inner')
  for (const each of [inner, deepest]) rmSync(each, { recursive: true })
  const worktree = await made()
  put(worktree.path, 'lib/inner/deepest/work.txt', 'work\n')
  const moved = `${root}-moved`
  renameSync(root, moved)
  renameSync(home, `${home}-moved`)
  const there = inRepository(moved, `${home}-moved`)
  const now = there.worktrees.inThisHome({ ...worktree, repository: moved }) as Worktree
  expect(await there.worktrees.make(now)).toBeUndefined()
  const at = join(now.path, 'lib/inner')
  expect(git(now.path, 'submodule', 'status')).toMatch(/^[0-9a-f]{40} lib\/inner/)
  expect(git(join(at, 'deepest'), 'status', '--porcelain')).toBe('?? work.txt')
  expect([at, join(at, 'deepest')].map((each) => git(each, 'log', '-1', '--format=%s'))).toEqual(['Deepest', 'First'])
})

test('`git worktree prune` of a neighbour leaves a worktree alone that is being made', async () => {
  const { root, made } = repositoryWithHome()
  git(root, 'submodule', 'add', '-q', repositoryWithHome().root, 'lib/inner')
  git(root, 'commit', '-qm', 'Inner')
  let isMaking = true
  const making = made().finally(() => {
    isMaking = false
  })
  const prune = promisify(execFile)
  while (isMaking) await prune('git', ['worktree', 'prune'], { cwd: root })
  const { path, branch } = await making
  expect(git(path, 'status', '--porcelain', '--branch')).toBe(`## ${branch}`)
  expect(git(root, 'worktree', 'list', '--porcelain')).not.toContain('locked')
})

test('a repository that was deleted is named, and nothing of the worktree is touched', async () => {
  const { root, made, keep, worktrees } = repositoryWithHome()
  const worktree = await made()
  put(worktree.path, 'work.txt', 'work\n')
  rmSync(root, { recursive: true })
  expect(await worktrees.make(worktree)).toEqual({
    refused: `${root} is no git checkout any more: give the task its new directory with fleet bd update fleet-a1b --cwd`,
  })
  expect(await keep(worktree)).toMatchObject({
    kind: 'failed',
    why: expect.stringContaining(`${root} is no git checkout any more`),
  })
  expect(readFileSync(join(worktree.path, 'work.txt'), 'utf8')).toBe('work\n')
})

describe('repositories of all kinds', () => {
  test('a detached HEAD: the work is for no branch', async () => {
    const { root, made, keep } = repositoryWithHome()
    git(root, 'checkout', '-q', '--detach')
    const worktree = await made()
    put(worktree.path, 'work.txt', 'work\n')
    expect({ target: worktree.target, kept: (await keep(worktree)).kind }).toEqual({ target: null, kept: 'committed' })
  })

  test('a shallow clone', async () => {
    const { root } = repositoryWithHome()
    git(root, 'commit', '-qm', 'Second', '--allow-empty')
    const folder = temporaryFolder()
    git(folder, 'clone', '-q', '--depth=1', `file://${root}`, 'shallow')
    const { made, keep } = inRepository(join(folder, 'shallow'), join(folder, 'home'))
    const worktree = await made()
    put(worktree.path, 'work.txt', 'work\n')
    expect(await keep(worktree)).toMatchObject({ kind: 'committed' })
    expect(git(worktree.path, 'log', '--format=%s')).toBe('Kept\nSecond')
  })

  test('a worktree of a person: the task works beside it', async () => {
    const { root, home } = repositoryWithHome()
    const beside = join(home, 'beside')
    git(root, 'worktree', 'add', '-q', '-b', 'topic', beside)
    put(beside, 'topic.txt', 'x\n')
    git(beside, 'add', '.')
    git(beside, 'commit', '-qm', 'Topic')
    const { made } = inRepository(beside, home)
    const worktree = await made()
    expect({ target: worktree.target, has: existsSync(join(worktree.path, 'topic.txt')) }).toEqual({
      target: 'topic',
      has: true,
    })
    expect(git(worktree.path, 'status', '--porcelain')).toBe('')
  })

  test('a sparse checkout stays one', async () => {
    const { root, made } = repositoryWithHome()
    put(root, 'big/file.txt', 'big\n')
    git(root, 'add', '.')
    git(root, 'commit', '-qm', 'Big')
    git(root, 'sparse-checkout', 'set', 'dir')
    const { path } = await made()
    expect([existsSync(join(path, 'big')), existsSync(join(path, 'dir/deep.txt'))]).toEqual([false, true])
    expect(git(path, 'status', '--porcelain')).toBe('')
    expect(git(path, 'sparse-checkout', 'list')).toBe('dir')
  })

  test('submodules come from the primary checkout, and nothing is fetched', async () => {
    const { root, made, keep, worktrees } = repositoryWithHome()
    const inner = repositoryWithHome().root
    git(root, 'submodule', 'add', '-q', inner, 'lib/inner')
    git(root, 'commit', '-qm', 'Inner')
    rmSync(inner, { recursive: true })
    const worktree = await made()
    expect(readFileSync(join(worktree.path, 'lib/inner/kept.txt'), 'utf8')).toBe('old\n')
    expect(git(worktree.path, 'submodule', 'status')).toMatch(/^[0-9a-f]{40} lib\/inner/)
    expect(git(worktree.path, 'status', '--porcelain')).toBe('')

    put(worktree.path, 'lib/inner/work.txt', 'work\n')
    git(join(worktree.path, 'lib/inner'), 'add', '.')
    git(join(worktree.path, 'lib/inner'), 'commit', '-qm', 'Inside')
    expect(await keep(worktree)).toMatchObject({ kind: 'committed' })
    const commit = git(join(worktree.path, 'lib/inner'), 'rev-parse', 'HEAD')
    expect(git(root, 'ls-tree', worktree.branch, 'lib/inner')).toContain(commit)

    rmSync(worktree.path, { recursive: true })
    expect(await worktrees.make(worktree)).toBeUndefined()
    expect(readFileSync(join(worktree.path, 'lib/inner/work.txt'), 'utf8')).toBe('work\n')
  })

  test('line ends are those that a person gets', async () => {
    const { root, made, keep } = repositoryWithHome()
    git(root, 'config', 'core.autocrlf', 'true')
    const worktree = await made()
    expect(readFileSync(join(worktree.path, 'kept.txt'), 'utf8')).toBe('old\r\n')
    put(worktree.path, 'new.txt', 'a\r\nb\r\n')
    await keep(worktree)
    expect(git(root, 'cat-file', '-p', `${worktree.branch}:new.txt`)).toBe('a\nb')
  })

  test('names with line breaks, quotes and unicode', async () => {
    const { root, made, keep } = repositoryWithHome()
    const names = ['a\nb.txt', '"q".txt', 'in space .txt', 'ünïcödé ☃.txt', '-dash.txt', ':(top)magic.txt', 'tab\t.txt']
    put(root, names[0] as string, 'old\n')
    git(root, 'add', '.')
    git(root, 'commit', '-qm', 'Names')
    const worktree = await made()
    for (const name of names) put(worktree.path, name, 'new\n')
    expect(await keep(worktree)).toMatchObject({ kind: 'committed' })
    const kept = git(root, 'diff', '--name-only', '-z', 'main', worktree.branch)
      .split('\0')
      .filter((name) => name !== '')
    expect(kept.sort()).toEqual([...names].sort())
  })

  test('reftable is refused with a sentence', () => {
    const { root, worktrees } = repositoryWithHome()
    git(root, 'config', 'extensions.refStorage', 'reftable')
    expect(worktrees.find(root)).toEqual({ refused: expect.stringContaining('reftable') })
  })
})

describe('files that a worktree is brought', () => {
  test('ignored ones that a pattern names, none over another, none through a link', async () => {
    const { root, made, worktrees } = repositoryWithHome()
    put(root, '.gitignore', '.env*\n/secret/\n/out\n')
    put(root, '.worktreeinclude', '# for agents\n.env\n!.env.never\nsecret/*.key\nuntracked.txt\nout/*\n')
    git(root, 'add', '.')
    git(root, 'commit', '-qm', 'Ignore')
    for (const name of [
      '.env',
      '.env.local',
      '.env.never',
      'dir/.env',
      'secret/a.key',
      'secret/b.txt',
      'untracked.txt',
      'out/x',
    ]) {
      put(root, name, `${name}\n`)
    }
    symlinkSync('.env', join(root, 'secret/link.key'))
    const worktree = await made()
    put(worktree.path, '.env', 'own\n')
    const elsewhere = temporaryFolder()
    symlinkSync(elsewhere, join(worktree.path, 'out'))
    expect(await worktrees.bring(worktree, wanted('.env.local'))).toBe(4)
    const many = Array.from({ length: 500 }, (_, i) => `of-many-${i}`)
    expect(await worktrees.bring(worktree, wanted(...many))).toEqual({
      refused: `.worktreeinclude and worktree_include of ${root} have 505 patterns, and fleet reads at most 500: name fewer, and make folders of dependencies with setup`,
    })
    const has = (name: string) => existsSync(join(worktree.path, name))
    expect(['dir/.env', '.env.local', 'secret/a.key', '.env.never', 'secret/b.txt', 'untracked.txt'].map(has)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
    expect(readFileSync(join(worktree.path, '.env'), 'utf8')).toBe('own\n')
    expect(existsSync(join(elsewhere, 'x'))).toBe(false)
  })
})

test('a disk that runs full leaves no half of a worktree, and the next try makes it', async () => {
  const disk = smallDisk(16)
  if (disk === undefined) return
  const { root } = repositoryWithHome()
  for (let i = 0; i < 40; i++) writeFileSync(join(root, `big-${i}`), Buffer.alloc(100_000, i))
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'Big')
  const home = join(disk, 'home')
  mkdirSync(home)
  const { intended, worktrees } = inRepository(root, home)
  const worktree = await intended()
  const ballast = fill(disk, 1_000_000)
  await expect(worktrees.make(worktree)).rejects.toMatchObject({ cause: { code: 'ENOSPC' } })
  expect(existsSync(worktree.path)).toBe(false)
  rmSync(ballast)
  expect(await worktrees.make(worktree)).toBeUndefined()
  expect(git(worktree.path, 'status', '--porcelain')).toBe('')
})
