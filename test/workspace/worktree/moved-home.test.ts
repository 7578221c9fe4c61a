import { cpSync, existsSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Worktree } from '../../../src/domain/run/worktree.ts'
import { git, inRepository, put, repositoryWithHome } from '../../support/worktree.ts'

/** A worktree belongs to its home, wherever that is now. */

async function withWork() {
  const { root, home, made, keep } = repositoryWithHome()
  const worktree = await made()
  put(worktree.path, 'one.txt', 'x\n')
  await keep(worktree)
  put(worktree.path, 'two.txt', 'x\n')
  const moved = `${home}-moved`
  return { root, home, worktree, moved, there: inRepository(root, moved) }
}

test('a home that was moved has its worktrees, with everything in them', async () => {
  const { root, home, worktree, moved, there } = await withWork()
  renameSync(home, moved)
  const found = there.worktrees.inThisHome(worktree) as Worktree
  expect(found).toEqual({ ...worktree, path: join(moved, 'worktrees/fleet-a1b') })
  expect(await there.worktrees.make(found)).toBeUndefined()
  expect(git(found.path, 'status', '--porcelain', '--branch')).toBe(`## ${worktree.branch}\n?? two.txt`)
  expect(await there.keep(found)).toMatchObject({ kind: 'committed' })
  expect(git(root, 'log', '--format=%s', worktree.branch)).toBe('Kept\nKept\nFirst')
  expect(readdirSync(join(root, '.git/worktrees'))).toHaveLength(1)
  expect(existsSync(home)).toBe(false)
  // A supervisor that was killed before it wrote that down.
  expect(there.worktrees.inThisHome(worktree)).toEqual(found)
  expect(git(found.path, 'status', '--porcelain', '--branch')).toBe(`## ${worktree.branch}`)
})

test('a home that was moved without the files of a worktree gets them from its branch', async () => {
  const { home, worktree, moved, there } = await withWork()
  rmSync(worktree.path, { recursive: true })
  renameSync(home, moved)
  const found = there.worktrees.inThisHome(worktree) as Worktree
  expect(await there.worktrees.make({ ...found, state: 'made' })).toBeUndefined()
  expect(readdirSync(found.path).sort()).toEqual(['.git', 'dir', 'kept.txt', 'one.txt'])
})

test('another name of the home leads to the same worktree', async () => {
  const { home, worktree, moved, there } = await withWork()
  symlinkSync(home, moved)
  const found = there.worktrees.inThisHome(worktree) as Worktree
  expect(await there.worktrees.make(found)).toBeUndefined()
  expect(git(found.path, 'status', '--porcelain', '--branch')).toBe(`## ${worktree.branch}\n?? two.txt`)
})

test('a copy of a home leaves the worktrees of the other alone', async () => {
  const { home, worktree, moved, there } = await withWork()
  cpSync(home, moved, { recursive: true })
  expect(there.worktrees.inThisHome(worktree)).toEqual({
    refused: `its worktree is at ${worktree.path}, which is not in this home: if you moved the home, move it to ${moved}/worktrees/fleet-a1b, then fleet retry fleet-a1b; if this home is a copy, work on the task in the other one`,
  })
  expect(git(worktree.path, 'status', '--porcelain', '--branch')).toBe(`## ${worktree.branch}\n?? two.txt`)
})
