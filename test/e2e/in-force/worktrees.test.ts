import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../support/cli.ts'
import { testFleet } from '../../support/supervisor.ts'
import { rowsOf } from './rows.ts'

const { row, expectAll } = rowsOf('worktrees')

test('settings of worktrees', async () => {
  const fleet = testFleet({ config: ['coder=shell', 'isolation=worktree'] })
  const [web, api] = ['web', 'api'].map((name) => fleet.project(name, { git: true })) as [string, string]
  expect(fleet.fleet('config', 'set', `projects.${api}.isolation=shared`)).toMatchObject({ code: 0, stderr: '' })
  writeFileSync(join(web, '.gitignore'), '.env*\ntraces/\n')
  const commit = ['-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-qm', 'Ignore']
  for (const argv of [['add', '.'], commit]) expect(run('git', argv, { cwd: web })).toMatchObject({ code: 0 })
  for (const name of ['.env', '.env.local', 'notes.txt']) writeFileSync(join(web, name), `${name} of the person\n`)
  const set = fleet.fleet(
    ...['config', 'set', `projects.${web}.setup=echo "$FLEET_BRANCH" >.env.setup`],
    `projects.${web}.worktree_include=[".env.*", "notes.txt"]`,
    `projects.${web}.by_products=["/traces/"]`,
  )
  expect(set).toMatchObject({ code: 0, stderr: '' })
  const apart = fleet.create('Apart', 'pwd; mkdir traces; echo x >traces/a.json', '--cwd', web)
  const inPlace = fleet.create('In place', 'pwd', '--cwd', api)
  await fleet.start()

  await row('isolation', async () => {
    await fleet.settled(apart, 'closed')
    const { cwd, project } = fleet.runs(apart)[0] ?? {}
    expect({ cwd, project }).toEqual({ cwd: join(fleet.home.path, 'worktrees', apart), project: web })
    expect(fleet.text(apart, 'attempts', '1', 'stdout.jsonl')).toBe(`${cwd}\n`)
  })
  const worktree = join(fleet.home.path, 'worktrees', apart)
  await row('projects.*.setup', () =>
    expect(readFileSync(join(worktree, '.env.setup'), 'utf8')).toBe(`fleet/${apart}\n`),
  )
  await row('projects.*.worktree_include', () => {
    // notes.txt is not ignored: it would become work of the task. .env is not named.
    expect(readdirSync(worktree).sort()).toEqual([
      '.env.local',
      '.env.setup',
      '.git',
      '.gitignore',
      'kept.txt',
      'traces',
    ])
  })
  await row('projects.*.isolation', async () => {
    await fleet.settled(inPlace, 'closed')
    expect(fleet.runs(inPlace)[0]).toMatchObject({ cwd: api, project: api })
  })
  await row('projects.*.by_products', () => expect(fleet.fleet('gc').stdout).toContain('1 worktree removed'))
})

test('every row of this file was shown', () => expectAll())
