import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  claims,
  type Fleet,
  init,
  result,
  type Steps,
  testFleet,
  tool,
  until,
  writes,
} from '../../support/supervisor.ts'

/** A landing says what it waits for, and goes on when that is over. */

const git = (cwd: string, ...argv: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=anna', '-c', 'user.email=anna@example.org', ...argv], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

const subjects = (repository: string, branch = 'main') => git(repository, 'log', '--format=%s', branch).split('\n')

const work = (name: string): Steps => [
  init,
  writes(`${name}.txt`),
  tool({ git: ['add', '-A'] }),
  tool({ git: ['commit', '-qm', name] }),
  claims(`made ${name}`),
  result(),
]

function shop(land: 'auto' | 'manual' = 'auto') {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const repository = fleet.project('shop', { git: true })
  const set = fleet.fleet('config', 'set', `projects.${repository}.land=${land}`)
  expect(set).toMatchObject({ code: 0, stderr: '' })
  return { fleet, repository }
}

const waitsFor = (fleet: Fleet, id: string, why: string | RegExp) =>
  until(
    async () => new RegExp(why).test(JSON.stringify(fleet.ledger.landings.of(id)?.state ?? '')),
    () => `${id} waits for ${why}: ${JSON.stringify(fleet.ledger.landings.of(id)?.state)}`,
  )

const said = ({ code, stdout, stderr }: { code: number | null; stdout: string; stderr: string }) => ({
  code,
  stdout,
  stderr,
})

test('land = manual: a task waits until a person says fleet land, and stands in fleet tasks and fleet land', async () => {
  const { fleet, repository } = shop('manual')
  const id = fleet.create('One', work('one'), '--cwd', repository)
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.fleet('land').stdout).toContain(
    `fleet/${id} onto main of ${repository}\n  waits for you: fleet land ${id}\n`,
  )
  expect(JSON.parse(fleet.fleet('land', '--json').stdout)).toMatchObject([
    { task: id, title: 'One', target: 'main', state: 'held', reason: null, approved_by: null, bounces: 0 },
  ])
  expect(fleet.fleet('tasks', '--json').stdout).toContain('may land on main when you say so')
  expect(fleet.home.bd(['update', id, '--target', 'next'])).toMatchObject({ code: 0 })
  expect(fleet.fleet('land').stdout).toContain(`fleet/${id} onto next of ${repository}\n`)
  expect(fleet.home.bd(['update', id, '--target', ''])).toMatchObject({ code: 0 })
  expect(fleet.fleet('show', id).stdout).toContain('its work waits to land')
  expect(subjects(repository)).toEqual(['First'])
  expect(said(fleet.fleet('land', id))).toEqual({ code: 0, stdout: `${id} lands when it is its turn\n`, stderr: '' })
  expect(await fleet.settled(id, 'closed')).toMatchObject({ close_reason: 'made one', labels: [] })
  expect(subjects(repository)).toEqual(['one', 'First'])
  expect(fleet.fleet('land').stdout).toBe('Nothing waits to land.\n')
  expect(fleet.fleet('land', id)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(`${id} does not wait to land`),
  })
})

test('without a branch checked out it waits for a target', async () => {
  const { fleet, repository } = shop()
  git(repository, 'checkout', '-q', '--detach')
  const id = fleet.create('One', work('one'), '--cwd', repository)
  await fleet.start()
  await waitsFor(fleet, id, `no branch was checked out .* fleet bd update ${id} --target`)
  expect(fleet.home.bd(['update', id, '--target', 'main'])).toMatchObject({ code: 0 })
  await fleet.settled(id, 'closed')
  expect(subjects(repository)).toEqual(['one', 'First'])
})

test('hooks that changed while an agent worked do not run before a person trusts them', async () => {
  const { fleet, repository } = shop()
  const mark = join(fleet.home.project, 'mark')
  const hook = join(repository, '.git/hooks/post-merge')
  const steps = [
    init,
    tool({ write: hook, text: `#!/bin/sh\ntouch '${mark}'\n` }),
    tool({ run: ['chmod', '+x', hook] }),
    ...work('one').slice(1),
  ]
  const id = fleet.create('One', steps as Steps, '--cwd', repository)
  await fleet.start()
  await waitsFor(fleet, id, 'hooks, filters or configuration of its repository were changed .* hook post-merge .new.')
  const other = fleet.create('Two', work('two'), '--cwd', repository)
  await waitsFor(fleet, other, 'hooks, filters or configuration of its repository were changed')
  expect([existsSync(mark), subjects(repository)]).toEqual([false, ['First']])
  expect((await fleet.task(id)).labels).toEqual(['needs-landing', 'needs-review'])
  expect(fleet.fleet('review', id).stdout).toContain(`hook post-merge (new)\n  | #!/bin/sh\n  | touch '${mark}'\n`)
  expect(fleet.fleet('review', id, '--accept')).toMatchObject({ code: 0, stderr: '' })
  expect(fleet.fleet('land', other, '--trust')).toMatchObject({ code: 0, stderr: '' })
  for (const each of [id, other]) await fleet.settled(each, 'closed')
  expect(existsSync(mark)).toBe(true)
  expect(subjects(repository)).toHaveLength(3)
})

test('a target that is deleted, a repository that is moved and a worktree that is removed by hand are waited for, or not needed', async () => {
  const { fleet, repository } = shop('manual')
  const id = fleet.create('One', work('one'), '--cwd', repository)
  await fleet.start()
  await fleet.settled(id, 'blocked')
  git(repository, 'checkout', '-q', '-b', 'elsewhere')
  git(repository, 'branch', '-q', '-D', 'main')
  fleet.fleet('land', id)
  await waitsFor(fleet, id, 'the branch main of .* does not exist any more')
  execFileSync('mv', [repository, `${repository}-moved`])
  await waitsFor(fleet, id, 'the repository .* does not exist any more')
  execFileSync('mv', [`${repository}-moved`, repository])
  rmSync(join(fleet.home.path, 'worktrees', id), { recursive: true })
  git(repository, 'branch', 'main')
  await fleet.settled(id, 'closed')
  expect(subjects(repository)).toEqual(['one', 'First'])
})

test('a hook that refuses the work sends it back to its agent with what it said, and counts', async () => {
  const { fleet, repository } = shop()
  expect(fleet.fleet('config', 'set', `projects.${repository}.land_as=squash`)).toMatchObject({ code: 0 })
  const hook = '#!/bin/sh\n[ -e ok.txt ] || { echo "ok.txt is missing" >&2; exit 1; }\n'
  writeFileSync(join(repository, '.git/hooks/pre-commit'), hook, { mode: 0o755 })
  const quiet = (name: string) => [writes(`${name}.txt`), claims(`made ${name}`), result()]
  const id = fleet.create(
    'One',
    [
      [init, ...quiet('one')],
      [init, ...quiet('ok')],
    ],
    '--cwd',
    repository,
  )
  await fleet.start()
  await fleet.settled(id, 'closed')
  expect(subjects(repository)).toEqual(['One', 'First'])
  expect(fleet.text(id, 'attempts', '2', 'prompt.md')).toContain('ok.txt is missing')
  expect(fleet.ledger.stateOf(id).failures).toBe(1)
})

test('two homes land on one repository side by side, and nothing is lost', async () => {
  const { fleet, repository } = shop()
  const other = testFleet({ config: ['isolation=worktree'] })
  const names = ['a', 'b', 'c', 'd']
  const ids = names.map((name, i) => {
    const home = i % 2 === 0 ? fleet : other
    return { home, id: home.create(name, work(name), '--cwd', repository) }
  })
  await Promise.all([fleet.start(), other.start()])
  for (const { home, id } of ids) await home.settled(id, 'closed')
  expect(subjects(repository).sort()).toEqual(['First', ...names])
  expect(git(repository, 'status', '--porcelain')).toBe('')
})

test('fleet run --once waits for landings that go on by themselves, and for no person', async () => {
  const { fleet, repository } = shop()
  const first = fleet.create('one', work('one'), '--cwd', repository)
  const then = fleet.create('two', work('two'), '--cwd', repository, '--deps', first)
  expect(fleet.fleet('run', '--once')).toMatchObject({ code: 0, stdout: expect.stringContaining('2 done, 0 blocked') })
  expect(subjects(repository)).toEqual(['two', 'one', 'First'])
  expect([await fleet.task(first), await fleet.task(then)]).toMatchObject([{ status: 'closed' }, { status: 'closed' }])
  writeFileSync(join(repository, 'three.txt'), 'a person has it\n')
  const blocked = fleet.create('three', work('three'), '--cwd', repository)
  expect(fleet.fleet('run', '--once').code).toBe(1)
  expect(await fleet.task(blocked)).toMatchObject({ status: 'blocked', labels: ['needs-landing'] })
})
