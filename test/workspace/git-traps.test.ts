import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { repositoryAt } from '../../src/store/repository.ts'
import { readDiff } from '../../src/views/diff/read-diff.ts'
import { inPlace } from '../../src/workspace/in-place.ts'
import { temporaryFolder } from '../support/cli.ts'
import { TRAPS, trappedCheckout } from '../support/git-traps.ts'
import { plain } from '../support/project.ts'

/** As a run does it: the base, then the work, then the changes and the diff. */
async function looksAt(root: string, work: () => void) {
  const home = temporaryFolder()
  const base = await inPlace.base(root, home)
  const since = Date.now()
  work()
  const changes = plain(await inPlace.changes(base, { since, artifacts: join(home, 'artifacts'), home }))
  const attempt = join(home, 'attempt')
  mkdirSync(attempt)
  writeFileSync(join(attempt, 'launch.json'), JSON.stringify({ base }))
  let diff = ''
  const read = readDiff(
    { folder: attempt, launch: undefined, own: undefined },
    {
      env: process.env,
      take: (bytes) => {
        diff += Buffer.from(bytes).toString('utf8')
      },
    },
  )
  await read.catch((error: unknown) => {
    diff = String(error)
  })
  await repositoryAt(root, process.env)
  return { base, changes, diff }
}

describe.each(Object.entries(TRAPS))('%s', (_name, { plant, control }) => {
  test('does not run when it was there before, and the evidence is right', async () => {
    const { checkout, program, marks } = trappedCheckout(temporaryFolder())
    plant(checkout, program)
    checkout.put('kept.txt', 'OLD\n')
    const before = marks()
    const { base, changes, diff } = await looksAt(checkout.root, () => {
      checkout.put('kept.txt', 'new\n')
      checkout.put('added.txt', 'added\n')
    })
    expect({ base, marks: marks() }).toEqual({ base: expect.objectContaining({ kind: 'git' }), marks: before })
    expect(changes).toEqual({ files: ['added.txt', 'kept.txt'], commits: [], artifacts: [] })
    expect(diff).toMatch(/\+added|unable to read|bad object/)
  })

  test('does not run when it is planted during the run', async () => {
    const { checkout, program, marks } = trappedCheckout(temporaryFolder())
    let before: string[] = []
    await looksAt(checkout.root, () => {
      plant(checkout, program)
      checkout.put('kept.txt', 'OLD\n')
      before = marks()
    })
    expect(marks()).toEqual(before)
  })

  test.runIf(control !== undefined)("runs when a person's git does the same", () => {
    const { checkout, program, marks } = trappedCheckout(temporaryFolder())
    // git writes its index where a file has another time and the same text: with that, the hook runs each time.
    checkout.put('same.txt', 'same\n')
    checkout.git('add', 'same.txt')
    plant(checkout, program)
    checkout.put('kept.txt', 'OLD\n')
    const soon = new Date(Date.now() + 5000)
    for (const name of ['kept.txt', 'same.txt']) utimesSync(join(checkout.root, name), soon, soon)
    const before = marks().length
    spawnSync('git', [...(control ?? [])], { cwd: checkout.root, stdio: 'ignore', timeout: 60_000 })
    expect(marks().length).toBeGreaterThan(before)
  })
})

test('a look writes nothing: neither the index, nor anything in the temporary folder', async () => {
  // Other tests look at the same time, and have folders of such names too.
  vi.stubEnv('TMPDIR', temporaryFolder())
  onTestFinished(() => void vi.unstubAllEnvs())
  const { checkout } = trappedCheckout(temporaryFolder())
  const touched = new Date(Date.now() - 60_000)
  utimesSync(join(checkout.root, 'kept.txt'), touched, touched)
  const index = join(checkout.root, '.git/index')
  const seen = () => ({ ...statSync(index), atimeMs: 0, atime: 0 })
  const ours = () => readdirSync(tmpdir()).filter((name) => name.startsWith('fleet-git-'))
  const [before, content, left] = [seen(), readFileSync(index), ours()]
  const { changes } = await looksAt(checkout.root, () => {})
  expect(changes.files).toEqual([])
  expect(seen()).toEqual(before)
  expect(readFileSync(index).equals(content)).toBe(true)
  expect(ours().filter((name) => !left.includes(name))).toEqual([])
})

test('a filter of the user does not run either, and a file that it stores differently is no change by itself', async () => {
  const { checkout, program, marks } = trappedCheckout(temporaryFolder())
  const { git, put, root } = checkout
  const upper = join(root, '.git/upper')
  writeFileSync(upper, '#!/bin/sh\nexec tr a-z A-Z\n', { mode: 0o755 })
  git('config', 'filter.trap.clean', upper)
  git('config', 'filter.trap.required', 'true')
  put('.gitattributes', '*.big filter=trap\n')
  for (const name of ['one.big', 'two.big']) put(name, 'pointer\n')
  git('add', '.')
  git('commit', '-q', '-m', 'Big files')
  expect(git('show', 'HEAD:one.big')).toBe('POINTER')
  git('config', 'filter.trap.clean', program)
  const { changes, diff } = await looksAt(root, () => put('one.big', 'changed\n'))
  expect(changes.files).toEqual(['one.big'])
  expect(diff).toContain('-POINTER\n+changed\n')
  expect(marks()).toEqual([])
})

test('a linked worktree, a split index and a sparse checkout are read like any other', async () => {
  const { checkout } = trappedCheckout(temporaryFolder())
  const { git, root } = checkout
  checkout.put('dir/other.txt', 'x\n')
  git('add', '.')
  git('commit', '-q', '-m', 'Second')
  const linked = join(root, '../linked')
  git('worktree', 'add', '-q', '-b', 'side', linked)
  git('-C', linked, 'update-index', '--split-index')
  git('-C', linked, 'sparse-checkout', 'set', '--no-cone', '/*', '!/dir/')
  const { base, changes, diff } = await looksAt(linked, () => {
    writeFileSync(join(linked, 'kept.txt'), 'side\n')
    git('-C', linked, 'commit', '-q', '-a', '-m', 'Side')
  })
  expect(base).toMatchObject({ kind: 'git', root: join(root, '..', 'linked'), dirty: {} })
  expect(changes).toMatchObject({ files: ['kept.txt'], commits: [git('-C', linked, 'rev-parse', 'HEAD')] })
  expect(diff).toContain('-old\n+side\n')
})

test('changes inside a submodule are evidence, by their own names', async () => {
  const { checkout, program } = trappedCheckout(temporaryFolder())
  TRAPS['the configuration of a submodule']?.plant(checkout, program)
  checkout.git('commit', '-q', '-m', 'With a submodule', '--', '.gitmodules', 'inner')
  const quiet = await looksAt(checkout.root, () => {})
  expect(quiet.changes.files).toEqual([])
  const { changes } = await looksAt(checkout.root, () => checkout.put('inner/deep/new.txt', 'x\n'))
  expect(changes.files).toEqual(['inner/deep/new.txt'])
})

test('a commit that an agent puts in the place of another with git replace hides nothing', async () => {
  const { checkout } = trappedCheckout(temporaryFolder())
  const { git, put, root } = checkout
  const { changes, diff } = await looksAt(root, () => {
    const before = git('rev-parse', 'HEAD')
    put('kept.txt', 'new\n')
    git('commit', '-q', '-a', '-m', 'Second')
    git('replace', before, git('commit-tree', '-m', 'fake', 'HEAD^{tree}'))
  })
  expect(changes.files).toEqual(['kept.txt'])
  expect(diff).toContain('-old\n+new\n')
})

test('a git inside the project is not run, nor one from a relative folder of PATH', async () => {
  const { checkout, program, marks } = trappedCheckout(temporaryFolder())
  checkout.put('bin/git', readFileSync(program, 'utf8'), 0o755)
  checkout.put('git', readFileSync(program, 'utf8'), 0o755)
  const before = process.env['PATH']
  const cwd = process.cwd()
  process.env['PATH'] = `:.:bin:${checkout.root}/bin:${before}`
  try {
    process.chdir(checkout.root)
    const { changes } = await looksAt(checkout.root, () => checkout.put('kept.txt', 'new\n'))
    expect(changes.files).toEqual(['kept.txt'])
  } finally {
    process.chdir(cwd)
    process.env['PATH'] = before
  }
  expect(marks()).toEqual([])
})
