import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { homeWorktrees } from '../../../src/workspace/worktree/worktrees.ts'
import { ownerOf } from '../../support/git-owner.ts'
import { LandingRepository } from '../../support/landing-repository.ts'

const subjects = (repository: LandingRepository) => repository.git('log', '--format=%s|%an', 'main').split('\n')

test('commits land one by one on the tip of the target, and the checkout follows', async () => {
  const it = new LandingRepository()
  const work = it.work('x', { 'c.txt': 'c\n' }, { 'd.txt': 'd\n' })
  it.commit('meanwhile', { 'a.txt': 'other\n' })
  expect(await it.land('x', work)).toEqual({ kind: 'moved' })
  expect(subjects(it)).toEqual(['x 2|t', 'x 1|t', 'meanwhile|t', 'first|t'])
  expect(it.git('status', '--porcelain')).toBe('')
  expect(readFileSync(join(it.path, 'd.txt'), 'utf8')).toBe('d\n')
  // No trace but the commits: the worktree of the landing is none of the repository's.
  expect(it.git('worktree', 'list').split('\n')).toHaveLength(2)
  expect(it.git('rev-parse', 'fleet/x')).toBe(work.commit)
  expect(it.git('reflog', '-1', '--format=%gs')).toContain('merge')
})

test('a squash is one commit of the user, with the task in a trailer', async () => {
  const it = new LandingRepository()
  const work = it.work('x', { 'c.txt': 'c\n' }, { 'd.txt': 'd\n' })
  it.commit('meanwhile', { 'a.txt': 'other\n' })
  expect(await it.land('x', work, { as: 'squash' })).toEqual({ kind: 'moved' })
  expect(subjects(it)).toEqual(['Do x|Ada', 'meanwhile|t', 'first|t'])
  expect(it.git('log', '-1', '--format=%(trailers)')).toBe('Fleet-Task: fleet-x')
})

test('a merge keeps the commits of the task as they are', async () => {
  const it = new LandingRepository()
  const work = it.work('x', { 'c.txt': 'c\n' })
  expect(await it.land('x', work, { as: 'merge' })).toEqual({ kind: 'moved' })
  expect(it.git('log', '-1', '--format=%s|%an|%P')).toBe(`Merge fleet/x: Do x|Ada|${it.base} ${work.commit}`)
})

test('work on the tip of the target lands as it is, and what is there already lands nothing', async () => {
  const it = new LandingRepository()
  const work = it.work('x', { 'c.txt': 'c\n' })
  expect(await it.land('x', work)).toEqual({ kind: 'moved' })
  expect(it.git('rev-parse', 'main')).toBe(work.commit)
  expect(await it.land('x', work)).toEqual({ kind: 'nothing' })
  const again = it.work('y', { 'e.txt': 'e\n' })
  it.commit('the same by hand', { 'e.txt': 'e\n' })
  for (const as of ['commits', 'squash'] as const) {
    expect(await it.land('y', again, { as })).toEqual({ kind: 'nothing' })
  }
})

test('a merge that an agent made to resolve a conflict is not done again', async () => {
  const it = new LandingRepository()
  const work = it.work('x', { 'a.txt': 'mine\n' })
  it.commit('theirs', { 'a.txt': 'theirs\n' })
  const path = join(it.folder, 'worktrees', 'x')
  expect(() => it.gitIn(path, 'merge', '-q', 'main')).toThrow()
  writeFileSync(join(path, 'a.txt'), 'both\n')
  it.gitIn(path, 'commit', '-qam', 'bring main in')
  it.commit('later', { 'b.txt': 'later\n' })
  const commit = it.gitIn(path, 'rev-parse', 'HEAD')
  expect(await it.land('x', { ...work, commit })).toEqual({ kind: 'moved' })
  expect(it.git('show', 'main:a.txt')).toBe('both')
})

test.each(['commits', 'squash', 'merge'] as const)('a conflict names its files, and nothing moves: %s', async (as) => {
  const it = new LandingRepository()
  const name = 'ü\n"q".txt'
  it.commit('odd', { [name]: 'one\n' })
  const work = it.work('x', { 'a.txt': 'mine\n', [name]: 'mine\n' })
  const tip = it.commit('theirs', { 'a.txt': 'theirs\n', [name]: 'theirs\n' })
  const conflict = await it.land('x', work, { as })
  expect(conflict).toEqual({
    kind: 'conflict',
    files: ['a.txt', name],
    output: expect.stringContaining('CONFLICT (content)'),
  })
  expect([it.git('rev-parse', 'main'), it.git('status', '--porcelain')]).toEqual([tip, ''])
})

test('conflicts between two commits on the way are found in the work tree', async () => {
  const it = new LandingRepository()
  // Together they change nothing in a.txt, so a merge would meet no conflict.
  const work = it.work('x', { 'a.txt': 'mine\n' }, { 'a.txt': 'a\n', 'c.txt': 'c\n' })
  it.commit('theirs', { 'a.txt': 'theirs\n' })
  expect(await it.land('x', work)).toMatchObject({ kind: 'conflict', files: ['a.txt'] })
  expect(await it.land('x', work, { as: 'squash' })).toEqual({ kind: 'moved' })
})

test('a landing that lost a race writes nothing', async () => {
  const it = new LandingRepository()
  const from = it.git('rev-parse', 'main')
  const { commit: to } = it.work('x', { 'c.txt': 'c\n' })
  const fingerprint = (await it.place.programs(it.path))?.fingerprint as string
  const order = { repository: it.path, target: 'main', task: 'x', from, to, fingerprint }
  const tip = it.commit('meanwhile', { 'a.txt': 'other\n' })
  expect(await it.place.move(order)).toEqual({ kind: 'lost-race' })
  it.git('checkout', '-q', '--detach')
  expect(await it.place.move(order)).toEqual({ kind: 'lost-race' })
  expect(it.git('rev-parse', 'main')).toBe(tip)
  // Nobody has it checked out, so the ref alone moves.
  expect(await it.place.move({ ...order, from: tip, to: it.git('rev-parse', 'main') })).toEqual({ kind: 'moved' })
})

test('a move only ever goes forward, and says if its commit is gone', async () => {
  const it = new LandingRepository()
  const from = it.commit('second', { 'a.txt': 'second\n' })
  const elsewhere = it.git('commit-tree', '-p', it.base, '-m', 'no child of it', 'main^{tree}')
  const fingerprint = (await it.place.programs(it.path))?.fingerprint as string
  const order = { repository: it.path, target: 'main', task: 'x', from, to: elsewhere, fingerprint }
  expect(await it.place.resumeMove(order)).toEqual({ kind: 'not-moved' })
  expect(await it.place.move(order)).toEqual({ kind: 'lost-race' })
  it.git('checkout', '-q', '--detach')
  expect(await it.place.move(order)).toEqual({ kind: 'lost-race' })
  expect([it.git('rev-parse', 'main'), it.git('status', '--porcelain')]).toEqual([from, ''])
  expect(await it.place.resumeMove({ ...order, to: 'a'.repeat(40) })).toEqual({ kind: 'gone' })
})

test('a target that is checked out nowhere moves, and no checkout changes', async () => {
  const it = new LandingRepository()
  const work = it.work('x', { 'c.txt': 'c\n' })
  it.git('checkout', '-q', '--detach')
  expect(await it.land('x', work)).toEqual({ kind: 'moved' })
  expect([it.git('rev-parse', 'main'), it.git('rev-parse', 'HEAD'), it.git('status', '--porcelain')]).toEqual([
    work.commit,
    it.base,
    '',
  ])
  expect(it.git('reflog', '-1', '--format=%gs', 'main')).toBe('fleet: land x')
})

test('a target that is checked out in another worktree is fast-forwarded there', async () => {
  const it = new LandingRepository()
  const work = it.work('x', { 'c.txt': 'c\n' })
  const other = join(it.folder, 'other')
  it.git('checkout', '-q', '-b', 'elsewhere')
  it.git('worktree', 'add', '-q', other, 'main')
  expect(await it.land('x', work)).toEqual({ kind: 'moved' })
  expect([it.gitIn(other, 'status', '--porcelain'), existsSync(join(other, 'c.txt'))]).toEqual(['', true])
  expect(existsSync(join(it.path, 'c.txt'))).toBe(false)
})

test('a bare repository with worktrees has no checkout of its own', async () => {
  const it = new LandingRepository()
  const home = homeWorktrees(join(it.folder, 'home'), { ownerOf })
  for (const name of ['a.txt', 'b.txt', '.git/index']) rmSync(join(it.path, name))
  renameSync(join(it.path, '.git'), join(it.path, '.bare'))
  writeFileSync(join(it.path, '.git'), 'gitdir: ./.bare\n')
  it.git('config', 'core.bare', 'true')
  const [main, none] = [join(it.path, 'main'), it.work('none', { 'c.txt': 'c\n' })]
  expect(await it.land('none', none)).toEqual({ kind: 'moved' })
  it.git('worktree', 'add', '-q', main, 'main')
  expect(await it.land('x', it.work('x', { 'd.txt': 'd\n' }))).toEqual({ kind: 'moved' })
  expect([it.gitIn(main, 'status', '--porcelain'), readdirSync(main).sort()]).toEqual([
    '',
    ['.git', 'a.txt', 'b.txt', 'c.txt', 'd.txt'],
  ])
  expect([readdirSync(it.path).sort(), existsSync(join(it.path, '.bare/index'))]).toEqual([
    ['.bare', '.git', 'main'],
    false,
  ])
  expect([home.find(it.path), home.find(main)]).toEqual([
    { refused: expect.stringContaining('is a bare repository with worktrees') },
    { root: main, folder: '' },
  ])
})

test('a checkout of some of the files stays one, whichever of the worktrees is sparse', async () => {
  const it = new LandingRepository()
  it.commit('folders', { 'in/a.txt': '1\n', 'out/b.txt': '1\n' })
  const other = join(it.folder, 'other')
  it.git('checkout', '-q', '-b', 'elsewhere')
  it.git('worktree', 'add', '-q', other, 'main')
  it.gitIn(other, 'sparse-checkout', 'set', 'in')
  expect(await it.land('x', it.work('x', { 'in/a.txt': '2\n', 'out/b.txt': '2\n', 'out/c.txt': '2\n' }))).toEqual({
    kind: 'moved',
  })
  const found = () => [readdirSync(other).sort(), it.gitIn(other, 'status', '--porcelain')]
  expect(found()).toEqual([['.git', 'a.txt', 'b.txt', 'in'], ''])
  it.gitIn(other, 'sparse-checkout', 'disable')
  const work = it.work('y', { 'in/a.txt': '3\n', 'out/b.txt': '3\n' })
  it.git('sparse-checkout', 'set', 'out')
  expect(await it.land('y', work)).toEqual({ kind: 'moved' })
  expect(found()).toEqual([['.git', 'a.txt', 'b.txt', 'in', 'out'], ''])
  expect(readFileSync(join(other, 'in/a.txt'), 'utf8')).toBe('3\n')
})

test('changes of a person are never overwritten: it waits, and says for what', async () => {
  const it = new LandingRepository()
  const work = it.work('x', { 'a.txt': 'mine\n', 'new.txt': 'mine\n' })
  it.write('a.txt', 'a person types\n')
  expect(await it.land('x', work)).toEqual({
    kind: 'waits',
    why: `main is checked out in ${it.path} with changes that the landing would overwrite: a.txt; commit, stash or remove them there`,
  })
  it.git('checkout', '--', 'a.txt')
  it.write('new.txt', 'not tracked\n')
  expect(await it.land('x', work)).toMatchObject({ kind: 'waits', why: expect.stringContaining('overwrite: new.txt;') })
  expect(readFileSync(join(it.path, 'new.txt'), 'utf8')).toBe('not tracked\n')
  rmSync(join(it.path, 'new.txt'))
  it.write('b.txt', 'in no way of the landing\n')
  expect(await it.land('x', work)).toEqual({ kind: 'moved' })
  expect(it.git('status', '--porcelain')).toBe('M b.txt')
})

test('a lock that a killed git left is named', async () => {
  const it = new LandingRepository()
  const work = it.work('x', { 'c.txt': 'c\n' })
  const lock = join(it.path, '.git/index.lock')
  writeFileSync(lock, '')
  expect(await it.land('x', work)).toEqual({
    kind: 'waits',
    why: `git cannot fast-forward main in ${it.path}: ${lock} exists; if no git is running there, remove it`,
  })
  rmSync(lock)
  it.git('checkout', '-q', '--detach')
  const ref = join(it.path, '.git/refs/heads/main.lock')
  writeFileSync(ref, '')
  expect(await it.land('x', work)).toMatchObject({ kind: 'waits', why: expect.stringContaining('main.lock exists') })
})

test('a rebase of the target by a person is waited for', async () => {
  const it = new LandingRepository()
  const work = it.work('x', { 'c.txt': 'c\n' })
  it.commit('mine', { 'a.txt': 'mine\n' })
  it.git('checkout', '-q', '-b', 'upstream', 'HEAD~1')
  it.commit('theirs', { 'a.txt': 'theirs\n' })
  it.git('checkout', '-q', 'main')
  expect(() => it.git('rebase', '-q', 'upstream')).toThrow()
  expect(await it.land('x', work)).toEqual({ kind: 'waits', why: `a rebase of main is under way in ${it.path}` })
})

test('a target that is gone, or a repository that is gone, is named', async () => {
  const it = new LandingRepository()
  const work = it.work('x', { 'c.txt': 'c\n' })
  it.git('checkout', '-q', '--detach')
  it.git('branch', '-q', '-D', 'main')
  expect(await it.land('x', work)).toEqual({
    kind: 'gone',
    why: `the branch main of ${it.path} does not exist any more`,
  })
  it.git('branch', 'main')
  renameSync(it.path, `${it.path}-moved`)
  expect(await it.land('x', work)).toEqual({ kind: 'gone', why: `the repository ${it.path} does not exist any more` })
  renameSync(`${it.path}-moved`, it.path)
  expect(await it.land('x', { ...work, commit: 'a'.repeat(40) })).toMatchObject({
    kind: 'gone',
    why: expect.stringContaining(`its commit ${'a'.repeat(40)} is gone from`),
  })
})

test.each(['commits', 'squash', 'merge'] as const)(
  'commits that a person took off the target do not come back: %s',
  async (as) => {
    const it = new LandingRepository()
    it.commit('a secret', { 'secret.txt': 's\n' })
    const work = it.work('x', { 'c.txt': 'c\n' }, { 'd.txt': 'd\n' })
    it.git('reset', '-q', '--hard', 'HEAD~1')
    it.commit('instead', { 'b.txt': 'instead\n' })
    expect(await it.land('x', work, { as })).toEqual({ kind: 'moved' })
    expect(it.git('ls-tree', '-r', '--name-only', 'main').split('\n')).toEqual(['a.txt', 'b.txt', 'c.txt', 'd.txt'])
    expect(it.git('log', '--format=%s', 'main')).not.toContain('a secret')
  },
)

test('work that its agent has put on a target which was force-pushed lands, and nothing of the target twice', async () => {
  const it = new LandingRepository()
  it.commit('a secret', { 'secret.txt': 's\n' })
  const work = it.work('x', { 'b.txt': 'mine\n' })
  it.git('reset', '-q', '--hard', 'HEAD~1')
  it.commit('instead', { 'b.txt': 'instead\n' })
  it.commit('more', { 'b.txt': 'more\n' })
  expect(await it.land('x', work)).toMatchObject({ kind: 'conflict', files: ['b.txt'] })
  const there = join(it.folder, 'worktrees', 'x')
  it.gitIn(there, 'rebase', '-q', '-X', 'theirs', '--onto', 'main', work.base)
  const commit = it.gitIn(there, 'rev-parse', 'HEAD')
  it.commit('meanwhile', { 'a.txt': 'other\n' })
  expect(await it.land('x', { ...work, commit })).toEqual({ kind: 'moved' })
  expect(it.git('log', '--format=%s', 'main').split('\n')).toEqual(['x 1', 'meanwhile', 'more', 'instead', 'first'])
  expect(existsSync(join(it.path, 'secret.txt'))).toBe(false)
})

test('line ends are those that the user has chosen', async () => {
  const it = new LandingRepository()
  it.git('config', 'core.autocrlf', 'true')
  const work = it.work('x', { 'c.txt': 'c\r\n' })
  it.commit('meanwhile', { 'a.txt': 'other\r\n' })
  expect(await it.land('x', work)).toEqual({ kind: 'moved' })
  expect([readFileSync(join(it.path, 'c.txt'), 'utf8'), it.git('cat-file', '-s', 'main:c.txt')]).toEqual(['c\r\n', '2'])
  expect(it.git('status', '--porcelain')).toBe('')
})

test('a thousand files and odd names land', async () => {
  const it = new LandingRepository()
  const files = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`many/${i} ü\n${i}.txt`, `${i}\n`]))
  const work = it.work('x', files)
  it.commit('meanwhile', { 'a.txt': 'other\n' })
  expect(await it.land('x', work)).toEqual({ kind: 'moved' })
  expect(it.git('status', '--porcelain')).toBe('')
  expect(readdirSync(join(it.path, 'many'))).toHaveLength(1000)
})

test('a branch that was deleted lands all the same: its commits are known', async () => {
  const it = new LandingRepository()
  const work = it.work('x', { 'c.txt': 'c\n' })
  it.git('worktree', 'remove', '--force', join(it.folder, 'worktrees', 'x'))
  it.git('branch', '-q', '-D', 'fleet/x')
  expect(await it.land('x', work)).toEqual({ kind: 'moved' })
})
