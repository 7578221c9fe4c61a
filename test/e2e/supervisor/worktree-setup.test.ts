import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { processEntry, processTable } from '../../../src/platform/process/process-table.ts'
import type { Step } from '../../stub-agent/stub-as.ts'
import { eventually } from '../../support/agents.ts'
import { run, temporaryFolder } from '../../support/cli.ts'
import { fleetHome } from '../../support/home-run.ts'
import { smallDisk } from '../../support/small-disk.ts'
import { claims, type Fleet, init, result, testFleet, tool, until, writes } from '../../support/supervisor.ts'

/** A new worktree is set up by the project's own command before its agent starts. */

const WORKTREE = ['--isolation', 'worktree'] as const

function fleetWith(setup: string, config: readonly string[] = []): { fleet: Fleet; repository: string } {
  const fleet = testFleet({ config: ['max_attempts=2', ...config] })
  const repository = fleet.project('shop', { git: true })
  writeFileSync(join(repository, '.gitignore'), '/made/\n')
  expect(fleet.fleet('config', 'set', `projects.${repository}.setup=${setup}`)).toMatchObject({ code: 0 })
  return { fleet, repository }
}

test('setup runs once for all attempts, in the worktree, and knows where it is', async () => {
  const { fleet, repository } = fleetWith('mkdir made && env | grep ^FLEET_ >>made/env && echo set up')
  const steps = [
    [init, writes('new.txt'), result()],
    [init, claims(), result()],
  ]
  const id = fleet.create('Two attempts', steps, '--cwd', repository, ...WORKTREE)
  await fleet.start()
  await fleet.settled(id, 'closed')

  const worktree = join(fleet.home.path, 'worktrees', id)
  const variables = readFileSync(join(worktree, 'made/env'), 'utf8').split('\n')
  // The ledger has the commit that has landed by now.
  const { base, branch } = JSON.parse(fleet.text(id, 'attempts', '1', 'launch.json')).worktree
  expect(variables).toEqual(
    expect.arrayContaining([
      `FLEET_WORKTREE=${worktree}`,
      `FLEET_REPO=${repository}`,
      `FLEET_BRANCH=${branch}`,
      `FLEET_BASE=${base}`,
      expect.stringMatching(/^FLEET_PORT_BASE=2\d{4}$/),
    ]),
  )
  expect(fleet.text(id, 'attempts', '1', 'setup', 'stdout.jsonl')).toBe('set up\n')
  expect(fleet.exists(id, 'attempts', '2', 'setup')).toBe(false)
})

test('what setup changes is no work of the agent: it is no evidence, is not kept, and does not land', async () => {
  const setup = 'echo lock >package-lock.json; echo changed >>kept.txt; rm gone.txt'
  const { fleet, repository } = fleetWith(setup, ['max_attempts=1'])
  writeFileSync(join(repository, 'gone.txt'), 'gone\n')
  for (const argv of [
    ['add', '.'],
    ['commit', '-qm', 'Second'],
  ])
    run('git', argv, { cwd: repository })
  const before = run('git', ['rev-parse', 'main'], { cwd: repository }).stdout
  const reads: Step = { claude: 'tool', name: 'Read', input: { file_path: 'kept.txt' } }
  const make = (title: string, ...steps: readonly Step[]) =>
    fleet.create(title, [init, ...steps, claims(), result()], '--cwd', repository, ...WORKTREE)
  const idle = [make('Reads', reads), make('Commits', tool({ git: ['add', '-A'] }, { git: ['commit', '-qm', 'All'] }))]
  await fleet.start()
  for (const id of idle) await fleet.settled(id, 'blocked')
  expect(idle.map((id) => fleet.runs(id)[0]?.outcome?.code)).toEqual(['no-evidence', 'no-evidence'])
  expect(idle.map((id) => fleet.receipt(id).evidence.files_changed)).toEqual([[], []])
  expect(run('git', ['rev-parse', `fleet/${idle[0]}`], { cwd: repository }).stdout).toBe(before)
  // What the agent adds to a file of setup is its work, with the file.
  const works = make('Works', writes('mine.txt'), tool({ append: 'package-lock.json', text: 'more\n' }))
  await fleet.settled(works, 'closed')
  expect(fleet.receipt(works).evidence.files_changed).toEqual(['mine.txt', 'package-lock.json'])
  const landed = run('git', ['diff', '--name-only', before.trim(), 'main'], { cwd: repository }).stdout
  expect(landed).toBe('mine.txt\npackage-lock.json\n')
  expect(fleet.fleet('gc').stdout).toContain('1 worktree removed')
})

test('no agent is started where setup fails, and the reason is its last line', async () => {
  const { fleet, repository } = fleetWith('echo trying; echo "no such registry" >&2; exit 3')
  const id = fleet.create('Never starts', [init], '--cwd', repository, ...WORKTREE)
  await fleet.start()
  await fleet.settled(id, 'blocked')

  expect(fleet.starts(id)).toEqual([])
  const folder = (attempt: number) => join(fleet.home.path, 'tasks', id, 'attempts', String(attempt), 'setup')
  expect(fleet.runs(id).map(({ outcome }) => outcome)).toEqual(
    [1, 2].map((attempt) => ({
      code: 'setup-failed',
      text: `setup of its worktree ended with 3, so no agent was started: no such registry; its whole output is in ${folder(attempt)}`,
    })),
  )
})

test('a person can stop a task while its setup runs, and nothing of it is left', async () => {
  const { fleet, repository } = fleetWith('touch begun; (trap "" TERM; sleep 600) & sleep 600')
  const id = fleet.create('Stopped', [init], '--cwd', repository, ...WORKTREE)
  await fleet.start()
  const begun = join(fleet.home.path, 'worktrees', id, 'begun')
  await until(
    async () => existsSync(begun),
    () => 'setup has begun',
  )
  expect(fleet.fleet('kill', id)).toMatchObject({ code: 0 })
  await fleet.settled(id, 'blocked')
  await until(
    async () => fleet.log().some(({ event }) => event === 'worktree-set-up'),
    () => 'setup has ended',
  )
  expect(fleet.starts(id)).toEqual([])
})

test('setup that a killed supervisor left running is ended before it runs again', async () => {
  const { fleet, repository } = fleetWith('echo $$ >>begun; [ -e second ] || { touch second; sleep 600; }')
  const id = fleet.create(
    'Set up twice',
    [init, writes('new.txt'), claims(), result()],
    '--cwd',
    repository,
    ...WORKTREE,
  )
  await fleet.start()
  const begun = join(fleet.home.path, 'worktrees', id, 'begun')
  const pids = () => (existsSync(begun) ? readFileSync(begun, 'utf8').trim().split('\n') : [])
  await until(
    async () => existsSync(join(fleet.home.path, 'worktrees', id, 'second')),
    () => 'setup has begun',
  )
  await fleet.start('SIGKILL')
  await fleet.settled(id, 'closed')
  expect(pids()).toHaveLength(2)
  await eventually(() => processEntry(Number(pids()[0]))?.alive !== true, 'the first has been ended')
})

test.for(['kill', 'start'] as const)('setup that a killed supervisor left running is ended by a %s', async (how) => {
  const { fleet, repository } = fleetWith('echo $$ >begun.part && mv begun.part begun && exec sleep 313')
  const id = fleet.create('Is set up', [init, claims(), result()], '--cwd', repository, ...WORKTREE)
  await fleet.start()
  const begun = join(fleet.home.path, 'worktrees', id, 'begun')
  await until(
    async () => existsSync(begun),
    () => 'setup has begun',
  )
  await fleet.end('SIGKILL')
  const isAlive = () => {
    processTable().renew(0)
    return processEntry(Number(readFileSync(begun, 'utf8')))?.alive === true
  }
  expect(isAlive()).toBe(true)
  if (how === 'kill') {
    expect(fleet.fleet('kill', id)).toMatchObject({ code: 0, stdout: expect.stringContaining(id) })
    expect([isAlive(), fleet.runs(id).map(({ outcome }) => outcome?.code)]).toEqual([false, ['killed']])
    await fleet.settled(id, 'blocked')
  } else {
    fleet.fleet('pause')
    await fleet.start()
    await fleet.ended(id)
    expect([isAlive(), fleet.runs(id).map(({ outcome }) => outcome?.code)]).toEqual([false, ['never-started']])
  }
})

test('agents at the same time have different ports, and what verifies their work has theirs', async () => {
  const fleet = testFleet({ config: ['coder=shell'] })
  const repository = fleet.project('shop', { git: true })
  const verify = 'echo $FLEET_PORT_BASE'
  expect(fleet.fleet('config', 'set', `projects.${repository}.verify=${verify}`)).toMatchObject({ code: 0 })
  // Trees of their own: checks that have passed on a tree are not run again on the same one.
  const script = (name: string) =>
    `echo ${name} > ${name}.txt; echo $FLEET_PORT_BASE; until [ -e "$FLEET_HOME/go" ]; do sleep 0.1; done`
  const ids = ['one', 'other'].map((name) => fleet.create(name, script(name), '--cwd', repository, ...WORKTREE))
  await fleet.start()
  const printed = () =>
    ids.map((id) => (fleet.exists(id, 'attempts/1/stdout.jsonl') ? fleet.text(id, 'attempts/1/stdout.jsonl') : ''))
  await until(
    async () => printed().every((text) => text !== ''),
    () => 'both have told their ports',
  )
  writeFileSync(join(fleet.home.path, 'go'), '')
  for (const id of ids) await fleet.settled(id, 'closed')
  const [one, other] = printed().map(Number) as [number, number]
  expect(Math.abs(one - other)).toBeGreaterThanOrEqual(10)
  expect(ids.map((id) => fleet.receipt(id).checks?.[0]?.commands?.[0]?.tail)).toEqual([`${one}`, `${other}`])
})

test('a setup that meets a full disk counts as no failure, and the task begins when there is room again', async ({
  skip,
}) => {
  const disk = smallDisk(160)
  if (disk === undefined) return skip()
  const fleet = await fleetHome(['isolation=worktree', 'max_attempts=1'], disk)
  const repository = join(temporaryFolder(), 'shop')
  mkdirSync(repository)
  for (const argv of [
    ['init', '-q', '-b', 'main'],
    ['commit', '-qm', 'First', '--allow-empty'],
  ]) {
    const who = ['-c', 'user.name=t', '-c', 'user.email=t@localhost']
    expect(run('git', [...who, ...argv], { cwd: repository })).toMatchObject({ code: 0 })
  }
  const room = join(temporaryFolder(), 'room')
  const setup = `test -e ${room} || { echo 'write error: No space left on device'; exit 1; }`
  expect(fleet.fleet(['config', 'set', `projects.${repository}.setup=${setup}`])).toMatchObject({ code: 0, stderr: '' })
  const id = await fleet.script('true', { cwd: repository })
  await fleet.supervise()
  await eventually(() => fleet.runsOf(id).some(({ phase }) => phase === 'settled'), 'its setup has failed')
  expect(fleet.runsOf(id)[0]?.outcome).toMatchObject({
    code: 'never-started',
    text: expect.stringContaining('the disk is full: setup of its worktree ended with 1'),
  })
  expect(fleet.stateOf(id).failures).toBe(0)
  writeFileSync(room, '')
  await fleet.becomes(id, 'closed')
  await fleet.expectNoAgents()
})
