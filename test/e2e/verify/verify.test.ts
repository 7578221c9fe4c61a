import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../support/cli.ts'
import { claims, healthy, init, result, testFleet, tool, until, writes } from '../../support/supervisor.ts'

test('work that the project verifies is closed as verified, and the receipt has the command', async () => {
  const fleet = testFleet()
  const cwd = fleet.project('shop', { git: true })
  fleet.fleet('config', 'set', `projects.${cwd}.verify=test -e a.txt && echo verified`)
  const id = fleet.create('Write a.txt', healthy('a.txt'), '--cwd', cwd)
  await fleet.start()
  await fleet.settled(id, 'closed')
  const { level, checks } = fleet.receipt(id)
  const log = join(fleet.home.path, 'tasks', id, 'attempts', '1', 'checks', '1-verify', 'output.log')
  expect([level, checks]).toEqual([
    'verified',
    [
      {
        name: 'verify',
        verdict: 'passed',
        text: null,
        commands: [
          {
            name: 'verify',
            command: 'test -e a.txt && echo verified',
            exit: 0,
            end: 'exited',
            duration_ms: expect.any(Number),
            failing: null,
            tail: 'verified',
            log,
          },
        ],
      },
    ],
  ])
  expect(readFileSync(log, 'utf8')).toBe('verified\n')
})

test('work that fails goes back to the agent with the failing part of the output, and is counted', async () => {
  const fleet = testFleet({ config: ['max_attempts=2'] })
  const cwd = fleet.project('shop', { git: true })
  fleet.fleet(
    'config',
    'set',
    `projects.${cwd}.verify=cat a.txt; grep -q right a.txt || { echo "not ok 1 - adds up"; exit 3; }`,
  )
  const wrong = [init, writes('a.txt', 'wrong\n'), claims(), result()]
  const right = [init, writes('a.txt', 'right\n'), claims(), result()]
  const id = fleet.create('Add', [wrong, right], '--cwd', cwd)
  await fleet.start()
  const first = await fleet.ended(id)
  expect(first.outcome).toMatchObject({
    code: 'verify-failed',
    text: expect.stringMatching(/ended with exit status 3$/),
  })
  expect(fleet.ledger.stateOf(id).failures).toBe(1)
  await fleet.settled(id, 'closed')
  expect(fleet.text(id, 'attempts', '2', 'prompt.md')).toContain('    wrong\n    not ok 1 - adds up\n')
  expect(fleet.runs(id).map(({ outcome }) => outcome?.code)).toEqual(['verify-failed', 'done'])
  expect([fleet.receipt(id).level, fleet.receipt(id, 2).level]).toEqual(['evidenced', 'verified'])
})

test("a command has the user's environment and nothing of agents, model providers and withheld secrets", async () => {
  const fleet = testFleet({
    env: { MY_SETTING: 'mine', ANTHROPIC_API_KEY: 'sk-ant-worthless', DEPLOY_TOKEN: 'worthless' },
    config: ['env_pass=["ANTHROPIC_API_KEY"]'],
  })
  const cwd = fleet.project('shop', { git: true })
  fleet.fleet('config', 'set', `projects.${cwd}.verify=env | sort >../seen`)
  const id = fleet.create('Write', healthy('a.txt'), '--cwd', cwd)
  await fleet.start()
  await fleet.settled(id, 'closed')
  const seen = Object.fromEntries(
    readFileSync(join(cwd, '..', 'seen'), 'utf8')
      .split('\n')
      .map((line) => line.split('=', 2)),
  )
  expect(seen).toMatchObject({ MY_SETTING: 'mine', FLEET_TASK_ID: id })
  const own = ['ANTHROPIC_API_KEY', 'DEPLOY_TOKEN', 'FLEET_ARTIFACT_DIR', 'FLEET_HOME', 'FLEET_LETTER_KEY']
  expect(own.filter((name) => name in seen)).toEqual([])
  expect(seen['PATH']).not.toContain(fleet.home.path)
})

test("a task's own command and level count, and a task that nothing can verify waits for a person", async () => {
  const fleet = testFleet()
  const own = fleet.create('Own', healthy('a.txt'), '--verify', 'test -e a.txt', '--close-at', 'verified')
  const none = fleet.create('None', healthy('a.txt'), '--close-at', 'verified')
  const reviewed = fleet.create('Reviewed', healthy('a.txt'), '--verify', 'true', '--close-at', 'reviewed')
  await fleet.start()
  await fleet.settled(own, 'closed')
  expect(fleet.receipt(own).level).toBe('verified')
  const { labels } = await fleet.settled(none, 'blocked')
  expect([labels, fleet.receipt(none).level]).toEqual([['needs-review'], 'evidenced'])
  expect(fleet.receipt(none).outcome.text).toContain('there is no verify command for')
  await fleet.settled(reviewed, 'blocked')
  expect(fleet.receipt(reviewed)).toMatchObject({
    level: 'verified',
    outcome: { code: 'needs-review', text: 'done and verified; reviewed is asked for' },
  })
})

test('a task that is being verified is listed with its command, and a kill ends the command', async () => {
  const fleet = testFleet()
  const cwd = fleet.project('shop', { git: true })
  fleet.fleet('config', 'set', `projects.${cwd}.verify=trap '' TERM; touch begun; while :; do sleep 600; done`)
  const id = fleet.create('Write', healthy('a.txt'), '--cwd', cwd)
  await fleet.start()
  await until(
    async () => existsSync(join(cwd, 'begun')),
    () => 'it is being verified',
  )
  const { running } = JSON.parse(fleet.fleet('tasks', '--json').stdout)
  expect(running).toMatchObject(
    [{ id, phase: 'checking', verifying: { name: 'verify', command: /trap/ } }].map((row) => ({
      ...row,
      verifying: { name: 'verify' },
    })),
  )
  expect(fleet.fleet('tasks').stdout).toMatch(/\tverify \d+s\t.*\tverifying \(trap/)
  expect(fleet.fleet('show', id).stdout).toMatch(/verifying: trap .*, for \d/)
  expect(fleet.fleet('kill', id)).toMatchObject({ code: 0 })
  expect(fleet.runs(id)[0]?.outcome).toMatchObject({ code: 'killed' })
  expect((await fleet.task(id)).status).toBe('blocked')
})

test('a command that runs while the supervisor is killed is followed by the next one, and run once', async () => {
  const fleet = testFleet()
  const cwd = fleet.project('shop', { git: true })
  const command = 'echo start >>../starts; until test -e ../go; do sleep 0.1; done; echo end >>../starts'
  fleet.fleet('config', 'set', `projects.${cwd}.verify=${command}`)
  const id = fleet.create('Write', healthy('a.txt'), '--cwd', cwd)
  await fleet.start()
  const starts = join(cwd, '..', 'starts')
  await until(
    async () => existsSync(starts),
    () => 'it is being verified',
  )
  await fleet.start('SIGKILL')
  await until(
    async () => fleet.log().filter(({ event }) => event === 'supervisor-started').length === 2,
    () => 'the next supervisor has started',
  )
  writeFileSync(join(cwd, '..', 'go'), '')
  await fleet.settled(id, 'closed')
  expect([readFileSync(starts, 'utf8'), fleet.receipt(id).level]).toEqual(['start\nend\n', 'verified'])
})

test('an agent cannot choose what its work, or that of its tasks, is verified with', async () => {
  const fleet = testFleet()
  const cwd = fleet.project('shop', { git: true })
  const refused = [
    ['bd', 'update', '$FLEET_TASK_ID', '--verify', 'true'],
    ['bd', 'update', '$FLEET_TASK_ID', '--close-at', 'claimed'],
    ['bd', 'create', 'Easy', '--verify', 'true'],
    ['bd', 'create', 'Easy', '--close-at', 'claimed'],
    ['bd', 'create', 'Easy', '--metadata', '{"fleet":{"verify":"true"}}'],
  ]
  const calls = refused.map((argv, i) => ({ fleet: argv, to: `../answer-${i}` }))
  fleet.fleet(
    'config',
    'set',
    `projects.${cwd}.verify=fleet bd close "$FLEET_TASK_ID" || fleet bd create "From a test" && false`,
  )
  const id = fleet.create(
    'Write',
    [init, { claude: 'tool', do: calls }, writes('a.txt'), claims(), result()],
    '--cwd',
    cwd,
  )
  await fleet.start()
  const { outcome } = await fleet.ended(id)
  const codes = refused.map((_, i) => JSON.parse(readFileSync(join(cwd, '..', `answer-${i}`), 'utf8')).code)
  expect(codes.every((code) => code !== 0)).toBe(true)
  expect(outcome?.code).not.toBe('done')
})

test('work that passes only with its own tests waits for a person, with the list, unless the project says otherwise', async () => {
  const fleet = testFleet()
  const cwd = fleet.project('shop', { git: true })
  const lenient = fleet.project('lenient', { git: true })
  const verify = 'sh tests/check.sh'
  fleet.fleet('config', 'set', `projects.${cwd}.verify=${verify}`, `projects.${lenient}.verify=${verify}`)
  fleet.fleet('config', 'set', `projects.${lenient}.tamper=warn`)
  for (const path of [cwd, lenient]) {
    mkdirSync(join(path, 'tests'))
    writeFileSync(join(path, 'tests', 'check.sh'), 'test -e good.txt\n')
    for (const argv of [
      ['add', '.'],
      ['-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-q', '-m', 'Tests'],
    ]) {
      expect(run('git', argv, { cwd: path })).toMatchObject({ code: 0 })
    }
  }
  const cheats = [init, writes('bad.txt'), writes('tests/check.sh', 'true\n'), claims(), result()]
  const again = [init, writes('other.txt'), claims(), result()]
  const cheat = fleet.create('Cheat', [cheats, again], '--cwd', cwd)
  const told = fleet.create('Cheat where it is told', cheats, '--cwd', lenient)
  await fleet.start()
  const { labels } = await fleet.settled(cheat, 'blocked')
  const text = 'passes only with its own version of tests/check.sh'
  const guarded = {
    base: 'only-own',
    files: ['tests/check.sh'],
    files_count: 1,
    tests_removed: 0,
    tests_skipped: 0,
  }
  expect(labels).toEqual(['needs-review'])
  expect(fleet.receipt(cheat)).toMatchObject({
    level: 'evidenced',
    outcome: { code: 'needs-review', text },
    checks: [
      {
        ...{ name: 'verify', verdict: 'needs-person', text, guarded },
        commands: [{ exit: 0 }, { exit: 1, with: 'base' }, { exit: 1, with: 'base' }],
      },
    ],
  })
  await fleet.settled(told, 'closed')
  expect(fleet.receipt(told)).toMatchObject({ level: 'verified', warnings: [text], checks: [{ guarded }] })
  // The tests are still in the tree, whatever the next attempt changes.
  expect(fleet.fleet('review', cheat, '--reject', 'put the tests back')).toMatchObject({ code: 0 })
  expect((await fleet.ended(cheat, 2)).outcome).toMatchObject({ code: 'needs-review', text })
})

test('what the verification of one task writes is no work of another in the same directory', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const cwd = fleet.project('shop', { git: true })
  const go = join(cwd, '..', 'go')
  const verify = `until test -e ${go}; do sleep 0.05; done; echo passed >report.txt; sleep 1`
  fleet.fleet('config', 'set', `projects.${cwd}.verify=${verify}`)
  const works = fleet.create('Works', healthy('a.txt'), '--cwd', cwd)
  const waits = fleet.create(
    'Waits',
    [init, tool({ waitFor: join(cwd, 'report.txt') }), claims(), result()],
    '--cwd',
    cwd,
  )
  await fleet.start()
  await fleet.started(waits)
  await until(
    async () => fleet.ledger.verify.of(fleet.runs(works)[0]?.id ?? '').length > 0,
    () => 'the first is being verified',
  )
  writeFileSync(go, '')
  await fleet.settled(works, 'closed')
  expect((await fleet.ended(waits)).outcome?.code).toBe('no-evidence')
  expect(fleet.receipt(waits).evidence.untraced?.files).toEqual(['report.txt'])
})
