import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { copyIndex } from '../../../src/platform/files/folder.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { TRAPS, trappedCheckout } from '../../support/git-traps.ts'
import { fill, smallDisk } from '../../support/small-disk.ts'
import { git, inRepository, put, repositoryWithHome } from '../../support/worktree.ts'

test('everything that is not ignored is kept: changed, added, deleted, renamed, a mode, a link', async () => {
  const { root, made, keep } = repositoryWithHome()
  put(root, '.gitignore', '*.log\n')
  for (const name of ['gone.txt', 'renamed.txt', 'file-to-folder', 'tool.sh']) put(root, name, `${name}\n`)
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'More')
  const worktree = await made()
  const { path } = worktree
  put(path, 'kept.txt', 'new\n')
  put(path, 'deep/er/added.txt', 'added\n')
  put(path, 'ignored.log', 'no\n')
  rmSync(join(path, 'gone.txt'))
  git(path, 'mv', 'renamed.txt', 'other.txt')
  rmSync(join(path, 'file-to-folder'))
  put(path, 'file-to-folder/inside.txt', 'x\n')
  execFileSync('chmod', ['+x', join(path, 'tool.sh')])
  symlinkSync('kept.txt', join(path, 'link'))
  const kept = await keep(worktree)
  expect(kept).toEqual({ kind: 'committed', head: git(root, 'rev-parse', worktree.branch) })
  expect(git(root, 'diff', '--name-status', '--no-renames', 'main', worktree.branch).split('\n')).toEqual([
    'A\tdeep/er/added.txt',
    'D\tfile-to-folder',
    'A\tfile-to-folder/inside.txt',
    'D\tgone.txt',
    'M\tkept.txt',
    'A\tlink',
    'A\tother.txt',
    'D\trenamed.txt',
    'M\ttool.sh',
  ])
  expect(git(path, 'status', '--porcelain')).toBe('')
  expect(existsSync(join(path, 'ignored.log'))).toBe(true)
  expect(await keep(worktree)).toEqual({ kind: 'clean', head: kept.kind === 'committed' ? kept.head : '' })
})

test('the commit has the name of the user, and of the repository where that has its own', async () => {
  const { root, made, keep } = repositoryWithHome()
  git(root, 'config', 'user.name', 'Anna')
  git(root, 'config', 'user.email', 'anna@work.example')
  const worktree = await made()
  put(worktree.path, 'work.txt', 'x\n')
  await keep(worktree)
  expect(git(root, 'log', '-1', '--format=%an <%ae> %cn <%ce>', worktree.branch)).toBe(
    'Anna <anna@work.example> Anna <anna@work.example>',
  )
})

test('the commit has the name that the configuration of the user has for repositories in that folder', async () => {
  const { root, made, keep } = repositoryWithHome()
  const home = temporaryFolder()
  put(
    home,
    '.gitconfig',
    `[user]\n\tname = Anna\n\temail = anna@home.example\n[includeIf "gitdir:${root}/"]\n\tpath = work\n`,
  )
  put(home, 'work', '[user]\n\temail = anna@work.example\n[committer]\n\tname = Bot\n')
  vi.stubEnv('HOME', home)
  vi.stubEnv('GIT_CONFIG_GLOBAL', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  const worktree = await made()
  put(worktree.path, 'work.txt', 'x\n')
  await keep(worktree)
  expect(git(root, 'log', '-1', '--format=%an <%ae> %cn <%ce>', worktree.branch)).toBe(
    'Anna <anna@work.example> Bot <anna@work.example>',
  )
})

test('a lock, a merge that was begun and a damaged index do not matter, and do not wait for the next agent', async () => {
  const { root, made, keep } = repositoryWithHome()
  const worktree = await made()
  const folder = git(worktree.path, 'rev-parse', '--absolute-git-dir')
  put(worktree.path, 'work.txt', 'x\n')
  const locks = [
    join(folder, 'index.lock'),
    join(folder, 'HEAD.lock'),
    join(root, `.git/refs/heads/${worktree.branch}.lock`),
  ]
  for (const lock of locks) writeFileSync(lock, '')
  writeFileSync(join(folder, 'MERGE_HEAD'), `${worktree.base}\n`)
  writeFileSync(join(folder, 'index'), 'no index')
  expect(await keep(worktree)).toMatchObject({ kind: 'committed' })
  expect(git(root, 'ls-tree', '--name-only', worktree.branch)).toContain('work.txt')
  put(worktree.path, 'more.txt', 'x\n')
  git(worktree.path, 'add', '.')
  git(worktree.path, 'commit', '-qm', 'More')
  expect(git(worktree.path, 'log', '-1', '--format=%P').split(' ')).toHaveLength(1)
})

test('changes that a merge had put aside stay under a ref of their own', async () => {
  const { root, made, keep } = repositoryWithHome()
  const worktree = await made()
  put(root, 'kept.txt', 'of main\n')
  git(root, 'commit', '-qam', 'Main')
  put(worktree.path, 'kept.txt', 'of the agent\n')
  git(worktree.path, 'commit', '-qam', 'Agent')
  put(worktree.path, 'dir/deep.txt', 'not committed\n')
  expect(() => git(worktree.path, 'merge', '--autostash', 'main')).toThrow()
  expect(await keep(worktree)).toMatchObject({ kind: 'committed' })
  expect(git(root, 'show', 'refs/fleet/rescue/run-1-autostash:dir/deep.txt')).toBe('not committed')
  expect(git(worktree.path, 'status')).not.toMatch(/merg/)
})

test('locks of an attempt that nobody ended do not wait for the next one', async () => {
  const { made, worktrees } = repositoryWithHome()
  const worktree = await made()
  writeFileSync(join(git(worktree.path, 'rev-parse', '--absolute-git-dir'), 'index.lock'), '')
  expect(await worktrees.make(worktree)).toBeUndefined()
  put(worktree.path, 'work.txt', 'x\n')
  git(worktree.path, 'add', '.')
})

test('an index that an agent made huge is made again, and not copied', async () => {
  const { made, keep } = repositoryWithHome()
  const worktree = await made()
  put(worktree.path, 'new.txt', 'new\n')
  const index = join(git(worktree.path, 'rev-parse', '--absolute-git-dir'), 'index')
  // Git ignores a part that it does not know, of any size.
  const bytes = readFileSync(index)
  const part = Buffer.alloc(8, 'AAAA')
  const size = 600 << 20
  part.writeUInt32BE(size, 4)
  writeFileSync(index, Buffer.concat([bytes.subarray(0, -20), part]))
  truncateSync(index, bytes.length - 20 + 8 + size + 20)
  expect(git(worktree.path, 'ls-files')).toContain('kept.txt')
  expect(() => copyIndex(index, `${index}.copy`)).toThrow('larger than an index of git gets')
  expect(await keep(worktree)).toMatchObject({ kind: 'committed' })
  expect(git(worktree.path, 'show', '--stat', '--format=', 'HEAD')).toContain('new.txt | 1 +')
})

test('an index that is a link is replaced, and not written through', async () => {
  const { made, keep } = repositoryWithHome()
  const worktree = await made()
  const folder = git(worktree.path, 'rev-parse', '--absolute-git-dir')
  const precious = join(temporaryFolder(), 'precious')
  writeFileSync(precious, 'mine\n')
  rmSync(join(folder, 'index'))
  symlinkSync(precious, join(folder, 'index'))
  put(worktree.path, 'work.txt', 'x\n')
  expect(await keep(worktree)).toMatchObject({ kind: 'committed' })
  expect(readFileSync(precious, 'utf8')).toBe('mine\n')
  expect(git(worktree.path, 'status', '--porcelain')).toBe('')
})

test('a thousand files', async () => {
  const { root, made, keep } = repositoryWithHome()
  const worktree = await made()
  for (let i = 0; i < 1000; i++) put(worktree.path, `many/${i % 10}/${i}.txt`, `${i}\n`)
  await keep(worktree)
  expect(git(root, 'ls-tree', '-r', '--name-only', worktree.branch, 'many/').split('\n')).toHaveLength(1000)
})

test('a repository inside is left where it is', async () => {
  const { root, made, keep } = repositoryWithHome()
  const worktree = await made()
  put(worktree.path, 'vendor/x/file.txt', 'x\n')
  git(join(worktree.path, 'vendor/x'), 'init', '-q')
  put(worktree.path, 'work.txt', 'x\n')
  await keep(worktree)
  expect(git(root, 'ls-tree', '-r', '--name-only', worktree.branch).split('\n')).toEqual([
    'dir/deep.txt',
    'kept.txt',
    'work.txt',
  ])
})

describe('an agent that leaves HEAD elsewhere', () => {
  test('on a branch that goes on from its own: the work is on its branch, and that is checked out', async () => {
    const { root, made, keep } = repositoryWithHome()
    const worktree = await made()
    git(worktree.path, 'checkout', '-qb', 'feature')
    put(worktree.path, 'one.txt', 'x\n')
    git(worktree.path, 'add', '.')
    git(worktree.path, 'commit', '-qm', 'One')
    put(worktree.path, 'two.txt', 'x\n')
    expect(await keep(worktree)).toMatchObject({ kind: 'committed' })
    expect(git(root, 'log', '--format=%s', worktree.branch).split('\n')).toEqual(['Kept', 'One', 'First'])
    expect(git(worktree.path, 'status', '--porcelain', '--branch')).toBe(`## ${worktree.branch}`)
  })

  test('on something else: the work is under a ref of its own, and its branch stays', async () => {
    const { root, made, keep } = repositoryWithHome()
    const worktree = await made()
    put(worktree.path, 'one.txt', 'x\n')
    const { head } = (await keep(worktree)) as { head: string }
    git(worktree.path, 'checkout', '-q', '--orphan', 'other')
    git(worktree.path, 'commit', '-qm', 'Other')
    put(worktree.path, 'two.txt', 'x\n')
    expect(await keep(worktree, 'run-7')).toEqual({
      kind: 'astray',
      head: git(root, 'rev-parse', 'refs/fleet/rescue/run-7'),
      on: 'other',
    })
    expect(git(root, 'rev-parse', worktree.branch)).toBe(head)
    expect(git(root, 'log', '--format=%s', 'refs/fleet/rescue/run-7').split('\n')).toEqual(['Kept', 'Other'])
  })

  test('with its branch deleted: it is made again, with the work', async () => {
    const { root, made, keep } = repositoryWithHome()
    const worktree = await made()
    put(worktree.path, 'one.txt', 'x\n')
    git(worktree.path, 'add', '.')
    git(worktree.path, 'commit', '-qm', 'One')
    git(worktree.path, 'checkout', '-q', '--detach')
    git(root, 'branch', '-qD', worktree.branch)
    expect(await keep(worktree)).toMatchObject({ kind: 'clean' })
    expect(git(root, 'log', '--format=%s', worktree.branch).split('\n')).toEqual(['One', 'First'])
  })
})

test('a worktree that was pointed at another repository is kept in its own', async () => {
  const { root, made, keep } = repositoryWithHome()
  const worktree = await made()
  const other = repositoryWithHome().root
  const before = git(other, 'for-each-ref')
  put(worktree.path, '.git', `gitdir: ${other}/.git\n`)
  put(worktree.path, 'work.txt', 'x\n')
  expect(await keep(worktree)).toMatchObject({ kind: 'committed' })
  expect(git(root, 'ls-tree', '--name-only', worktree.branch)).toContain('work.txt')
  expect(git(other, 'for-each-ref')).toBe(before)
})

test('a repository that an agent made in place of its worktree is set aside', async () => {
  const { root, home, made, keep } = repositoryWithHome()
  const worktree = await made()
  rmSync(join(worktree.path, '.git'))
  git(worktree.path, 'init', '-q')
  put(worktree.path, 'work.txt', 'x\n')
  expect(await keep(worktree)).toMatchObject({ kind: 'committed' })
  expect(git(root, 'ls-tree', '--name-only', worktree.branch).split('\n')).toEqual(['dir', 'kept.txt', 'work.txt'])
  expect(existsSync(join(home, 'worktrees'))).toBe(true)
})

describe.each(Object.entries(TRAPS))('%s', (_name, { plant }) => {
  test('runs neither when a worktree is made nor when its work is kept', async () => {
    const folder = temporaryFolder()
    const { checkout, program, marks } = trappedCheckout(folder)
    const home = join(folder, 'home')
    mkdirSync(home)
    const first = await inRepository(checkout.root, home).made('fleet-a1b')
    plant(checkout, program)
    checkout.put('kept.txt', 'OLD\n')
    const before = marks()
    const { intended, worktrees, keep } = inRepository(checkout.root, home)
    // What an agent wrote into the tree itself, too.
    put(first.path, '.gitattributes', '*.txt filter=trap diff=trap merge=trap\n')
    put(first.path, 'kept.txt', 'work\n')
    utimesSync(join(first.path, 'kept.txt'), 0, 0)
    await keep(first)
    await intended('fleet-b2c').then(worktrees.make, () => undefined)
    expect(marks()).toEqual(before)
  })
})

test('a disk that is full keeps the work where it is, and the next try commits it', async () => {
  const disk = smallDisk(8)
  if (disk === undefined) return
  const { root, made, keep } = repositoryWithHome(disk)
  const worktree = await made()
  for (let i = 0; i < 20; i++) writeFileSync(join(worktree.path, `big-${i}`), randomBytes(100_000))
  const ballast = fill(disk, 300_000)
  await expect(keep(worktree)).rejects.toMatchObject({ cause: { code: 'ENOSPC' } })
  expect(git(root, 'rev-parse', worktree.branch)).toBe(worktree.base)
  rmSync(ballast)
  expect(await keep(worktree)).toMatchObject({ kind: 'committed' })
  expect(git(worktree.path, 'status', '--porcelain')).toBe('')
})
