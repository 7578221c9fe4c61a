import { appendFileSync, chmodSync, existsSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { beginningOf } from '../../../src/platform/files/beginning-of.ts'
import { git, put, repositoryWithHome, wanted } from '../../support/worktree.ts'

test('a large file is brought while other work goes on, until nobody wants it; more than fleet brings are refused', async () => {
  const { root, made, worktrees } = repositoryWithHome()
  put(root, '.gitignore', '*.db\n')
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'Ignore')
  const worktree = await made()
  put(root, 'large.db', 'begin')
  truncateSync(join(root, 'large.db'), 1 << 30)
  appendFileSync(join(root, 'large.db'), 'end')
  chmodSync(join(root, 'large.db'), 0o750)
  const brought = join(worktree.path, 'large.db')
  // As a killed copy leaves it.
  const left = join(worktree.path, '..', `.bringing-${worktree.task}`)
  writeFileSync(left, 'left')
  const seen = new Set<number>()
  let turns = 0
  const turn = (): void => {
    turns++
    if (existsSync(brought)) seen.add(statSync(brought).size)
    ticking = setImmediate(turn)
  }
  let ticking = setImmediate(turn)
  expect(await worktrees.bring(worktree, { patterns: ['*.db'], isWanted: () => turns < 20 })).toBe('stopped')
  expect(existsSync(brought)).toBe(false)
  expect(await worktrees.bring(worktree, wanted('*.db'))).toBe(1)
  clearImmediate(ticking)
  const { size, mode } = statSync(brought)
  expect([size, mode & 0o777, beginningOf(brought, 5)]).toEqual([(1 << 30) + 3, 0o750, 'begin'])
  expect(turns).toBeGreaterThan(500)
  // Also if it had been killed at any moment, it would be whole or not there.
  expect([...seen].filter((each) => each !== size)).toEqual([])
  expect(existsSync(left)).toBe(false)
  put(root, 'more.db', '')
  truncateSync(join(root, 'more.db'), 2 ** 31 + 1)
  expect(await worktrees.bring(worktree, wanted('*.db'))).toEqual({
    refused: `.worktreeinclude and worktree_include of ${root} name files of more than 2 GB, among them more.db, and fleet brings no more: name fewer, and make folders of dependencies with setup`,
  })
  expect(existsSync(join(worktree.path, 'more.db'))).toBe(false)
})

test('a file that only the primary checkout ignores is not brought: it would become work', async () => {
  const { root, made, worktrees } = repositoryWithHome()
  const worktree = await made()
  put(root, '.gitignore', '.env\n')
  put(root, '.env', 'secret\n')
  expect(await worktrees.bring(worktree, wanted('.env'))).toBe(0)
  expect(git(worktree.path, 'status', '--porcelain')).toBe('')
})
