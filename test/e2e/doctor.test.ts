import { chmodSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findProgram } from '../../src/platform/process/program.ts'
import { SCHEMA_VERSION } from '../../src/queues/sqlite/schema.ts'
import { backupsIn } from '../../src/store/backup.ts'
import { FLEET, run, temporaryFolder, testHome } from '../support/cli.ts'
import { doctor } from '../support/doctor.ts'
import { addTasks, tamper, tree } from '../support/store.ts'

describe('a healthy home', () => {
  test('passes, and doctor changes nothing', async () => {
    const home = testHome()
    await addTasks(home.path, ['a', 'b'])
    const before = tree(home.path)
    const { code, checks } = doctor(home)
    expect(code).toBe(0)
    for (const name of ['node', 'home', 'permissions', 'leftovers', 'store', 'backups', 'config'])
      expect(checks[name]).toMatchObject({ state: 'ok' })
    expect(checks['store']?.found).toBe(`${home.path}/fleet.db: whole, 2 tasks, version ${SCHEMA_VERSION}`)
    expect(tree(home.path)).toEqual(before)
  })

  test('gets a backup with its first task, then at most one an hour', () => {
    const home = testHome()
    for (const title of ['a', 'b']) expect(home.bd(['create', title]).code).toBe(0)
    expect(backupsIn(join(home.path, 'backups'))).toHaveLength(1)
    expect(doctor(home).checks['backups']).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(/^newest \d{4}-/),
    })
  })

  test('is shown to people in aligned lines', () => {
    const { code, stdout } = testHome().fleet(['doctor'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ok {4}node {12}v\d+/m)
    expect(stdout).toMatch(/^ok {4}permissions {5}only you can read the home$/m)
  })

  test('names the variables that agents do not inherit, without their values', () => {
    const { checks } = doctor(testHome(), { env: { GH_TOKEN: 's3cret', ANTHROPIC_BASE_URL: 'http://x' } })
    expect(checks['environment']).toMatchObject({
      state: 'info',
      found: expect.stringMatching(/withheld from agents: .*ANTHROPIC_BASE_URL.*GH_TOKEN/),
    })
    const home = testHome()
    home.fleet(['config', 'set', 'env_pass=["GH_TOKEN"]'])
    expect(doctor(home, { env: { GH_TOKEN: 's3cret' } }).checks['environment']?.found).not.toContain('GH_TOKEN')
    expect(home.fleet(['doctor'], { env: { GH_TOKEN: 's3cret' } }).stdout).not.toContain('s3cret')
  })
})

describe('programs on PATH', () => {
  /** A PATH with only these programs, independent of the machine. */
  function programs(scripts: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    const folder = temporaryFolder()
    for (const [name, script] of Object.entries(scripts))
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    for (const name of ['git', 'sleep']) symlinkSync(findProgram(name, process.env) ?? '', join(folder, name))
    return { PATH: folder }
  }

  test('are listed with version and path', () => {
    const env = programs({
      claude: 'echo "2.1.9 (Claude Code)"',
      codex: 'echo "codex-cli 0.77.0"',
      bd: 'echo "bd version 1.3.0 (x)"',
    })
    const { checks } = doctor(testHome(), { env })
    expect(checks['coder claude']).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(/^2\.1\.9 \(.*claude\)$/),
    })
    expect(checks['coder codex']).toMatchObject({ state: 'ok', found: expect.stringMatching(/^0\.77\.0 /) })
    expect(checks['bd']).toMatchObject({ state: 'info', found: expect.stringMatching(/^1\.3\.0 .*does not need it$/) })
    expect(checks['coder gemini']).toEqual({ name: 'coder gemini', state: 'info', found: 'not found on PATH' })
  })

  test('a configured coder that is not installed is a warning, not a failure', () => {
    const { code, checks } = doctor(testHome(), { env: programs({}) })
    expect(code).toBe(0)
    expect(checks['coder claude']).toMatchObject({
      state: 'warn',
      todo: 'install claude, or fleet config set coder=...',
    })
  })

  test('doctor gives up after five seconds on a program that hangs and whose child holds its output', () => {
    const started = performance.now()
    const { checks } = doctor(testHome(), { env: programs({ claude: 'sleep 60 & sleep 60', codex: 'exit 3' }) })
    expect(performance.now() - started).toBeLessThan(50_000)
    expect(checks['coder claude']).toMatchObject({
      state: 'warn',
      found: expect.stringContaining('does not answer --version within 5 s'),
    })
    expect(checks['coder codex']).toMatchObject({ state: 'warn' })
  })

  test('doctor works without a PATH', () => {
    const { code, checks } = doctor(testHome(), { env: { PATH: '' } })
    expect(code).toBe(0)
    expect(checks['git']).toMatchObject({ state: 'warn', found: expect.stringMatching(/^not found on PATH: /) })
  })
})

describe('each problem is a failure with a remedy, and exit 1', () => {
  test('no home', () => {
    const home = join(temporaryFolder(), 'none')
    const { code, stdout } = run(process.execPath, [FLEET, 'doctor'], { env: { FLEET_HOME: home } })
    expect(code).toBe(1)
    expect(stdout).toMatch(/fail {2}home +there is none at .*none\n +-> fleet init\n/)
    expect(() => statSync(home)).toThrow('ENOENT')
  })

  test('a file where the home should be', () => {
    const home = join(temporaryFolder(), 'file')
    writeFileSync(home, '')
    expect(run(process.execPath, [FLEET, 'doctor'], { env: { FLEET_HOME: home } })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('is not a directory'),
    })
  })

  test('a home that others may enter, and readable files inside a private one', () => {
    const home = testHome()
    chmodSync(join(home.path, 'runtime.toml'), 0o644)
    expect(doctor(home)).toMatchObject({
      code: 0,
      checks: { permissions: { state: 'warn', todo: 'fleet init --force repairs them' } },
    })
    chmodSync(home.path, 0o750)
    expect(doctor(home)).toMatchObject({
      code: 1,
      checks: { permissions: { state: 'fail', found: `others may enter ${home.path}` } },
    })
    home.fleet(['init', '--force'])
    expect(doctor(home)).toMatchObject({ code: 0, checks: { permissions: { state: 'ok' } } })
  })

  test('a configuration with a mistake, beside all other checks', () => {
    const home = testHome()
    writeFileSync(join(home.path, 'runtime.toml'), 'max_concurrent = 0\n')
    const { code, checks } = doctor(home)
    expect(code).toBe(1)
    expect(checks['config']).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('max_concurrent is 0, expected a whole number from 1 to 1000'),
    })
    expect(checks['store']).toMatchObject({ state: 'ok' })
  })

  test('a file that a killed command left behind', () => {
    const home = testHome()
    writeFileSync(join(home.path, 'runtime.toml.0badcafe.tmp'), '', { mode: 0o600 })
    expect(doctor(home)).toMatchObject({
      code: 0,
      checks: { leftovers: { state: 'warn', todo: expect.stringContaining('rm ') } },
    })
  })

  test('a store of a newer version', () => {
    const home = testHome()
    tamper(home.path, 'pragma user_version = 99')
    expect(doctor(home)).toMatchObject({
      code: 1,
      checks: {
        store: {
          state: 'fail',
          found: expect.stringContaining(`store version 99, this fleet knows ${SCHEMA_VERSION}`),
          todo: 'update fleet',
        },
      },
    })
  })

  test('tasks without a later backup', async () => {
    const home = testHome()
    await addTasks(home.path, ['a'])
    for (const backup of backupsIn(join(home.path, 'backups'))) rmSync(backup.path)
    expect(doctor(home)).toMatchObject({
      code: 0,
      checks: { backups: { state: 'warn', found: 'none yet, but the tasks have changed since' } },
    })
  })
})

test('unknown arguments are refused', () => {
  expect(testHome().fleet(['doctor', 'x'])).toMatchObject({
    code: 2,
    stderr: 'fleet: fleet doctor does not take "x"\n  fleet doctor --help\n',
  })
})
