import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FLEET, run } from '../../support/cli.ts'
import { claims, init, result, testFleet, tool, until, writes } from '../../support/supervisor.ts'

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

const asks = [init, writes('one.txt'), tool({ fleet: ['ask', 'Which?'] }), result()]
const finishes = [init, writes('two.txt'), claims(), result()]
const FILES = ['kept.txt', 'one.txt', 'two.txt']

test('a worktree that a person removes between two attempts comes again with the work of the first', async () => {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const repository = fleet.project('shop', { git: true })
  const id = fleet.create('Asks', [asks, finishes], '--cwd', repository)
  await fleet.start()
  await fleet.settled(id, 'blocked')
  rmSync(join(fleet.home.path, 'worktrees', id), { recursive: true })
  expect(fleet.fleet('answer', id, 'this')).toMatchObject({ code: 0 })
  await fleet.settled(id, 'closed')
  expect(git(repository, 'ls-tree', '--name-only', 'main').split('\n')).toEqual(FILES)
})

test('a worktree that goes while its agent works fails the attempt, and the next one finds it whole', async () => {
  const fleet = testFleet({ config: ['isolation=worktree', 'max_attempts=2'] })
  const repository = fleet.project('shop', { git: true })
  const waits = [init, tool({ waitFor: '$FLEET_HOME/go' }), claims(), result()]
  const id = fleet.create('Loses its worktree', [waits, finishes], '--cwd', repository)
  await fleet.start()
  const path = join(fleet.home.path, 'worktrees', id)
  await fleet.started(id)
  rmSync(path, { recursive: true })
  writeFileSync(join(fleet.home.path, 'go'), '')
  await fleet.settled(id, 'closed')
  expect(fleet.runs(id)[0]?.outcome).toEqual({
    code: 'error',
    text: `its work could not be committed to fleet/${id}: ${path} does not exist any more`,
  })
  expect(git(repository, 'ls-tree', '--name-only', 'main').split('\n')).toEqual(['kept.txt', 'two.txt'])
})

test('a task whose repository was moved waits for its new directory, and goes on in its worktree', async () => {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const repository = fleet.project('shop', { git: true })
  const id = fleet.create('Asks', [asks, finishes], '--cwd', repository)
  await fleet.start()
  await fleet.settled(id, 'blocked')
  const moved = `${repository}-moved`
  renameSync(repository, moved)
  expect(fleet.fleet('answer', id, 'this')).toMatchObject({ code: 0 })
  await until(
    async () => fleet.ledger.stateOf(id).lastOutcome?.code === 'missing-cwd',
    () => JSON.stringify(fleet.ledger.stateOf(id)),
  )
  expect(fleet.fleet('bd', 'update', id, '--cwd', moved)).toMatchObject({ code: 0 })
  expect(fleet.fleet('retry', id)).toMatchObject({ code: 0 })
  await fleet.settled(id, 'closed')
  expect(git(moved, 'ls-tree', '--name-only', 'main').split('\n')).toEqual(FILES)
})

test.each(['moved', 'deleted'])(
  'work stays in the worktree of an agent whose repository is %s while it works',
  async (how) => {
    const fleet = testFleet({ config: ['isolation=worktree', 'max_attempts=1'] })
    const repository = fleet.project('shop', { git: true })
    const waits = [init, tool({ waitFor: '$FLEET_HOME/go' }), writes('one.txt'), claims(), result()]
    const id = fleet.create('Loses its repository', [waits, finishes], '--cwd', repository)
    await fleet.start()
    await fleet.started(id)
    const moved = `${repository}-moved`
    if (how === 'moved') renameSync(repository, moved)
    else rmSync(repository, { recursive: true })
    writeFileSync(join(fleet.home.path, 'go'), '')
    await fleet.settled(id, 'blocked')
    expect(fleet.ledger.stateOf(id).lastOutcome).toEqual({
      code: 'error',
      text: `its work could not be committed to fleet/${id}: ${repository} is no git checkout any more: give the task its new directory with fleet bd update ${id} --cwd`,
    })
    expect(readFileSync(join(fleet.home.path, 'worktrees', id, 'one.txt'), 'utf8')).not.toBe('')
    if (how === 'deleted') return
    expect(fleet.fleet('bd', 'update', id, '--cwd', moved)).toMatchObject({ code: 0 })
    expect(fleet.fleet('retry', id)).toMatchObject({ code: 0 })
    await fleet.settled(id, 'closed')
    expect(git(moved, 'ls-tree', '--name-only', 'main').split('\n')).toEqual(FILES)
  },
)
