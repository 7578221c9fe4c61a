import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testFleet } from '../../support/supervisor.ts'
import { rowsOf } from './rows.ts'

const { row, expectAll } = rowsOf('worktrees')

test('settings of worktrees', async () => {
  const fleet = testFleet({ config: ['coder=shell', 'isolation=worktree'] })
  const [web, api] = ['web', 'api'].map((name) => fleet.project(name, { git: true })) as [string, string]
  expect(fleet.fleet('config', 'set', `projects.${api}.isolation=shared`)).toMatchObject({ code: 0, stderr: '' })
  const apart = fleet.create('Apart', 'pwd', '--cwd', web)
  const inPlace = fleet.create('In place', 'pwd', '--cwd', api)
  await fleet.start()

  await row('isolation', async () => {
    await fleet.settled(apart, 'closed')
    const { cwd, project } = fleet.runs(apart)[0] ?? {}
    expect({ cwd, project }).toEqual({ cwd: join(fleet.home.path, 'worktrees', apart), project: web })
    expect(fleet.text(apart, 'attempts', '1', 'stdout.jsonl')).toBe(`${cwd}\n`)
  })
  await row('projects.*.isolation', async () => {
    await fleet.settled(inPlace, 'closed')
    expect(fleet.runs(inPlace)[0]).toMatchObject({ cwd: api, project: api })
  })
})

test('every row of this file was shown', () => expectAll())
