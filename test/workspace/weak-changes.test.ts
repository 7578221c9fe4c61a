import { chmodSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inPlace } from '../../src/workspace/in-place.ts'
import { NOTHING, plain, project } from '../support/project.ts'

test('a new file without text, of notes, or left over by a tool is weak, tracked or not; a commit of such files is none', async () => {
  const { artifacts, write, git, changesBy } = project('git')
  writeFileSync(join(artifacts, 'KNOWLEDGE.md'), 'what I learnt\n')
  const weak = () => {
    for (const name of ['empty.txt', 'blank.txt']) write(name, name === 'blank.txt' ? ' \n\t\0\n' : '')
    write('Plan-2.md', 'first this, then that\n')
    write('copied.rs', 'what I learnt\n')
    write('dir/__pycache__/x.pyc', 'compiled\n')
  }
  const all = [
    'Plan-2.md (notes)',
    'blank.txt (blank)',
    'copied.rs (copy of its notes)',
    'dir/__pycache__/x.pyc (by-product)',
  ]
  expect(await changesBy(weak)).toEqual({ ...NOTHING, files: [...all, 'empty.txt (blank)'] })
  git('clean', '-qfd')
  const committed = await changesBy(() => {
    weak()
    git('add', '--all')
    git('commit', '-q', '-m', 'weak')
  })
  expect(committed).toEqual({ ...NOTHING, files: [...all, 'empty.txt (blank)'] })
})

test('what the project says that its tools leave behind is weak', async () => {
  const { path, artifacts, write } = project('git')
  const base = await inPlace.base(path, '/nowhere')
  write('traces/a.json', '{}\n')
  const order = { since: 0, artifacts, home: '/nowhere', byProducts: ['/traces/'] }
  expect(plain(await inPlace.changes(base, order))).toEqual({ ...NOTHING, files: ['traces/a.json (by-product)'] })
})

test('an existing file that is emptied, or notes that were there before, are changes like any other', async () => {
  const { write, git, changesBy } = project('git')
  write('TODO.md', 'this\n')
  git('add', '.')
  git('commit', '-q', '-m', 'todo')
  const files = ['TODO.md', 'a.txt']
  expect(await changesBy(() => files.forEach((name) => void write(name, '')))).toEqual({ ...NOTHING, files })
})

test('a bare change of mode is weak, also when it is committed', async () => {
  const { path, write, git, changesBy } = project('git')
  expect(await changesBy(() => chmodSync(join(path, 'a.txt'), 0o755))).toEqual({ ...NOTHING, files: ['a.txt (mode)'] })
  expect(await changesBy(() => git('commit', '-q', '-a', '-m', 'mode'))).toEqual(NOTHING)
  const both = await changesBy(() => {
    chmodSync(join(path, 'dir/b.txt'), 0o755)
    write('dir/b.txt', 'more\n')
  })
  expect(both).toEqual({ ...NOTHING, files: ['dir/b.txt'] })
})

test('what a stash had before is weak, tracked or not', async () => {
  const { write, git, changesBy } = project('git')
  write('a.txt', 'of a person\n')
  write('new.txt', 'of a person\n')
  git('stash', '-q', '-u')
  expect(await changesBy(() => git('stash', 'pop', '-q'))).toEqual({
    ...NOTHING,
    files: ['a.txt (was stashed)', 'new.txt (was stashed)'],
  })
})

test('an empty commit on an earlier state is none', async () => {
  const { write, git, changesBy } = project('git')
  write('a.txt', 'more\n')
  git('commit', '-q', '-a', '-m', 'more')
  const onEarlier = () => {
    git('reset', '-q', '--hard', 'HEAD~1')
    git('commit', '-q', '--allow-empty', '-m', 'done')
  }
  expect(await changesBy(onEarlier)).toEqual(NOTHING)
})

test('weak changes are told in any number', async () => {
  const { path, write, git, changesBy } = project('git')
  const names = Array.from({ length: 250 }, (_, i) => `m${String(i).padStart(4, '0')}.txt`)
  for (const name of names) write(name, `${name}\n`)
  git('add', '.')
  git('commit', '-q', '-m', 'many')
  const modes = await changesBy(() => names.forEach((name) => void chmodSync(join(path, name), 0o755)))
  expect(modes).toEqual({ ...NOTHING, files: names.map((name) => `${name} (mode)`) })
  git('reset', '-q', '--hard')
  for (const name of names) write(name, `mine ${name}\n`)
  git('stash', '-q')
  for (const n of [1, 2, 3, 4, 5]) {
    write('dir/b.txt', `${n}\n`)
    git('stash', '-q')
  }
  const stashed = await changesBy(() => git('stash', 'pop', '-q', 'stash@{5}'))
  expect(stashed).toEqual({ ...NOTHING, files: names.map((name) => `${name} (was stashed)`) })
  git('reset', '-q', '--hard')
  const empty = Array.from({ length: 2001 }, (_, i) => `e${String(i).padStart(4, '0')}.txt`)
  const blank = await changesBy(() => empty.forEach((name) => void write(name, '')))
  expect(blank).toEqual({ ...NOTHING, files: empty.map((name) => `${name} (blank)`) })
})

test('a large file without text is weak, and among the artifacts it is none', async () => {
  const { path, artifacts, write, changesBy } = project('folder')
  const zeros = '\0'.repeat(200_000)
  const found = await changesBy(() => {
    write('zeros.bin', zeros)
    write('late.bin', `${zeros}text`)
    truncateTo(join(path, 'sparse.bin'), 1 << 30)
    writeFileSync(join(artifacts, 'zeros.bin'), zeros)
    writeFileSync(join(artifacts, 'late.bin'), `${zeros}text`)
  })
  expect(found).toEqual({
    ...NOTHING,
    files: ['late.bin', 'sparse.bin (blank)', 'zeros.bin (blank)'],
    artifacts: ['late.bin'],
  })
})

function truncateTo(path: string, size: number): void {
  writeFileSync(path, '')
  truncateSync(path, size)
}
