import { readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasNamespace } from '../../support/agents.ts'
import { testHome } from '../../support/cli.ts'
import { claims, hang, init, result, testFleet, tool, writes } from '../../support/supervisor.ts'
import { rowsOf } from './rows.ts'

const { row, expectAll } = rowsOf('agents')

test('settings of agents and tasks', async () => {
  const fleet = testFleet({
    config: [
      'coder=claude',
      'model=opus-9',
      'context_pressure_threshold_pct=40',
      'max_attempts=1',
      'close_at=claimed',
      'permissions=workspace',
      'env_pass=["GH_TOKEN"]',
      'lean=true',
    ],
    env: { GH_TOKEN: 'passed', NPM_TOKEN: 'withheld' },
  })
  // With `evidenced`, a claim without a change is refused.
  const word = fleet.create('Claims without evidence', [init, claims('my word'), result()])
  const token = fleet.create('Prints its tokens', [
    init,
    writes('tokens.txt', '$GH_TOKEN $NPM_TOKEN'),
    claims(),
    result(),
  ])
  const failing = fleet.create('Ends without a claim', [init, tool(), result('nothing')])
  const fills = { claude: 'text', text: 'much', usage: { input: 110_000 } }
  const full = fleet.create('Fills half of its context', [
    [init, fills, hang],
    [init, claims(), result()],
  ])
  await fleet.start()

  await row('close_at', async () => {
    expect(await fleet.settled(word, 'closed')).toMatchObject({ close_reason: 'my word' })
    expect(fleet.receipt(word)).toMatchObject({ level: 'claimed' })
  })
  await row('env_pass', async () => {
    await fleet.settled(token, 'closed')
    const { cwd } = await fleet.started(token)
    expect(readFileSync(join(cwd, 'tokens.txt'), 'utf8')).toBe('passed $NPM_TOKEN')
  })
  await row('max_attempts', async () => {
    await fleet.settled(failing, 'blocked')
    expect(fleet.runs(failing).map(({ outcome }) => outcome?.code)).toEqual(['no-claim'])
  })
  await row('context_pressure_threshold_pct', async () => {
    expect((await fleet.ended(full)).outcome).toMatchObject({ code: 'context-full' })
    await fleet.settled(full, 'closed')
  })
  const { argv } = await fleet.started(word)
  await row('model', () => expect(argv).toContain('--model=opus-9'))
  await row('permissions', () => expect(argv).toContain('--permission-mode=acceptEdits'))
  await row('lean', () => expect(argv).toContain('--strict-mcp-config'))
})

test('settings of the supervisor', async () => {
  // Each script waits for all of them, so they end only if five run at once; the default is three.
  const fleet = testFleet({ config: ['max_concurrent=5', 'coder=shell', 'timeouts.wall=30s'] })
  const shared = fleet.project('shared')
  const waits = `touch here-$FLEET_TASK_ID; while [ $(ls -d here-* | wc -l) -lt 5 ]; do sleep 0.1; done`
  // No --coder: the script is for the default coder.
  const made = [1, 2, 3, 4, 5].map((n) =>
    fleet.fleet('bd', 'create', `Waits ${n}`, '--silent', '-d', waits, '--cwd', shared).stdout.trim(),
  )
  await fleet.start()
  await row('max_concurrent', async () => {
    for (const id of made) await fleet.settled(id, 'closed')
  })
  await row('coder', () => expect(fleet.runs(made[0] ?? '').map(({ coder }) => coder)).toEqual(['shell']))
})

test.runIf(hasNamespace)('pid namespaces', async () => {
  const fleet = testFleet({ config: ['pid_namespace=off'] })
  const id = fleet.create('Prints its namespace', 'readlink /proc/self/ns/pid >ns.txt')
  await fleet.start()
  await row('pid_namespace', async () => {
    await fleet.settled(id, 'closed')
    const { cwd } = fleet.runs(id)[0] ?? {}
    // By default it has one of its own. What `on` does: test/e2e/supervisor/pid-namespace.test.ts.
    expect(readFileSync(join(cwd ?? '', 'ns.txt'), 'utf8').trim()).toBe(readlinkSync('/proc/self/ns/pid'))
  })
})

test('the queue', async () => {
  await row('queue', () => {
    const home = testHome()
    expect(home.fleet(['ready']).code).toBe(0)
    // Nothing listens there, so every command about tasks says so.
    writeFileSync(join(home.path, 'runtime.toml'), 'queue = "postgres://fleet@127.0.0.1:1/fleet"\n')
    expect(home.fleet(['ready'])).toMatchObject({ code: 7, stderr: expect.stringContaining('127.0.0.1:1') })
  })
})

test('every row of this file was shown', () => expectAll(hasNamespace ? [] : ['pid_namespace']))
