import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { git, put, repositoryWithHome } from '../../support/worktree.ts'

test('where a repository wrongly says that case is ignored, as one from another machine, work is kept under the names that it has', async () => {
  const { root, made, keep } = repositoryWithHome()
  git(root, 'config', 'core.ignorecase', 'true')
  const [first, second] = [await made('fleet-a1b'), await made('fleet-A1B')]
  expect([first.branch, second.branch]).toEqual(['fleet/fleet-a1b', 'fleet/fleet-A1B-2'])
  expect(git(second.path, 'status', '--porcelain')).toBe('')
  renameSync(join(second.path, 'kept.txt'), join(second.path, 'Kept.txt'))
  put(second.path, 'DIR/other.txt', 'other\n')
  await keep(second)
  const names = git(root, 'ls-tree', '-r', '--name-only', second.branch).split('\n')
  expect([git(second.path, 'status', '--porcelain'), names]).toEqual([
    '',
    ['DIR/other.txt', 'Kept.txt', 'dir/deep.txt'],
  ])
})
