import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testFleet } from '../../support/supervisor.ts'
import { rowsOf } from './rows.ts'

const { row, expectAll } = rowsOf('landing')

const git = (cwd: string, ...argv: readonly string[]): string =>
  execFileSync('git', argv, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

test('settings of landings', async () => {
  const fleet = testFleet({ config: ['coder=shell', 'isolation=worktree'] })
  const [held, squashed, merged, aimed, pushed] = ['held', 'squashed', 'merged', 'aimed', 'pushed'].map((name) =>
    fleet.project(name, { git: true }),
  ) as [string, string, string, string, string]
  git(aimed, 'branch', 'next')
  git(fleet.home.project, 'init', '-q', '--bare', 'remote.git')
  git(pushed, 'remote', 'add', 'origin', join(fleet.home.project, 'remote.git'))
  const set = fleet.fleet(
    ...['config', 'set', `projects.${held}.land=manual`, `projects.${squashed}.land_as=squash`],
    `projects.${merged}.land_as=merge`,
    ...[`projects.${aimed}.target=next`, `projects.${pushed}.push=true`],
  )
  expect(set).toMatchObject({ code: 0, stderr: '' })
  const commit = (name: string) =>
    `echo ${name} > ${name}; git add .; git -c user.name=t -c user.email=t@x commit -qm ${name}`
  const script = `${commit('one')}; ${commit('two')}`
  const [waits, ...landing] = [held, squashed, merged, aimed, pushed].map((cwd) =>
    fleet.create('Two', script, '--cwd', cwd),
  )
  await fleet.start()
  for (const id of landing) await fleet.settled(id, 'closed')
  await fleet.settled(waits as string, 'blocked')
  const subjects = (cwd: string, branch: string) => git(cwd, 'log', '--topo-order', '--format=%s', branch).split('\n')

  await row('projects.*.land', () => expect(subjects(held, 'main')).toEqual(['First']))
  await row('projects.*.land_as', () => {
    expect(subjects(squashed, 'main')).toEqual(['Two', 'First'])
    // By default its commits land one by one, as below.
    expect(subjects(merged, 'main')).toEqual([expect.stringContaining('Two'), 'two', 'one', 'First'])
  })
  await row('projects.*.target', () => {
    expect([subjects(aimed, 'main'), subjects(aimed, 'next')]).toEqual([['First'], ['two', 'one', 'First']])
  })
  await row('projects.*.push', () => {
    expect(subjects(join(fleet.home.project, 'remote.git'), 'main')).toEqual(['two', 'one', 'First'])
  })
})

test('every row of this file was shown', () => expectAll())
