import { execFileSync } from 'node:child_process'
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stubAs } from '../../stub-agent/stub-as.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { eventually, fleetHome } from '../../support/home-run.ts'

const UNTIL_GO = 'echo $$ >>starts; while [ ! -e go ]; do sleep 0.1; done; echo done >>ends'
// They work in one directory at the same time: a change is an agent's own because its tool names the file.
const DONE = [
  { claude: 'init' },
  {
    claude: 'tool',
    name: 'Write',
    input: { file_path: 'work.txt' },
    do: [{ append: 'work.txt', text: 'work\n' }],
  },
  { fleet: ['done', 'wrote it'] },
  { claude: 'result', text: 'wrote it' },
]

test('an invalid edit of runtime.toml is reported and the last valid one stays; the next valid edit applies at once', async () => {
  const fleet = await fleetHome(['max_concurrent=1'])
  const config = join(fleet.path, 'runtime.toml')
  const good = readFileSync(config, 'utf8')
  const supervisor = await fleet.supervise()
  for (const [times, bad] of [
    'max_concurrent = "many"\n',
    'this is not toml',
    'max_concurrent = 1\nno_such_key = 1\n',
  ].entries()) {
    writeFileSync(config, bad)
    const wrong = () => fleet.log().filter(({ event }) => event === 'config-invalid')
    await eventually(() => wrong().length === times + 1, 'the log says that it is wrong')
    expect(wrong().at(-1)?.['why']).toContain('runtime.toml')
    expect(fleet.fleet(['tasks']).stdout).toContain('runtime.toml')
  }
  writeFileSync(config, good.replace('max_concurrent = 1', 'max_concurrent = 2'))
  const [first, second, third] = await fleet.scripts([UNTIL_GO, UNTIL_GO, UNTIL_GO])
  await eventually(() => fleet.lines('starts').length === 2, 'two run')
  expect(fleet.fleet(['tasks']).stdout).not.toContain('runtime.toml')
  fleet.touch('go')
  for (const id of [first, second, third]) await fleet.becomes(id as string, 'closed')
  expect(supervisor.child.exitCode).toBe(null)
  await fleet.expectNoAgents()
})

test('the last valid configuration stays in force while runtime.toml is missing', async () => {
  const fleet = await fleetHome()
  const config = join(fleet.path, 'runtime.toml')
  const good = readFileSync(config, 'utf8')
  await fleet.supervise()
  rmSync(config)
  await eventually(() => fleet.log().some(({ event }) => event.startsWith('config-')), 'it is noticed')
  const id = await fleet.script('true')
  await fleet.becomes(id, 'closed')
  writeFileSync(config, good)
  await fleet.becomes(await fleet.script('true'), 'closed')
  await fleet.expectNoAgents()
})

test('a missing coder takes its lane down once, with the reason; its tasks wait, others run, and the lane comes up by itself', async () => {
  const stub = stubAs('claude', DONE)
  const program = join(stub.folder, 'claude')
  const text = readFileSync(program, 'utf8')
  rmSync(program)
  const fleet = await fleetHome(['max_concurrent=3'])
  await fleet.supervise({ env: { PATH: `${stub.folder}:/usr/bin:/bin` } })
  const ids = await fleet.scripts(['one', 'two', 'three', 'four', 'five'], { coder: 'claude' })
  const down = () => fleet.log().filter(({ event }) => event === 'lane-down')
  await fleet.logged('lane-down')
  const other = await fleet.script('echo other >>ends')
  await fleet.becomes(other, 'closed')
  expect(down()).toMatchObject([
    { lane: 'claude', code: 'missing-binary', why: 'claude is not on PATH, or not executable' },
  ])
  expect(fleet.fleet(['tasks']).stdout).toContain('claude is not on PATH, or not executable')
  for (const id of ids) expect(await fleet.status(id)).toBe('open')

  writeFileSync(program, text, { mode: 0o644 })
  await fleet.becomes(await fleet.script('true'), 'closed')
  expect(stub.starts()).toEqual([])
  chmodSync(program, 0o755)
  for (const id of ids) await fleet.becomes(id, 'closed')
  for (const id of ids) expect(fleet.stateOf(id)).toMatchObject({ attempts: 1, failures: 0 })
  expect(down()).toHaveLength(1)
  expect(fleet.log().filter(({ event }) => event === 'lane-up')).toHaveLength(1)
  await fleet.expectNoAgents()
})

test.each([
  ['whose interpreter is missing', '#!/usr/bin/env no-such-interpreter\n'],
  ['that is no program of this machine', '\x7fELF and nothing else'],
])(
  'a coder %s takes its lane down once; its tasks lose no attempt, and run once it is fixed',
  async (_what, broken) => {
    const stub = stubAs('claude', DONE)
    const program = join(stub.folder, 'claude')
    const text = readFileSync(program, 'utf8')
    writeFileSync(program, broken)
    const fleet = await fleetHome(['max_attempts=1'])
    await fleet.supervise({ env: { PATH: `${stub.folder}:${process.env['PATH']}` } })
    const ids = await fleet.scripts(['one', 'two', 'three'], { coder: 'claude' })
    const { lane, code, why } = await fleet.logged('lane-down')
    expect({ lane, code, why }).toEqual({
      lane: 'claude',
      code: 'broken-binary',
      why: expect.stringMatching(/^claude cannot be run: (\/usr\/bin\/env: |\/[^:]*\/claude: )/),
    })
    await fleet.becomes(await fleet.script('true'), 'closed')
    await eventually(() => fleet.openRuns() === 0, 'all that began have ended')
    for (const id of ids) expect([await fleet.status(id), fleet.stateOf(id).failures]).toEqual(['open', 0])
    writeFileSync(program, text)
    for (const id of ids) await fleet.becomes(id, 'closed')
    expect(fleet.log().filter(({ event }) => event === 'lane-up')).toHaveLength(1)
    await fleet.expectNoAgents()
  },
)

test('a coder that is being replaced delays its tasks only until the replacement is in place', async () => {
  const stub = stubAs('claude', DONE)
  const program = join(stub.folder, 'claude')
  const writing = openSync(program, 'r+')
  const fleet = await fleetHome(['max_attempts=1'])
  await fleet.supervise({ env: { PATH: `${stub.folder}:${process.env['PATH']}` } })
  const [id = ''] = await fleet.scripts(['one'], { coder: 'claude' })
  expect((await fleet.logged('lane-down')).code).toBe('broken-binary')
  closeSync(writing)
  writeFileSync(`${program}.new`, readFileSync(program), { mode: 0o755 })
  renameSync(`${program}.new`, program)
  await fleet.becomes(id, 'closed')
  expect(fleet.stateOf(id).failures).toBe(0)
  await fleet.expectNoAgents()
})

test('a missing directory blocks its task with the reason, and is not created', async () => {
  const fleet = await fleetHome()
  const cwd = join(temporaryFolder(), 'project')
  mkdirSync(cwd)
  const id = await fleet.script('echo ran', { cwd })
  rmSync(cwd, { recursive: true })
  await fleet.supervise()
  await fleet.becomes(id, 'blocked')
  expect((await fleet.task(id))?.notes).toContain(`its directory ${cwd} does not exist`)
  expect(fleet.fleet(['tasks']).stdout).toContain('does not exist')
  expect(fleet.runsOf(id)).toEqual([])
  expect(fleet.exists(cwd)).toBe(false)
  mkdirSync(cwd)
  expect(fleet.fleet(['retry', id])).toMatchObject({ code: 0 })
  await fleet.becomes(id, 'closed')
  await fleet.expectNoAgents()
})

test('a directory deleted between the claim and the start blocks its task too', async () => {
  const stub = stubAs('claude', DONE)
  // fleet looks at the project with git right before the start.
  const cwd = join(temporaryFolder(), 'project')
  writeFileSync(join(stub.folder, 'git'), `#!/bin/sh\nrm -rf '${cwd}'\nexit 128\n`, { mode: 0o755 })
  mkdirSync(cwd)
  execFileSync('git', ['init', '-q'], { cwd })
  const fleet = await fleetHome()
  await fleet.supervise({ env: { PATH: stub.path } })
  const id = await fleet.script('Do it', { coder: 'claude', cwd })
  await fleet.becomes(id, 'blocked')
  expect(fleet.stateOf(id)).toMatchObject({
    failures: 0,
    lastOutcome: { code: 'missing-cwd', text: `its directory ${cwd} does not exist` },
  })
  expect(fleet.exists(cwd)).toBe(false)
  expect(stub.starts()).toEqual([])
  await fleet.expectNoAgents()
})

test('a supervisor out of file descriptors keeps running, and ends overdue runs as soon as it can', async () => {
  const fleet = await fleetHome(['timeouts.wall=4s', 'max_attempts=1', 'pid_namespace=off'])
  const supervisor = await fleet.supervise()
  const id = await fleet.script('echo up >>starts; exec sleep 600')
  await eventually(() => fleet.lines('starts').length === 1, 'it runs')
  const files = (most: number) => execFileSync('prlimit', ['--pid', String(supervisor.pid), `--nofile=${most}:4096`])
  files(3)
  const inTrouble = () => fleet.log().some(({ event }) => event === 'work-failed')
  // It can still log, because its log file is open already.
  await eventually(inTrouble, 'it says that it is in trouble')
  await new Promise((resolve) => setTimeout(resolve, 5000))
  expect(supervisor.child.exitCode).toBe(null)
  files(4096)
  await fleet.becomes(id, 'blocked')
  expect(fleet.runsOf(id)[0]?.outcome?.code).toBe('wall-clock')
  await fleet.expectNoAgents()
})

test('the time it takes to prepare an agent does not count as silence', async () => {
  const stub = stubAs('claude', DONE)
  const git = join(stub.folder, 'git')
  writeFileSync(git, '#!/bin/sh\nsleep 4\nexec /usr/bin/git "$@"\n', { mode: 0o755 })
  const fleet = await fleetHome(['timeouts.first_event=8s', 'max_attempts=1'])
  execFileSync('git', ['init', '-q'], { cwd: fleet.project })
  await fleet.supervise({ env: { PATH: stub.path } })
  const id = await fleet.script('Write it', { coder: 'claude' })
  await fleet.becomes(id, 'closed')
  expect(fleet.runsOf(id).map(({ outcome }) => outcome?.code)).toEqual(['done'])
})
