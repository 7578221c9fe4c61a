import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lostTests } from '../../src/checks/lost-tests.ts'
import { commit, git, put, verifying } from '../support/verifying.ts'

test('tests that are gone are counted in all changed files, whatever their names', async () => {
  const { project } = await verifying()
  const before = "test('a', f)\ntest('b', f)\ntest('c', f)\n"
  const first = commit(project, {
    'a.test.ts': before,
    'b.test.ts': "it('d', f)\n",
    'src/lib.rs': '#[test]\nfn a() {}\n#[test]\nfn b() {}\n',
    'README.md': "test('a', f)\n",
    'kept.test.ts': before,
  })
  rmSync(join(project, 'b.test.ts'))
  put(project, {
    'a.test.ts': "test('a', f)\ntest.skip('b', f)\n",
    'src/lib.rs': '#[test]\n#[ignore]\nfn a() {}\n',
    'README.md': '',
    'new.bin': '\0',
  })
  const base = {
    kind: 'git',
    cwd: project,
    root: project,
    head: first,
    heads: [],
    trees: [],
    dirty: {},
    dirtyWhole: true,
  } as const
  const changed = ['a.test.ts', 'b.test.ts', 'README.md', 'new.bin', 'not there', '../outside']
  const work = { attempts: [{ base, since: 0, changed }], others: [] }
  expect(await lostTests(work, ['src/lib.rs'])).toEqual({ removed: 3, skipped: 2 })
  git(project, 'add', '-A')
  const second = commit(project, {})
  const again = { base: { ...base, head: second }, since: 0, changed: ['a.test.ts'] }
  expect(await lostTests({ attempts: [again], others: [] }, [])).toEqual({ removed: 0, skipped: 0 })
  expect(await lostTests({ attempts: [...work.attempts, again], others: [] }, [])).toEqual({ removed: 2, skipped: 1 })
  const folder = { kind: 'folder', cwd: project, files: {}, filesWhole: true } as const
  expect(await lostTests({ attempts: [{ base: folder, since: 0, changed }], others: [] }, [])).toEqual({
    removed: 0,
    skipped: 0,
  })
})
