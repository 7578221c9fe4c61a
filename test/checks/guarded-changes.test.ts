import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { BaseVerification } from '../../src/ports/verifier.ts'
import type { Base } from '../../src/ports/workspace.ts'
import { inPlace } from '../../src/workspace/in-place.ts'
import { commit, git, named, put, verifying } from '../support/verifying.ts'

/** Which files are verified with their base version, whatever the lists of evidence say. */

const FILES = { 'add.sh': 'echo 4\n', 'tests/add.txt': '4\n', '.gitignore': '*.local\nbuilt/\n' }
type Begun = Extract<Base, { kind: 'git' }>
const PASSES = named('true')

const listed = (found: BaseVerification) => ('files' in found ? found.files.map(({ path }) => path) : found.kind)

/** A project with these files, and the state of it before the work. */
async function begun(files: Readonly<Record<string, string>> = FILES, before: (project: string) => void = () => {}) {
  const one = await verifying()
  commit(one.project, files)
  before(one.project)
  const base = { ...(await inPlace.base(one.project, '/none')), at: Date.now() } as Begun
  // The clock of a file system lags.
  await new Promise((resolve) => setTimeout(resolve, 30))
  const found = async (more: Partial<Parameters<typeof one.withBase>[1]> = {}, command = PASSES) =>
    listed(await one.withBase([command], { changed: [], base, ...more }))
  return { ...one, base, found }
}

test('a change that no list of evidence has is found, also an empty file and a change of the mode alone', async () => {
  const { project, found } = await begun()
  put(project, { 'tests/add.txt': '5\n', 'pytest.ini': '', 'src/cart.ts': 'x\n' })
  chmodSync(join(project, '.gitignore'), 0o755)
  git(project, 'add', 'pytest.ini')
  expect(await found()).toEqual(['.gitignore', 'pytest.ini', 'tests/add.txt'])
})

test('what was changed before the work and is as it was then is no change of the work', async () => {
  const { project, found } = await begun(FILES, (project) => {
    put(project, { 'tests/add.txt': '6\n', 'tests/new.txt': '6\n', 'pytest.ini': '' })
  })
  git(project, 'add', '.')
  git(project, 'commit', '-qm', 'What a person had left')
  expect(await found()).toBe('untouched')
  put(project, { 'tests/new.txt': '7\n' })
  expect(await found()).toEqual(['tests/new.txt'])
})

test('a file that git ignores counts where it configures what is run, and a test does not', async () => {
  const { project, found } = await begun(FILES, (project) => put(project, { 'vitest.config.local': 'old\n' }))
  put(project, { 'jest.config.js': '', 'tests/out.local': '', 'built/package.json': '{}', '.eslintrc.local': '' })
  expect(await found()).toEqual(['.eslintrc.local', 'jest.config.js'])
})

test('installed tools that the work has changed count, and neither newly installed ones nor their caches', async () => {
  const ignoring = { ...FILES, '.gitignore': 'node_modules/\n.venv/\ntools/\n' }
  const { project, found } = await begun(ignoring, (project) => {
    put(project, {
      'node_modules/runner/run.mjs': 'run\n',
      'node_modules/runner/lib/a.mjs': 'a\n',
      'node_modules/assert/index.js': 'assert\n',
      'node_modules/again/index.js': 'again\n',
      '.venv/bin/check': 'check\n',
      '.venv/lib/site-packages/check/main.py': 'main\n',
      'tools/check.sh': 'check\n',
      'tools/other.sh': 'other\n',
    })
    mkdirSync(join(project, 'node_modules/.bin'))
    symlinkSync('../runner/run.mjs', join(project, 'node_modules/.bin/runner'))
  })
  rmSync(join(project, 'node_modules/again'), { recursive: true })
  put(project, {
    'node_modules/again/index.js': 'another version\n',
    'node_modules/@new/one/index.js': 'new\n',
    'node_modules/.cache/x': 'x\n',
    'node_modules/.package-lock.json': '{}',
    '.venv/bin/new': 'new\n',
    '.venv/lib/site-packages/new.py': 'new\n',
    '.venv/lib/site-packages/check/__pycache__/main.pyc': 'x',
    'tools/other.sh': 'better\n',
  })
  rmSync(join(project, 'node_modules/.bin/runner'))
  symlinkSync('../runner/run.mjs', join(project, 'node_modules/.bin/runner'))
  const runs = named('sh tools/check.sh')
  expect(await found({}, runs)).toBe('untouched')
  rmSync(join(project, 'node_modules/assert/index.js'))
  rmSync(join(project, 'node_modules/.bin/runner'))
  put(project, {
    'node_modules/.bin/runner': 'exit 0\n',
    'node_modules/runner/lib/a.mjs': 'nothing\n',
    'node_modules/assert/index.js': 'nothing\n',
    '.venv/bin/check': 'exit 0\n',
    '.venv/lib/site-packages/check/main.py': 'pass\n',
    'tools/check.sh': 'exit 0\n',
  })
  expect(await found({}, runs)).toEqual([
    '.venv/bin/check',
    '.venv/lib/site-packages/check/main.py',
    'node_modules/.bin/runner',
    'node_modules/assert/index.js',
    'node_modules/runner/lib/a.mjs',
    'tools/check.sh',
  ])
})

test('a list of ignored files hides nothing: it counts itself, and so does what it names', async () => {
  const { project, found } = await begun()
  appendFileSync(join(project, '.git', 'info', 'exclude'), 'vitest.config.js\n.cargo/\nnode_modules/\n')
  put(project, { 'vitest.config.js': '', '.cargo/config.toml': '', 'node_modules/tool/package.json': '{}' })
  expect(await found()).toEqual(['.cargo/config.toml', '.git/info/exclude', 'vitest.config.js'])
})

test('a file in a repository that the agent made inside counts', async () => {
  const { project, found } = await begun()
  mkdirSync(join(project, 'inner'))
  git(join(project, 'inner'), 'init', '-q')
  put(project, { 'inner/package.json': '{}', 'inner/code.js': '' })
  expect(await found()).toEqual(['inner/package.json'])
})

test('changes that are traced to other runs do not count, but for those of its own', async () => {
  const { project, found } = await begun()
  put(project, { 'tests/add.txt': '5\n', 'tests/b.txt': '5\n' })
  const others = ['tests/add.txt', 'tests/b.txt']
  expect(await found({ others })).toBe('untouched')
  expect(await found({ others, changed: ['tests/b.txt'] })).toEqual(['tests/b.txt'])
})

test('of an earlier attempt that nobody accepted, what it changed gets the version before it', async () => {
  const { project, base, withBase } = await begun({ ...FILES, 'tests/other.txt': 'old\n' })
  // The first attempt; then a person; then the second.
  put(project, { 'tests/add.txt': '5\n', 'add.sh': 'echo 5\n' })
  commit(project, {})
  commit(project, { 'tests/other.txt': 'new\n' })
  const second = { ...(await inPlace.base(project, '/none')), at: Date.now() } as Begun
  put(project, { 'more.txt': 'x\n' })
  const check = named('test "$(sh ./a*.sh)" = "$(cat tests/add.txt)" && grep -q new tests/other.txt')
  const work = { changed: ['more.txt'], base: second }
  expect(await withBase([check], work)).toEqual({ kind: 'untouched' })
  const earlier = [{ base, since: 0, changed: ['tests/add.txt', 'add.sh'] }]
  const found = await withBase([check], { ...work, earlier })
  expect(found).toMatchObject({ kind: 'only-own', files: [{ path: 'tests/add.txt' }] })
})

test("a worktree's branch that was brought onto its target is compared with where it left that", async () => {
  const { project, base, withBase } = await begun()
  git(project, 'checkout', '-qb', 'fleet/one')
  commit(project, { 'more.txt': 'x\n' })
  git(project, 'checkout', '-q', 'main')
  commit(project, { 'add.sh': 'echo 5\n', 'tests/add.txt': '5\n' })
  git(project, 'checkout', '-q', 'fleet/one')
  git(project, 'rebase', '-q', 'main')
  const own = { since: base.head ?? '', at: 0, target: 'main' }
  const check = named('test "$(sh ./a*.sh)" = "$(cat tests/add.txt)"')
  expect(await withBase([check], { changed: [], base: { ...base, own } })).toEqual({ kind: 'untouched' })
  const untrusted = { ...base, own: { ...own, target: null } }
  expect(listed(await withBase([check], { changed: [], base: untrusted }))).toEqual(['tests/add.txt'])
})

const SPARSE = { 'a/src.txt': 'a\n', 'a/tests/t.txt': 'a\n', 'b/tests/t.txt': 'b\n', 'top.txt': '' }

test('tests that a sparse checkout leaves out are no changes, and those that the agent leaves out are', async () => {
  const { project, found } = await begun(SPARSE, (project) => git(project, 'sparse-checkout', 'set', 'a'))
  put(project, { 'a/more.txt': 'x\n' })
  expect(existsSync(join(project, 'b'))).toBe(false)
  expect(await found()).toBe('untouched')
  put(project, { 'a/tests/t.txt': 'other\n' })
  expect(await found()).toEqual(['a/tests/t.txt'])
  git(project, 'update-index', '--skip-worktree', 'a/tests/t.txt')
  expect(await found()).toEqual(['a/tests/t.txt'])
  rmSync(join(project, 'a/tests/t.txt'))
  expect(await found()).toEqual(['a/tests/t.txt'])
})

test('an agent that makes the checkout sparse has removed the tests', async () => {
  const { project, found } = await begun(SPARSE)
  git(project, 'sparse-checkout', 'set', 'a')
  expect(await found()).toEqual(['b/tests/t.txt'])
})

test('a file that a filter writes otherwise is as committed, unless the index hides it', async () => {
  const pointer = { '.gitattributes': '*.bin filter=lfs\n', 'tests/big.bin': 'oid 1\n' }
  const { project, found } = await begun(pointer, (project) => {
    git(project, 'config', 'filter.lfs.clean', 'sed s/.*/oid\\ 1/')
    git(project, 'config', 'filter.lfs.smudge', 'sed s/.*/contents/')
    rmSync(join(project, 'tests/big.bin'))
    git(project, 'checkout', '-q', 'tests/big.bin')
    // Git trusts no file that is as young as its index.
    const old = new Date(Date.now() - 60_000)
    utimesSync(join(project, 'tests/big.bin'), old, old)
    git(project, 'status')
  })
  expect(await found()).toBe('untouched')
  git(project, 'update-index', '--assume-unchanged', 'tests/big.bin')
  expect(await found()).toEqual(['tests/big.bin'])
  git(project, 'update-index', '--no-assume-unchanged', 'tests/big.bin')
  writeFileSync(join(project, 'tests/big.bin'), 'CONTENTS\n')
  expect(await found()).toEqual(['tests/big.bin'])
})

test('a changed test in a submodule counts, and has no base version', async () => {
  const one = await verifying()
  const sub = join(one.project, '..', 'sub')
  mkdirSync(sub)
  commit(sub, { 'lib.txt': '', 'tests/lib.txt': 'old\n', 'tests/left.txt': 'old\n' })
  commit(one.project, FILES)
  git(one.project, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', sub, 'parts/sub')
  commit(one.project, {})
  put(one.project, { 'parts/sub/tests/left.txt': 'a person\n' })
  const base = { ...(await inPlace.base(one.project, '/none')), at: Date.now() } as Begun
  expect(await one.withBase([PASSES], { changed: [], base })).toEqual({ kind: 'untouched' })
  put(one.project, { 'parts/sub/tests/lib.txt': 'new\n', 'parts/sub/lib.txt': 'new\n' })
  expect(await one.withBase([PASSES], { changed: [], base })).toMatchObject({
    kind: 'unclear',
    files: [{ path: 'parts/sub/tests/lib.txt' }],
    why: 'parts/sub/tests/lib.txt is in a submodule, so there is no base version',
  })
})

test("files of fleet's own home are no work", async () => {
  const { project, base, withBase } = await begun()
  put(project, { 'tests/x.txt': '', '../home/tests/y.txt': '' })
  const root = join(project, '..')
  git(root, 'init', '-q')
  const outer = { ...base, cwd: root, root, head: null, dirty: {} }
  const found = await withBase([PASSES], { changed: [], base: outer, cwd: root, project: root })
  const paths = listed(found)
  expect(paths).toContain('project/tests/x.txt')
  expect([...paths].filter((path) => path.startsWith('home/'))).toEqual([])
})
