import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NOTHING, project } from '../support/project.ts'

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
