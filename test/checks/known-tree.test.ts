import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../support/home-run.ts'
import { commit, git, named, SUBJECT, verifying } from '../support/verifying.ts'

/** A pass is remembered for a tree that is known to the last file. */

test('a tree that passed is not checked again by the same commands in the same environment', async () => {
  const one = await verifying()
  const count = join(one.project, '..', 'count')
  const command = named(`echo run >>${count}`)
  const runs = () => (existsSync(count) ? readFileSync(count, 'utf8').trim().split('\n').length : 0)
  commit(one.project, { 'a.txt': 'one' })
  await one.verify([command], { subject: `${SUBJECT}-a` })
  expect(await one.verify([command], { subject: `${SUBJECT}-b` })).toEqual({
    kind: 'passed',
    known: true,
    commands: [],
    text: '',
  })
  expect(runs()).toBe(1)
  // Another command, another tree, and again the first tree.
  await one.verify([named(`echo other >>${count}`)], { subject: `${SUBJECT}-c` })
  commit(one.project, { 'a.txt': 'two' })
  await one.verify([command], { subject: `${SUBJECT}-d` })
  expect(runs()).toBe(3)
  commit(one.project, { 'a.txt': 'one' })
  expect(await one.verify([command], { subject: `${SUBJECT}-e` })).toMatchObject({ known: true })
})

test('a pass is not remembered for a tree that was changed while the commands ran', async () => {
  const one = await verifying()
  const folder = join(one.project, '..')
  const command = named(`touch ${folder}/begun; until test -e ${folder}/go; do sleep 0.05; done; grep -q two a.txt`)
  commit(one.project, { 'a.txt': 'one' })
  const first = one.verify([command], { subject: `${SUBJECT}-a` })
  await eventually(() => existsSync(join(folder, 'begun')), 'it runs')
  commit(one.project, { 'a.txt': 'two' })
  writeFileSync(join(folder, 'go'), '')
  expect(await first).toMatchObject({ kind: 'passed' })
  commit(one.project, { 'a.txt': 'one' })
  expect(await one.verify([command], { subject: `${SUBJECT}-b` })).toMatchObject({ kind: 'failed' })
})

test('a red tree is not remembered, and neither is one that was flaky', async () => {
  const one = await verifying()
  const folder = join(one.project, '..')
  commit(one.project, { 'a.txt': 'one' })
  const flaky = named(`test -e ${folder}/seen || { touch ${folder}/seen; exit 1; }`)
  expect(await one.verify([named('false')], { subject: `${SUBJECT}-a` })).toMatchObject({ kind: 'failed' })
  expect(await one.verify([named('false')], { subject: `${SUBJECT}-b` })).toMatchObject({ kind: 'failed' })
  expect(await one.verify([flaky], { subject: `${SUBJECT}-c` })).toMatchObject({ kind: 'flaky' })
  expect(await one.verify([flaky], { subject: `${SUBJECT}-d` })).not.toHaveProperty('known')
})

test.each<[string, (project: string) => void]>([
  ['a file that git does not track', (project) => writeFileSync(join(project, 'new.txt'), '')],
  ['a file that git ignores', (project) => writeFileSync(join(project, 'ignored.log'), '')],
  ['a change that is not committed', (project) => writeFileSync(join(project, 'a.txt'), 'other')],
  [
    'a change that the index of the repository hides',
    (project) => {
      git(project, 'update-index', '--assume-unchanged', 'a.txt')
      writeFileSync(join(project, 'a.txt'), 'other')
    },
  ],
  [
    'a change that a setting of the repository hides',
    (project) => {
      git(project, 'config', 'core.autocrlf', 'input')
      writeFileSync(join(project, 'a.txt'), 'one\r\n')
    },
  ],
  [
    'a file that a setting of the repository leaves out',
    (project) => {
      git(project, 'config', 'core.sparsecheckout', 'true')
      writeFileSync(join(project, '.git', 'info', 'sparse-checkout'), '/*\n!/a.txt\n')
      rmSync(join(project, 'a.txt'))
    },
  ],
])('a pass does not count for later where the checkout has %s', async (_, change) => {
  const one = await verifying()
  commit(one.project, { 'a.txt': 'one\n', '.gitignore': '*.log\n' })
  change(one.project)
  await one.verify([named('true')], { subject: `${SUBJECT}-a` })
  expect(await one.verify([named('true')], { subject: `${SUBJECT}-b` })).not.toHaveProperty('known')
})

test('a pass without git counts once', async () => {
  const one = await verifying()
  await one.verify([named('true')], { subject: `${SUBJECT}-a` })
  expect(await one.verify([named('true')], { subject: `${SUBJECT}-b` })).not.toHaveProperty('known')
})
