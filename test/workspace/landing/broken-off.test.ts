import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Checkout, checkoutIn } from '../../../src/platform/git/checkout.ts'
import { IndexLock, lockState } from '../../../src/platform/git/index-lock.ts'
import { repositoryPrograms } from '../../../src/platform/git/repository-programs.ts'
import { fastForward } from '../../../src/workspace/landing/fast-forward.ts'
import { OWNER } from '../../support/git-owner.ts'
import { LandingRepository } from '../../support/landing-repository.ts'
import { fill, MEGABYTE, smallDisk } from '../../support/small-disk.ts'

/** A fast-forward of the user's checkout that breaks off in the middle. */

const status = (it: LandingRepository): string =>
  execFileSync('git', ['status', '--porcelain'], { cwd: it.path, encoding: 'utf8' }).trimEnd()
const read = (it: LandingRepository, name: string): string => readFileSync(join(it.path, name), 'utf8')
const lockOf = (it: LandingRepository): string => join(it.path, '.git/index.lock')

test('a full disk leaves the checkout as it was, and the landing goes on when there is room', async () => {
  const disk = smallDisk(8)
  if (disk === undefined) return
  const it = new LandingRepository({ path: join(disk, 'project') })
  const work = it.work('x', { 'a.txt': 'mine\n', 'b.txt': 'mine\n', 'z.bin': 'z'.repeat(2 * MEGABYTE) })
  it.write('mine.txt', 'a person types\n')
  const ballast = fill(disk, MEGABYTE)
  expect(await it.land('x', work)).toMatchObject({
    kind: 'waits',
    why: expect.stringMatching(/unable to write file z.bin\nthe disk is nearly full there$/),
  })
  expect([status(it), existsSync(lockOf(it)), it.git('rev-parse', 'main')]).toEqual(['?? mine.txt', false, it.base])
  rmSync(ballast)
  expect(await it.land('x', work)).toEqual({ kind: 'moved' })
  expect([status(it), statSync(join(it.path, 'z.bin')).size]).toEqual(['?? mine.txt', 2 * MEGABYTE])
})

test.each(['KILL', 'INT', 'TERM'])('a git that is ended by SIG%s leaves the checkout as it was', async (signal) => {
  const it = new LandingRepository()
  it.commit('attributes', { '.gitattributes': '*.slow filter=slow\n', 'c.txt': 'c\n', 'gone.txt': 'g\n' })
  const once = join(it.folder, 'once')
  // Where it was ended in the middle of a file, and where a person typed meanwhile.
  const meanwhile = `cd '${it.path}'; printf 'a lo' >b.txt; echo typed >c.txt`
  const smudge = `if [ -e .git/index.lock ] && mkdir '${once}'; then (${meanwhile}); kill -${signal} $PPID; fi; cat`
  it.git('config', 'filter.slow.smudge', smudge)
  const work = it.work('x', { 'a.txt': 'mine\n', 'b.txt': 'a longer text\n', 'new/y.txt': 'y\n', 'z.slow': 'z\n' })
  const waits = await it.land('x', work)
  expect(waits).toEqual({
    kind: 'waits',
    why: `git cannot fast-forward main in ${it.path}: git was ended by SIG${signal}`,
  })
  expect([status(it), existsSync(join(it.path, 'new')), existsSync(lockOf(it))]).toEqual([' M c.txt', false, false])
  expect([read(it, 'a.txt'), read(it, 'b.txt'), read(it, 'c.txt')]).toEqual(['a\n', 'b\n', 'typed\n'])
  expect(await it.land('x', work)).toEqual({ kind: 'moved' })
  expect([status(it), read(it, 'b.txt'), read(it, 'z.slow')]).toEqual([' M c.txt', 'a longer text\n', 'z\n'])
})

/** The lock of a supervisor that was killed when nothing was in the way of its git. */
function left(it: LandingRepository, to: string): Checkout {
  const checkout = checkoutIn(it.path) as Checkout
  const lock = IndexLock.take(checkout, { task: 'x', target: 'main', from: it.git('rev-parse', 'main'), to })
  lock?.copyIndex()
  lock?.note({ isClear: true, by: null })
  return checkout
}

test('files, folders, links and modes come back, and what a person has there stays', async () => {
  const it = new LandingRepository()
  const odd = 'odd\n"ü".txt'
  it.commit('many', {
    'd/one': '1\n',
    file: 'f\n',
    gone: 'g\n',
    tool: 't\n',
    [odd]: 'o\n',
    linked: 'l\n',
    'far/x': 'x\n',
  })
  const { base, commit: to, branch } = it.work('x', { 'a.txt': 'mine\n', 'new/deep/y': 'y\n', [odd]: 'mine\n' })
  const there = join(it.folder, 'worktrees', 'x')
  for (const path of ['d', 'file', 'gone', 'linked', 'far']) rmSync(join(there, path), { recursive: true })
  writeFileSync(join(there, 'd'), 'a file now\n')
  mkdirSync(join(there, 'file'))
  writeFileSync(join(there, 'file/inside'), 'i\n')
  symlinkSync('a.txt', join(there, 'linked'))
  symlinkSync('..', join(there, 'far'))
  chmodSync(join(there, 'tool'), 0o755)
  it.gitIn(there, 'add', '-A')
  it.gitIn(there, 'commit', '-qm', 'more')
  const commit = it.gitIn(there, 'rev-parse', 'HEAD')
  it.write('b.txt', 'a person types\n')
  it.write('staged.txt', 'a person adds\n')
  it.git('add', 'staged.txt')
  it.write('file-of-a-person', 'p\n')
  const before = status(it)
  left(it, commit)
  const index = { ...process.env, GIT_INDEX_FILE: join(it.path, '.git/fleet-index') }
  execFileSync('git', ['read-tree', '-m', '-u', 'HEAD', commit], { cwd: it.path, env: index })
  truncateSync(join(it.path, 'new/deep/y'), 1)
  writeFileSync(join(it.path, 'file/also'), 'of a person\n')
  const order = { repository: it.path, target: 'main', task: 'x', from: base, to: commit }
  const fingerprint = (await it.place.programs(it.path))?.fingerprint as string
  expect(await it.place.resumeMove({ ...order, fingerprint })).toEqual({ kind: 'not-moved' })
  // A person's file keeps its folder, which is in the place of a file.
  expect(new Set(status(it).split('\n'))).toEqual(new Set([...before.split('\n'), ' D file']))
  expect(read(it, 'file/also')).toBe('of a person\n')
  expect([existsSync(lockOf(it)), existsSync(join(it.path, '.git/fleet-index'))]).toEqual([false, false])
  rmSync(join(it.path, 'file'), { recursive: true })
  it.git('checkout', '--', 'file')
  expect(await it.land('x', { base, commit, branch })).toEqual({ kind: 'moved' })
  expect([to === commit, status(it)]).toEqual([false, before])
})

test('a branch that has moved already gets its index, with what a person had staged', async () => {
  const it = new LandingRepository()
  const { base, commit } = it.work('x', { 'a.txt': 'mine\n', 'new.txt': 'n\n' })
  it.write('staged.txt', 'a person adds\n')
  it.git('add', 'staged.txt')
  for (const isKept of [true, false]) {
    it.git('update-ref', 'refs/heads/main', base)
    it.git('read-tree', '-m', '-u', commit, base)
    left(it, commit)
    const copy = join(it.path, '.git/fleet-index')
    const index = { ...process.env, GIT_INDEX_FILE: copy }
    execFileSync('git', ['read-tree', '-m', '-u', base, commit], { cwd: it.path, env: index })
    if (!isKept) writeFileSync(copy, '')
    it.git('update-ref', 'refs/heads/main', commit)
    const order = { repository: it.path, target: 'main', task: 'x', from: base, to: commit }
    const fingerprint = (await it.place.programs(it.path))?.fingerprint as string
    expect(await it.place.resumeMove({ ...order, fingerprint })).toEqual({ kind: 'moved' })
    expect([status(it), existsSync(lockOf(it))]).toEqual(['A  staged.txt', false])
  }
})

test('a lock is waited for while a fleet may be at work there, also on another machine', async () => {
  const it = new LandingRepository()
  const work = it.work('x', { 'a.txt': 'mine\n' })
  const checkout = left(it, work.commit)
  const state = lockState(checkout)
  if (state.kind !== 'left') throw new Error(state.kind)
  const lock = IndexLock.takeOver(checkout, state.mark)
  lock.note({ host: 'elsewhere' })
  const waits = {
    kind: 'waits',
    why: `a fleet on elsewhere is updating ${it.path}; if none is running there, remove ${lock.path}`,
  }
  const fingerprint = (await it.place.programs(it.path))?.fingerprint as string
  const order = { repository: it.path, target: 'main', task: 'x', from: it.base, to: work.commit, fingerprint }
  expect([await it.land('x', work), await it.place.resumeMove(order)]).toEqual([waits, waits])
  lock.release()
  expect(await it.land('x', work)).toEqual({ kind: 'moved' })
})

test('a checkout that was switched to another branch at the last moment is not touched', async () => {
  const it = new LandingRepository()
  const { commit: to, base: from } = it.work('x', { 'a.txt': 'mine\n' })
  const checkout = checkoutIn(it.path) as Checkout
  const programs = await repositoryPrograms(checkout, OWNER)
  it.git('checkout', '-q', '-b', 'other')
  const order = { repository: it.path, target: 'main', task: 'x', from, to, fingerprint: programs.fingerprint }
  expect(await fastForward(order, { checkout, programs, env: OWNER.env })).toEqual({ kind: 'lost-race' })
  expect([status(it), it.git('rev-parse', 'main'), existsSync(lockOf(it))]).toEqual(['', from, false])
})

test('a file that git ignores is a change of a person, too', async () => {
  const it = new LandingRepository()
  it.commit('ignore', { '.gitignore': '.env\n' })
  const work = it.work('x', { 'c.txt': 'c\n' })
  const there = join(it.folder, 'worktrees', 'x')
  writeFileSync(join(there, '.env'), 'of the agent\n')
  it.gitIn(there, 'add', '-f', '.env')
  it.gitIn(there, 'commit', '-qm', 'settings')
  it.write('.env', 'of a person\n')
  const commit = it.gitIn(there, 'rev-parse', 'HEAD')
  expect(await it.land('x', { ...work, commit })).toMatchObject({
    kind: 'waits',
    why: expect.stringContaining('would overwrite: .env;'),
  })
  expect(read(it, '.env')).toBe('of a person\n')
})

test('a hook after the fast-forward finds the new state, and no lock', async () => {
  const it = new LandingRepository()
  const seen = join(it.folder, 'seen')
  const hooks = join(it.folder, 'hooks of the user')
  mkdirSync(hooks)
  const write = (name: string, text: string): void =>
    writeFileSync(join(hooks, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  write('said', `echo "$*" >>'${seen}'`)
  write(
    'post-merge',
    `"$(dirname "$0")"/said "post-merge $1 $(ls .git/index.lock 2>/dev/null) $(git status --porcelain)"`,
  )
  write('reference-transaction', `grep -q main && "$(dirname "$0")"/said "$1" || true`)
  it.git('config', 'core.hooksPath', hooks)
  expect(await it.land('x', it.work('x', { 'a.txt': 'mine\n' }))).toEqual({ kind: 'moved' })
  expect(readFileSync(seen, 'utf8').trim().split('\n').slice(-3)).toEqual(['prepared', 'committed', 'post-merge 0'])
})
