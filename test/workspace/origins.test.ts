import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Base, ChangesOrder } from '../../src/ports/workspace.ts'
import { inPlace } from '../../src/workspace/in-place.ts'
import { project } from '../support/project.ts'
import { git, put, type Repository, repositoryWithHome } from '../support/worktree.ts'

/** By subject, newest first: where each commit since the base was made. */
async function origins(base: Base, more: Pick<ChangesOrder, 'since' | 'artifacts' | 'home'> & Partial<ChangesOrder>) {
  const root = base.kind === 'git' ? base.root : base.cwd
  const { commits, files } = await inPlace.changes(base, more)
  return {
    commits: commits.map(({ id, origin }) => `${git(root, 'log', '-1', '--format=%s', id)}: ${origin ?? 'anywhere'}`),
    files: files.map(({ path }) => path),
  }
}

test('a commit was made here if the log of HEAD says so, and not if HEAD only moved there', async () => {
  const { path, artifacts, git: here } = project('git')
  const linked = join(dirname(path), 'linked')
  here('worktree', 'add', '-q', '-b', 'linked', linked)
  const commit = (subject: string, where = path) => {
    put(where, `${subject}.txt`, `${subject}\n`)
    git(where, 'add', '.')
    git(where, 'commit', '-qm', subject)
  }
  const base = await inPlace.base(path, '/nowhere')
  const since = Date.now()
  commit('(start) of it: fast-forward')
  here('checkout', '-qb', 'side')
  commit('side')
  here('checkout', '-q', 'main')
  commit('main')
  here('rebase', '-q', 'main', 'side')
  here('checkout', '-q', 'main')
  commit('more')
  here('merge', '-q', '--no-edit', 'side')
  commit('theirs', linked)
  here('cherry-pick', 'linked')
  here('checkout', '-q', '-b', 'forward', 'linked~1')
  here('merge', '-q', '--ff-only', 'linked')
  here('checkout', '-q', 'main')
  expect((await origins(base, { since, artifacts, home: '/nowhere' })).commits.sort()).toEqual([
    '(start) of it: fast-forward: here',
    "Merge branch 'side': here",
    'main: here',
    'more: here',
    'side: here',
    'theirs: anywhere',
    'theirs: here',
  ])
})

test('commits on branches of other tasks are not looked for; once they are merged or landed they are known as such', async () => {
  const { path, artifacts, git: here } = project('git')
  const linked = join(dirname(path), 'linked')
  here('worktree', 'add', '-q', '-b', 'fleet/other', linked)
  const base = await inPlace.base(path, '/nowhere')
  const order = { since: Date.now(), artifacts, home: '/nowhere' }
  for (const subject of ['one', 'two']) {
    put(linked, `${subject}.txt`, `${subject}\n`)
    git(linked, 'add', '.')
    git(linked, 'commit', '-qm', subject)
  }
  const ofFleet = { branches: ['fleet/other'], landed: [] }
  expect(await origins(base, { ...order, ofFleet })).toEqual({ commits: [], files: [] })
  expect((await origins(base, order)).commits).toEqual(['two: anywhere', 'one: anywhere'])
  here('merge', '-q', '--ff-only', 'fleet/other')
  const landed = { branches: [], landed: [here('rev-parse', 'main')] }
  for (const known of [ofFleet, landed])
    expect(await origins(base, { ...order, ofFleet: known })).toEqual({
      commits: ['two: by fleet', 'one: by fleet'],
      files: ['one.txt', 'two.txt'],
    })
})

async function inWorktree({ made, home }: Repository) {
  const { path, base: since, branch, target } = await made()
  const begun = async () => {
    const base = { ...(await inPlace.base(path, home)), own: { since, branch, target, at: Date.now() } } as Base
    const look = (ofFleet?: ChangesOrder['ofFleet']) =>
      origins(base, { since: 0, artifacts: join(home, 'artifacts'), home, ...(ofFleet && { ofFleet }) })
    return { path, look }
  }
  return { ...(await begun()), again: begun }
}

test('in a worktree, what was taken over from its target is no work of its task, with a merge as with a rebase', async () => {
  for (const how of [
    ['merge', '-q', '--no-edit', 'main'],
    ['rebase', '-q', 'main'],
  ]) {
    const repository = repositoryWithHome()
    const { path, look } = await inWorktree(repository)
    put(path, 'mine.txt', 'mine\n')
    git(path, 'add', '.')
    git(path, 'commit', '-qm', 'mine')
    put(repository.root, 'theirs.txt', 'theirs\n')
    git(repository.root, 'add', '.')
    git(repository.root, 'commit', '-qm', 'theirs')
    git(path, ...how)
    const { commits, files } = await look()
    expect([commits.filter((each) => !each.startsWith('Merge')), files]).toEqual([['mine: here'], ['mine.txt']])
  }
})

test('in a worktree, the work of an earlier attempt that was only brought onto a newer target is no work of this one', async () => {
  for (const how of [
    ['merge', '-q', '--no-edit', 'main'],
    ['rebase', '-q', 'main'],
  ]) {
    const repository = repositoryWithHome()
    const earlier = await inWorktree(repository)
    const { path } = earlier
    const shared = (...last: readonly string[]) => ['one', 'two', 'three', 'four', ...last].join('\n')
    put(path, 'mine.txt', 'mine\n')
    put(path, 'shared.txt', shared('mine\n'))
    git(path, 'add', '.')
    git(path, 'commit', '-qm', 'mine')
    const { path: top, ...own } = await earlier.again()
    put(repository.root, 'theirs.txt', 'theirs\n')
    put(repository.root, 'binary.bin', '\0')
    git(repository.root, 'add', '.')
    git(repository.root, 'commit', '-qm', 'theirs')
    git(top, ...how)
    expect(await own.look()).toEqual({ commits: [], files: [] })
    put(top, 'shared.txt', shared('mine, and better\n'))
    git(top, 'commit', '-qam', 'better')
    put(top, 'new.txt', 'new\n')
    expect(await own.look()).toMatchObject({ files: ['new.txt', 'shared.txt'] })
    expect((await own.look()).commits).toContain('better: here')
  }
})

test('a merge that only takes over other work shows none, even as a commit of its own', async () => {
  const repository = repositoryWithHome()
  const { path, look } = await inWorktree(repository)
  git(repository.root, 'checkout', '-qb', 'theirs')
  put(repository.root, 'theirs.txt', 'theirs\n')
  git(repository.root, 'add', '.')
  git(repository.root, 'commit', '-qm', 'theirs')
  git(path, 'merge', '-q', '--no-ff', '--no-edit', 'theirs')
  expect((await look()).commits).toEqual(['theirs: anywhere'])
  expect((await look({ branches: ['theirs'], landed: [] })).commits).toEqual(['theirs: by fleet'])
})

test('in a worktree, a commit that no log knows of is its own if no other branch has it', async () => {
  const repository = repositoryWithHome()
  git(repository.root, 'config', 'core.logAllRefUpdates', 'false')
  const { path, look } = await inWorktree(repository)
  put(path, 'mine.txt', 'mine\n')
  git(path, 'add', '.')
  git(path, 'commit', '-qm', 'mine')
  expect((await look()).commits).toEqual(['mine: here'])
  git(path, 'branch', 'copy')
  expect((await look()).commits).toEqual(['mine: anywhere'])
})

test('a branch or tag belongs to the checkout where its commit was made; the branch of the task and landings are known', async () => {
  const { path, artifacts, write, git: here } = project('git')
  const base = await inPlace.base(path, '/nowhere', { kind: 'branch' })
  const order = { since: Date.now(), artifacts, home: '/nowhere' }
  here('branch', 'old', here('commit-tree', '-m', 'old', 'HEAD^{tree}'))
  here('branch', 'fleet/other')
  write('a.txt', 'mine\n')
  here('commit', '-qam', 'mine')
  here('tag', '-a', '-m', 'mine', 'mine')
  here('branch', 'landed', here('commit-tree', '-m', 'landed', 'HEAD^{tree}'))
  const ofFleet = { branches: ['fleet/other'], landed: [here('rev-parse', 'landed')] }
  const { refs = [] } = await inPlace.changes(base, { ...order, ofFleet })
  expect(Object.fromEntries(refs.map(({ name, origin }) => [name, origin ?? 'anywhere']))).toEqual({
    'refs/heads/main': 'here',
    'refs/heads/fleet/other': 'by fleet',
    'refs/heads/landed': 'by fleet',
    'refs/heads/old': 'anywhere',
    'refs/tags/mine': 'here',
  })
})
