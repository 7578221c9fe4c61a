import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../support/cli.ts'
import { fill, smallDisk } from '../../support/small-disk.ts'
import { git, inRepository, put, repositoryWithHome, wanted } from '../../support/worktree.ts'

/** A full disk is the machine's trouble, which the caller waits for: nothing is refused, and the next try succeeds. */

const FULL = { cause: { code: 'ENOSPC' } }

/** A repository on a small disk with its home on another one, or the other way round. */
function onSmallDisk(which: 'repository' | 'home', megabytes = 8) {
  const disk = smallDisk(megabytes)
  if (disk === undefined) return undefined
  const { root } = repositoryWithHome(which === 'repository' ? disk : undefined)
  const home = join(which === 'home' ? disk : temporaryFolder(), 'home')
  mkdirSync(home, { recursive: true })
  return { disk, ...inRepository(root, home) }
}

test('the branch of a worktree', async () => {
  const parts = onSmallDisk('repository')
  if (parts === undefined) return
  const { disk, intended, worktrees } = parts
  const worktree = await intended()
  const ballast = fill(disk, 0)
  await expect(worktrees.make(worktree)).rejects.toMatchObject(FULL)
  rmSync(ballast)
  expect(await worktrees.make(worktree)).toBeUndefined()
  expect(git(worktree.path, 'status', '--porcelain', '--branch')).toBe(`## ${worktree.branch}`)
})

test('work that only has to reach its branch', async () => {
  const parts = onSmallDisk('repository')
  if (parts === undefined) return
  const { root, disk, made, keep } = parts
  const worktree = await made()
  git(worktree.path, 'checkout', '-q', '--detach')
  git(worktree.path, 'commit', '-qm', 'Work', '--allow-empty')
  const ballast = fill(disk, 0)
  await expect(keep(worktree)).rejects.toMatchObject(FULL)
  rmSync(ballast)
  expect(await keep(worktree)).toMatchObject({ kind: 'clean' })
  expect(git(root, 'log', '-1', '--format=%s', worktree.branch)).toBe('Work')
})

test('the files of a submodule', async () => {
  const parts = onSmallDisk('home')
  if (parts === undefined) return
  const { root, disk, intended, worktrees } = parts
  const inner = repositoryWithHome().root
  for (let i = 0; i < 30; i++) writeFileSync(join(inner, `big-${i}`), randomBytes(100_000))
  git(inner, 'add', '.')
  git(inner, 'commit', '-qm', 'Big')
  git(root, 'submodule', 'add', '-q', inner, 'lib/inner')
  git(root, 'commit', '-qm', 'Inner')
  const worktree = await intended()
  const ballast = fill(disk, 1_000_000)
  await expect(worktrees.make(worktree)).rejects.toMatchObject(FULL)
  expect(existsSync(worktree.path)).toBe(false)
  rmSync(ballast)
  expect(await worktrees.make(worktree)).toBeUndefined()
  expect(git(join(worktree.path, 'lib/inner'), 'status', '--porcelain')).toBe('')
})

test('files that a worktree is brought', async () => {
  const parts = onSmallDisk('home')
  if (parts === undefined) return
  const { root, disk, made, worktrees } = parts
  put(root, '.gitignore', '*.db\n')
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'Ignore')
  writeFileSync(join(root, 'big.db'), randomBytes(2_000_000))
  const worktree = await made()
  const ballast = fill(disk, 1_000_000)
  await expect(worktrees.bring(worktree, wanted('*.db'))).rejects.toMatchObject({ code: 'ENOSPC' })
  rmSync(ballast)
  expect(await worktrees.bring(worktree, wanted('*.db'))).toBe(1)
  expect(readFileSync(join(worktree.path, 'big.db')).equals(readFileSync(join(root, 'big.db')))).toBe(true)
})

test('the ref that keeps squashed work when its worktree is removed', async () => {
  const parts = onSmallDisk('repository')
  if (parts === undefined) return
  const { root, disk, made, worktrees } = parts
  const worktree = await made()
  worktrees.setAside(worktree)
  const how = { tip: worktree.base, rescue: 'refs/fleet/rescue/run-1' }
  const ballast = fill(disk, 0)
  await expect(worktrees.remove(worktree, how)).rejects.toThrow('refs/fleet/rescue/run-1 was not made')
  expect(git(root, 'branch', '--list', 'fleet/*', '--format=%(refname:short)')).toBe(worktree.branch)
  rmSync(ballast)
  await worktrees.remove(worktree, how)
  expect(git(root, 'branch', '--list', 'fleet/*')).toBe('')
  expect(git(root, 'rev-parse', 'refs/fleet/rescue/run-1')).toBe(worktree.base)
})
