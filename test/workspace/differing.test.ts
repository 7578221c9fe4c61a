import { chmodSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Checkout, checkoutIn } from '../../src/platform/git/checkout.ts'
import { type LookingGit, looking } from '../../src/platform/git/look.ts'
import { differingFrom } from '../../src/workspace/differing.ts'
import { dirtyPaths, isFailed } from '../../src/workspace/dirty-paths.ts'
import { dirtyNow } from '../../src/workspace/dirty-together.ts'
import { type Project, project } from '../support/project.ts'

type Step = (given: Project, file: string) => void

const none: Step = () => {}
const other: Step = ({ write }, file) => write(file, 'other\n')
const asBefore: Step = ({ write }, file) => write(file, `${file}\n`)
const gone: Step = ({ path }, file) => rmSync(join(path, file), { force: true })
const program: Step = (given, file) => {
  asBefore(given, file)
  chmodSync(join(given.path, file), 0o755)
}
const link: Step = (given, file) => {
  gone(given, file)
  symlinkSync('elsewhere', join(given.path, file))
}
const STEPS = { none, other, asBefore, gone, program, link }

test('the tracked paths that differ from an earlier commit are those that git diff finds, however they came to differ', async () => {
  const given = project('git')
  const { path, git } = given
  const names = Object.keys(STEPS) as (keyof typeof STEPS)[]
  // What is committed, then what is staged, then what is in the directory; `new` ones are not in the earlier commit.
  const files = ['old', 'new'].flatMap((age) =>
    names.flatMap((first) => names.flatMap((second) => names.map((third) => [age, first, second, third] as const))),
  )
  const nameOf = (words: readonly string[]): string => words.join('-')
  const each = (at: 1 | 2 | 3): void => {
    for (const file of files) STEPS[file[at]](given, nameOf(file))
  }
  for (const file of files) if (file[0] === 'old') asBefore(given, nameOf(file))
  git('add', '-A')
  git('commit', '-q', '-m', 'before')
  const before = git('rev-parse', 'HEAD')
  each(1)
  git('add', '-A')
  git('commit', '-q', '-m', 'committed')
  each(2)
  git('add', '-A')
  each(3)
  const expected = git('diff', '--raw', '--no-renames', before)
    .split('\n')
    .map((line) => {
      const [, from = '', to = '', status = '', file = ''] = /^:(\d+) (\d+) \S+ \S+ (\w)\t(.*)$/.exec(line) ?? []
      return [file, { isNew: status === 'A', hasOtherMode: status === 'M' && from !== to }] as const
    })
  const found = await looking(checkoutIn(path) as Checkout, process.env, async (looked) => {
    const dirty = await dirtyPaths(looked, path)
    return isFailed(dirty) ? undefined : await differingFrom(looked, before, dirty)
  })
  const plain = [...(found ?? [])].map(([file, { isNew, hasOtherMode }]) => [file, { isNew, hasOtherMode }] as const)
  expect(Object.fromEntries(plain)).toEqual(Object.fromEntries(expected))
})

/** Counts the calls of each command. */
function counted(git: LookingGit): { git: LookingGit; calls: string[] } {
  const calls: string[] = []
  return {
    calls,
    git: async (argv, options) => {
      calls.push(argv.find((word) => !word.startsWith('-')) ?? '')
      return await git(argv, options)
    },
  }
}

test('plain changes of the directory cost no call of git beside the status', async () => {
  const { path, write, git } = project('git')
  const before = git('rev-parse', 'HEAD')
  write('a.txt', 'other\n')
  write('new.txt', 'new\n')
  git('add', 'new.txt')
  rmSync(join(path, 'dir/b.txt'))
  await looking(checkoutIn(path) as Checkout, process.env, async (looked) => {
    const { git, calls } = counted(looked)
    const dirty = await dirtyPaths(git, path)
    if (isFailed(dirty)) throw new Error('the status failed')
    expect([...((await differingFrom(git, before, dirty)) ?? [])]).toEqual([
      ['a.txt', { isNew: false, hasOtherMode: false }],
      ['dir/b.txt', { isNew: false, hasOtherMode: false }],
      ['new.txt', { isNew: true, hasOtherMode: false }],
    ])
    expect(calls).toEqual(['status'])
  })
})

test('those who ask while a checkout is looked at share the next look, which sees what was there when they asked', async () => {
  const { path, write } = project('git')
  const checkout = checkoutIn(path) as Checkout
  await looking(checkout, process.env, async (looked) => {
    const { git, calls } = counted(looked)
    write('one.txt', 'one\n')
    const first = dirtyNow(checkout, git)
    write('two.txt', 'two\n')
    const [second, third] = await Promise.all([dirtyNow(checkout, git), dirtyNow(checkout, git)])
    expect(second).toBe(third)
    expect(second).toEqual({ head: expect.any(String), paths: ['one.txt', 'two.txt'].map(untracked) })
    await first
    // The second look is by a git of its own.
    expect(calls).toEqual(['status'])
    write('three.txt', 'three\n')
    expect(await dirtyNow(checkout, git)).toMatchObject({ paths: ['one.txt', 'three.txt', 'two.txt'].map(untracked) })
  })
})

function untracked(path: string): object {
  return { path, tracked: false, submodule: '' }
}
