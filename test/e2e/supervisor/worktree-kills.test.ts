import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FLEET, scrubbed } from '../../support/cli.ts'
import { claims, type Fleet, init, result, testFleet, until, writes } from '../../support/supervisor.ts'

const git = (cwd: string, ...argv: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=anna', '-c', 'user.email=anna@example.org', ...argv], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

/** What can be seen of the steps of worktrees from outside. */
function seen(fleet: Fleet, repository: string): string {
  const folder = join(fleet.home.path, 'worktrees')
  const links = join(repository, '.git/worktrees')
  return JSON.stringify([
    existsSync(folder) ? readdirSync(folder).map((name) => name.replace(/-[0-9a-f]{8}$/, '')) : [],
    existsSync(links) ? readdirSync(links) : [],
    git(repository, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads'),
    fleet.ledger.worktrees().map(({ task, state }) => [task, state]),
    fleet.ledger.openRuns().map(({ task, phase }) => [task, phase]),
  ])
}

test('a supervisor that is killed at every step of a worktree loses nothing and makes nothing twice', async () => {
  const fleet = testFleet({ config: ['coder=shell', 'isolation=worktree', 'max_attempts=20', 'max_concurrent=3'] })
  const repository = fleet.project('shop', { git: true })
  for (let i = 0; i < 300; i++) writeFileSync(join(repository, `file-${i}.txt`), `${i}\n`.repeat(200))
  git(repository, 'add', '.')
  git(repository, 'commit', '-qm', 'Files')
  expect(fleet.fleet('config', 'set', `projects.${repository}.setup=test -e file-299.txt`)).toMatchObject({ code: 0 })
  const script = 'test -e file-299.txt && [ ! -e mine ] && echo "$FLEET_TASK_ID" >mine && sleep 0.3'
  const ids = ['a', 'b', 'c'].map((name) => fleet.create(name, script, '--cwd', repository))
  expect(fleet.fleet('config', 'set', `projects.${repository}.land=manual`)).toMatchObject({ code: 0 })
  let last = seen(fleet, repository)
  const isDone = async () => {
    const tasks = await Promise.all(ids.map((id) => fleet.task(id)))
    return tasks.every(({ status }) => status === 'blocked') && fleet.ledger.openRuns().length === 0
  }
  await fleet.start()
  for (let kills = 0; kills < 15 && !(await isDone()); kills++) {
    await until(
      async () => seen(fleet, repository) !== last || (await isDone()),
      () => `another step after ${last}`,
    )
    last = seen(fleet, repository)
    await fleet.start('SIGKILL')
  }
  for (const id of ids) await fleet.settled(id, 'blocked')

  expect(ids.map((id) => fleet.runs(id).at(-1)?.outcome?.code)).toEqual(ids.map(() => 'needs-landing'))
  expect(ids.map((id) => git(repository, 'show', `fleet/${id}:mine`))).toEqual(ids)
  expect(ids.map((id) => git(repository, 'diff', '--name-only', 'main', `fleet/${id}`))).toEqual(ids.map(() => 'mine'))
  expect(git(repository, 'branch', '--list', 'fleet*').split('\n')).toHaveLength(3)
  expect(git(repository, 'status', '--porcelain')).toBe('')
  expect(readdirSync(join(fleet.home.path, 'worktrees')).sort()).toEqual([...ids].sort())
  expect(git(repository, 'fsck', '--no-dangling')).toBe('')
})

test('a removal of worktrees that is killed at every step is completed, and loses no work', async () => {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const repository = fleet.project('shop', { git: true })
  const set = ['config', 'set', `projects.${repository}.land_as=squash`]
  expect(fleet.fleet(...set)).toMatchObject({ code: 0, stderr: '' })
  const squashed = ['a', 'b'].map((name) =>
    fleet.create(name, [init, writes(`${name}.txt`), claims(), result()], '--cwd', repository),
  )
  const nothing = ['c', 'd'].map((name) => fleet.create(name, 'true', '--cwd', repository))
  await fleet.start()
  for (const id of [...squashed, ...nothing]) await fleet.settled(id, 'closed')
  const tips = squashed.map((id) => git(repository, 'rev-parse', `fleet/${id}`))
  await fleet.end('SIGTERM')

  let last = seen(fleet, repository)
  for (let kills = 0; kills < 20 && fleet.ledger.worktrees().length > 0; kills++) {
    const env = { ...scrubbed(), FLEET_HOME: fleet.home.path }
    const gc = spawn(process.execPath, [FLEET, 'gc'], { env, stdio: 'ignore' })
    const over = once(gc, 'exit')
    await until(
      async () => gc.exitCode !== null || seen(fleet, repository) !== last,
      () => `another step after ${last}`,
    )
    gc.kill('SIGKILL')
    await over
    last = seen(fleet, repository)
  }
  expect(fleet.fleet('gc')).toMatchObject({ code: 0 })
  expect(fleet.ledger.worktrees()).toEqual([])
  expect(readdirSync(join(fleet.home.path, 'worktrees'))).toEqual([])
  expect(git(repository, 'worktree', 'list', '--porcelain')).not.toContain('removing')
  expect(git(repository, 'branch', '--list', 'fleet*')).toBe('')
  const rescued = squashed.map((id) => `refs/fleet/rescue/${fleet.runs(id)[0]?.id}`)
  expect(rescued.map((ref) => git(repository, 'rev-parse', ref))).toEqual(tips)
  expect(git(repository, 'fsck', '--no-dangling')).toBe('')
})
