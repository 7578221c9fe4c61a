import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LET_GO } from '../../src/ports/verifier.ts'
import type { Base } from '../../src/ports/workspace.ts'
import { eventually } from '../support/home-run.ts'
import { fill, MEGABYTE, smallDisk } from '../support/small-disk.ts'
import { commit, git, named, put, verifying } from '../support/verifying.ts'

/** The tests of this project compare what it prints with what it should. */
const FILES = { 'add.sh': 'echo 4\n', 'tests/add.txt': '4\n' }
const CHECK = named('for each in tests/*.txt; do test "$(sh ./a*.sh)" = "$(cat $each)" || exit 1; done')

function since(root: string, head: string | null, more: Partial<Extract<Base, { kind: 'git' }>> = {}): Base {
  return { kind: 'git', cwd: root, root, head, heads: [], trees: [], dirty: {}, dirtyWhole: true, ...more }
}

async function checked() {
  const one = await verifying()
  const base = since(one.project, commit(one.project, FILES))
  return { ...one, base }
}

const kindsOf = (files: readonly { path: string; kind: string }[]) => files.map(({ path, kind }) => [path, kind])

test('work that passes only with its own version of a test is told, with the files', async () => {
  const { project, withBase, base } = await checked()
  put(project, { 'add.sh': 'echo 5\n', 'tests/add.txt': '5\n' })
  const found = await withBase([CHECK], { changed: ['add.sh', 'tests/add.txt'], base })
  expect(found).toMatchObject({ kind: 'only-own', why: '' })
  expect('files' in found && kindsOf(found.files)).toEqual([['tests/add.txt', 'test']])
})

test('work that passes with the base version too is fine, whether it is committed or not', async () => {
  const { project, withBase, base } = await checked()
  put(project, { 'tests/more.txt': '4\n', 'add.sh': 'echo 4 # better\n' })
  const changed = ['add.sh', 'tests/more.txt']
  expect(await withBase([CHECK], { changed, base })).toMatchObject({ kind: 'passed' })
  commit(project, {})
  expect(await withBase([CHECK], { changed, base })).toMatchObject({ kind: 'passed' })
})

test('work that leaves tests and configuration alone is not checked again', async () => {
  const { project, withBase, base } = await checked()
  put(project, { 'add.sh': 'echo 4 # better\n' })
  expect(await withBase([named('touch ran')], { changed: ['add.sh'], base })).toEqual({ kind: 'untouched' })
  expect(existsSync(join(project, 'ran'))).toBe(false)
})

test('a test that was removed is there again', async () => {
  const { project, withBase, base } = await checked()
  rmSync(join(project, 'tests', 'add.txt'))
  const check = named('test ! -e tests/add.txt || test "$(sh ./a*.sh)" = 5')
  expect(await withBase([check], { changed: ['tests/add.txt'], base })).toMatchObject({ kind: 'only-own' })
})

test.each([
  ['its script', 'sh ./bin/check.sh', 'bin/check.sh', 'script'],
  ['its configuration', 'make check', 'Makefile', 'configuration'],
  ['CI', 'true', '.github/workflows/ci.yml', 'ci'],
])('a change of %s is one of the files that count', async (_, command, path, kind) => {
  const { project, withBase } = await verifying()
  const base = since(project, commit(project, { [path]: 'check:\n\tfalse\n' }))
  put(project, { [path]: 'check:\n\ttrue\n' })
  const found = await withBase([named(command)], { changed: [path], base })
  expect('files' in found && kindsOf(found.files)).toEqual([[path, kind]])
})

test('a script that is the work itself is not what its tests are verified with', async () => {
  const { project, withBase, forget } = await verifying()
  const base = since(
    project,
    commit(project, { 'add.sh': 'echo 4\n', Makefile: 'check:\n\ttest "$$(sh add.sh)" = 4\n' }),
  )
  put(project, { 'add.sh': 'echo 5\n', Makefile: 'check:\n\ttrue\n' })
  const changed = ['add.sh', 'Makefile']
  const found = await withBase([named('make check')], { changed, base })
  expect(found).toMatchObject({ kind: 'only-own' })
  expect('files' in found && kindsOf(found.files)).toEqual([['Makefile', 'configuration']])
  forget()
  put(project, { 'add.sh': 'echo 4 # better\n' })
  expect(await withBase([named('make check')], { changed, base })).toMatchObject({ kind: 'passed' })
})

test('a test whose change the index of the repository hides is found', async () => {
  const { project, withBase, base } = await checked()
  git(project, 'update-index', '--assume-unchanged', 'tests/add.txt')
  put(project, { 'add.sh': 'echo 5\n', 'tests/add.txt': '5\n' })
  expect(await withBase([CHECK], { changed: ['add.sh'], base })).toMatchObject({ kind: 'only-own' })
})

test("the user's tree, index and repository stay as they are", async () => {
  const { project, withBase, base } = await checked()
  put(project, { 'add.sh': 'echo 5\n', 'tests/add.txt': '5\n', 'new.txt': 'new\n' })
  const [status, refs] = [git(project, 'status', '--porcelain'), git(project, 'worktree', 'list')]
  const index = readFileSync(join(project, '.git', 'index'))
  await withBase([named('echo leaked >leak.txt; sh add.sh; git status; git log -1; false')], {
    changed: ['tests/add.txt'],
    base,
  })
  expect(readFileSync(join(project, '.git', 'index')).equals(index)).toBe(true)
  expect([git(project, 'status', '--porcelain'), git(project, 'worktree', 'list')]).toEqual([status, refs])
  expect(existsSync(join(project, '..', 'checks', 'base-tree'))).toBe(false)
})

test('what git ignores is there, as a link: installed packages are needed, and not copied', async () => {
  const { project, withBase } = await verifying()
  const base = since(project, commit(project, { ...FILES, '.gitignore': 'node_modules\n' }))
  put(project, { 'node_modules/tool': 'found\n', 'tests/other.txt': '' })
  const check = named('test -h node_modules && grep -q found node_modules/tool && git log -1 --format=%H | grep -q .')
  expect(await withBase([check], { changed: ['tests/other.txt'], base })).toMatchObject({ kind: 'passed' })
})

test('other ignored folders, repositories inside and submodules are copied: nothing is written through them', async () => {
  const { project, withBase } = await verifying()
  const sub = join(project, '..', 'sub')
  mkdirSync(sub)
  commit(sub, { 'lib.txt': 'library\n' })
  commit(project, { ...FILES, '.gitignore': 'dist\nkept.log\n' })
  git(project, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', sub, 'sub')
  const base = since(project, commit(project, {}))
  mkdirSync(join(project, 'inner'))
  git(join(project, 'inner'), 'init', '-q')
  put(project, { 'dist/out.txt': 'user\n', 'kept.log': 'user\n', 'inner/code.txt': 'user\n', 'tests/add.txt': '5\n' })
  const places = ['dist/out.txt', 'kept.log', 'inner/code.txt', 'sub/lib.txt']
  const write = places.map((path) => `test -e ${path} && echo copy >${path}`).join(' && ')
  const check = named(`${write} && git status --porcelain`)
  expect(await withBase([check], { changed: [], base })).toMatchObject({ kind: 'passed' })
  expect(places.map((path) => readFileSync(join(project, path), 'utf8'))).toEqual([
    ...['user\n', 'user\n', 'user\n', 'library\n'],
  ])
})

test('an ignored folder that is too large for a copy is left out, and told where that may be the reason', async () => {
  const { project, withBase } = await verifying()
  const base = since(project, commit(project, { ...FILES, '.gitignore': 'data\n' }))
  put(project, { 'data/large.bin': '', 'tests/add.txt': '5\n' })
  truncateSync(join(project, 'data', 'large.bin'), 1 << 30)
  expect(await withBase([named('test -e data/large.bin')], { changed: [], base })).toMatchObject({
    kind: 'unclear',
    why: 'in a copy of the checkout, which lacks data/ (too large), the commands do not pass with its own versions either',
  })
})

test('the copy has the modes and links of the tree', async () => {
  const { project, withBase, base } = await checked()
  put(project, { 'run.sh': '#!/bin/sh\nexit 0\n', 'tests/new.txt': '' })
  chmodSync(join(project, 'run.sh'), 0o755)
  symlinkSync('run.sh', join(project, 'link.sh'))
  const check = named('test -x run.sh && test -h link.sh')
  expect(await withBase([check], { changed: ['tests/new.txt'], base })).toMatchObject({ kind: 'passed' })
})

test('nothing is written through a link that an agent put in the place of a folder', async () => {
  const { project, withBase, base } = await checked()
  const outside = join(project, '..', 'outside')
  mkdirSync(outside)
  rmSync(join(project, 'tests'), { recursive: true })
  symlinkSync(outside, join(project, 'tests'))
  git(project, 'add', '-A')
  commit(project, {})
  const found = await withBase([named('test ! -h tests && grep -q 4 tests/add.txt')], {
    changed: ['tests', 'tests/add.txt'],
    base,
  })
  expect(found).toMatchObject({ kind: 'passed' })
  expect(lstatSync(join(project, 'tests')).isSymbolicLink()).toBe(true)
  expect(existsSync(join(outside, 'add.txt'))).toBe(false)
})

test('a test that had changes before the work has no base version, and a person must look', async () => {
  const { project, withBase, base } = await checked()
  put(project, { 'tests/add.txt': '5\n' })
  const dirty = { ...base, dirty: { 'tests/add.txt': 'before' } } as Base
  expect(await withBase([CHECK], { changed: ['tests/add.txt'], base: dirty })).toMatchObject({
    kind: 'unclear',
    why: 'tests/add.txt had changes before it that were not committed, so there is no base version',
  })
})

test('a command that passes in no copy is told as such', async () => {
  const { project, withBase, base } = await checked()
  put(project, { 'tests/add.txt': '5\n' })
  const only = named(`test "$PWD" = ${project}`)
  expect(await withBase([only], { changed: ['tests/add.txt'], base })).toMatchObject({
    kind: 'unclear',
    why: 'in a copy of the checkout the commands do not pass with its own versions either',
  })
})

test('a second verification that gives no verdict says so, and blames no test', async () => {
  const { project, withBase, base } = await checked()
  put(project, { 'tests/add.txt': '5\n', 'add.sh': 'echo 5\n' })
  const killed = named('case "$PWD" in */base-tree*) kill -9 $$;; esac')
  expect(await withBase([killed], { changed: ['tests/add.txt'], base })).toMatchObject({
    kind: 'unclear',
    why: expect.stringContaining('gave no verdict in 2 tries: it was killed from outside (SIGKILL)'),
  })
})

test.each<[string, (project: string) => void, string]>([
  [
    'the agent made a repository of its own below it',
    (project) => git(join(project, 'cart'), 'init', '-q'),
    'is not the checkout any more that it began in',
  ],
  [
    'the agent removed the repository',
    (project) => rmSync(join(project, '.git'), { recursive: true }),
    'is not the checkout any more that it began in',
  ],
  [
    'the base commit is gone',
    (project) => {
      git(project, 'checkout', '-q', '--orphan', 'other')
      git(project, 'branch', '-D', 'main')
      git(project, 'reflog', 'expire', '--expire=now', '--all')
      git(project, 'gc', '-q', '--prune=now')
    },
    'git ls-tree failed',
  ],
  [
    'git refuses its index',
    (project) => writeFileSync(join(project, '.git', 'index'), 'no index'),
    'git ls-files failed',
  ],
])('what cannot be verified with the base version, now or later, needs a person: %s', async (_, harm, why) => {
  const { project, withBase } = await verifying()
  const base = since(project, commit(project, { ...FILES, 'cart/tests/cart.txt': 'cart\n' }))
  put(project, { 'tests/add.txt': '5\n', 'cart/tests/cart.txt': 'other\n' })
  harm(project)
  const work = { changed: ['tests/add.txt', 'cart/tests/cart.txt'], base }
  const found = await withBase([named('true')], { ...work, cwd: join(project, 'cart'), project: join(project, 'cart') })
  expect(found).toMatchObject({ kind: 'unclear', why: expect.stringContaining(why) })
})

test.each([
  ['where there was no commit yet', (_: string) => {}],
  ['on a new branch without a commit', (project: string) => git(project, 'checkout', '-q', '--orphan', 'other')],
])('work is verified with the base version also %s', async (_, change) => {
  const { project, withBase } = await verifying()
  const head = commit(project, FILES)
  git(project, 'update-ref', '-d', 'HEAD')
  git(project, 'rm', '-rq', '--cached', '.')
  change(project)
  put(project, { 'add.sh': 'echo 5\n', 'tests/add.txt': '5\n' })
  const check = named('test -e add.sh; test ! -e tests/add.txt || grep -q 5 tests/add.txt')
  const changed = ['add.sh', 'tests/add.txt']
  const base = since(project, null)
  expect(await withBase([check], { changed, base })).toMatchObject({ kind: 'passed' })
  expect(await withBase([CHECK], { changed, base: since(project, head) })).toMatchObject({ kind: 'only-own' })
})

test('before the first commit no test has an older version', async () => {
  const { project, withBase } = await verifying()
  commit(project, FILES)
  const base = since(project, null)
  const check = named('test ! -e tests/add.txt')
  expect(await withBase([check], { changed: ['tests/add.txt', 'add.sh'], base })).toMatchObject({ kind: 'passed' })
})

test('without git, tests that were there before and changed need a person, and new ones do not', async () => {
  const { project, withBase } = await verifying()
  put(project, FILES)
  const base = { kind: 'folder', cwd: project, files: { 'tests/add.txt': '1' }, filesWhole: true } as const
  expect(await withBase([CHECK], { changed: ['tests/add.txt'], base })).toMatchObject({
    kind: 'unclear',
    why: 'without git there is no base version of them',
  })
  expect(await withBase([CHECK], { changed: ['tests/new.txt'], base })).toEqual({ kind: 'untouched' })
})

test('a copy in which a command runs is used again by the next supervisor', async () => {
  const one = await checked()
  const { project, base } = one
  put(project, { 'tests/new.txt': '' })
  const folder = join(project, '..')
  const check = named(
    `echo start >>${folder}/starts; until test -e ${folder}/go; do sleep 0.05; done; pwd >${folder}/where`,
  )
  const abort = new AbortController()
  const work = { changed: ['tests/new.txt'], base }
  const first = one.withBase([check], { ...work, signal: abort.signal })
  await eventually(() => existsSync(join(folder, 'starts')), 'it runs')
  abort.abort(LET_GO)
  await expect(first).rejects.toBe(LET_GO)
  const second = one.next().withBase([check], work)
  writeFileSync(join(folder, 'go'), '')
  expect(await second).toMatchObject({ kind: 'passed' })
  const copy = join(folder, 'checks', 'base-tree')
  expect([readFileSync(join(folder, 'starts'), 'utf8'), readFileSync(join(folder, 'where'), 'utf8')]).toEqual([
    'start\n',
    `${copy}\n`,
  ])
})

test('a full disk while the copy is made says nothing about the work; with room it is made anew', async ({ skip }) => {
  const disk = smallDisk(8)
  if (disk === undefined) return skip()
  const { project, withBase } = await verifying({ checks: disk })
  const base = since(project, commit(project, { ...FILES, 'large.bin': 'x'.repeat(2 * MEGABYTE) }))
  put(project, { 'add.sh': 'echo 5\n', 'tests/add.txt': '5\n' })
  const work = { changed: ['add.sh', 'tests/add.txt'], base }
  const ballast = fill(disk, MEGABYTE)
  await expect(withBase([CHECK], work)).rejects.toThrow(/No space left on device|ENOSPC|unable to write file/)
  rmSync(ballast)
  expect(await withBase([CHECK], work)).toMatchObject({ kind: 'only-own' })
  expect(existsSync(join(disk, 'checks', 'base-tree'))).toBe(false)
})
