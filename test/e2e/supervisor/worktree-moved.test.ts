import { execFileSync } from 'node:child_process'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FLEET, run } from '../../support/cli.ts'
import { claims, init, result, testFleet, tool, writes } from '../../support/supervisor.ts'

/** Worktrees whose home or repository is somewhere else by now. */

const git = (cwd: string, ...argv: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=anna', '-c', 'user.email=anna@example.org', ...argv], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

test('a task goes on in its worktree after its home was moved, and all of its work lands', async () => {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const repository = fleet.project('shop', { git: true })
  const steps = [
    [init, writes('one.txt'), tool({ fleet: ['ask', 'Which?'] }), result()],
    [init, writes('two.txt'), claims(), result()],
  ]
  const id = fleet.create('Moves', steps, '--cwd', repository)
  await fleet.start()
  await fleet.settled(id, 'blocked')
  await fleet.end('SIGTERM')

  const { path: home } = fleet.home
  const moved = `${home}-moved`
  renameSync(home, moved)
  const env = { FLEET_HOME: moved, PATH: fleet.stub.path }
  expect(run(process.execPath, [FLEET, 'answer', id, 'this'], { env })).toMatchObject({ code: 0 })
  expect(run(process.execPath, [FLEET, 'run', '--once'], { env })).toMatchObject({ code: 0 })
  expect(existsSync(home)).toBe(false)
  renameSync(moved, home)

  expect(await fleet.task(id)).toMatchObject({ status: 'closed' })
  expect(fleet.runs(id).map(({ cwd }) => cwd)).toEqual([home, moved].map((each) => join(each, 'worktrees', id)))
  expect(git(repository, 'ls-tree', '--name-only', 'main').split('\n')).toEqual(['kept.txt', 'one.txt', 'two.txt'])
  expect(git(repository, 'worktree', 'list', '--porcelain')).toContain(`worktree ${join(moved, 'worktrees', id)}\n`)
})
