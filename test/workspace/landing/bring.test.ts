import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LandingRepository } from '../../support/landing-repository.ts'

/** The tree that would land: complete enough to be checked, and refused for the reason that there is. */

test('it has the submodules, with commits of the user and of the agent', async () => {
  const it = new LandingRepository()
  const inner = new LandingRepository()
  const allowed = ['-c', 'protocol.file.allow=always']
  it.git(...allowed, 'submodule', '--quiet', 'add', inner.path, 'lib/inner')
  it.git('commit', '-qm', 'inner')
  const first = it.work('x', { 'c.txt': 'c\n' })
  it.commit('meanwhile', { 'a.txt': 'other\n' })
  const inside = async (task: string, work: typeof first): Promise<string | undefined> => {
    const { brought } = await it.bring(task, work)
    const path = brought.kind === 'built' ? join(brought.path, 'lib/inner/a.txt') : ''
    return existsSync(path) ? readFileSync(path, 'utf8') : brought.kind
  }
  expect(await inside('x', first)).toBe('a\n')
  const later = it.work('y', { 'd.txt': 'd\n' })
  const there = join(it.folder, 'worktrees', 'y')
  it.gitIn(there, ...allowed, 'submodule', '--quiet', 'update', '--init')
  inner.commit('newer', { 'a.txt': 'newer\n' })
  it.gitIn(join(there, 'lib/inner'), 'pull', '-q', 'origin', 'main')
  it.gitIn(there, 'commit', '-qam', 'Take the newer one')
  expect(await inside('y', { ...later, commit: it.gitIn(there, 'rev-parse', 'HEAD') })).toBe('newer\n')
})
