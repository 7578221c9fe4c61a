import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findProgram } from '../../src/platform/program.ts'
import { openStore } from '../../src/queues/sqlite/open.ts'
import { SCHEMA_VERSION } from '../../src/queues/sqlite/schema.ts'
import { backUp, backupsIn } from '../../src/store/backup.ts'
import { FLEET, run, type TestHome, temporaryFolder, testHome } from '../support/cli.ts'
import { addTasks, contents, hashOf, tamper, tree } from '../support/store.ts'

interface Check {
  name: string
  state: string
  found: string
  todo?: string
}

function doctor(home: TestHome, env: NodeJS.ProcessEnv = {}): { code: number | null; checks: Record<string, Check> } {
  const { code, stdout, stderr } = home.fleet(['doctor', '--json'], { env })
  expect(stderr).toBe('')
  const answer = JSON.parse(stdout)
  expect(answer).toMatchObject({ schema_version: 1, home: home.path, ok: code === 0 })
  return { code, checks: Object.fromEntries(answer.checks.map((check: Check) => [check.name, check])) }
}

/** A home with tasks, and a backup of it with one task fewer. */
async function homeWithBackup(): Promise<TestHome & { backup: string }> {
  const home = testHome()
  await addTasks(home.path, ['one'])
  const [first] = backupsIn(join(home.path, 'backups'))
  await addTasks(home.path, ['two'])
  return { ...home, backup: first?.path ?? '' }
}

function garble(home: TestHome): void {
  for (const suffix of ['-wal', '-shm']) rmSync(join(home.path, `fleet.db${suffix}`), { force: true })
  writeFileSync(join(home.path, 'fleet.db'), 'This is not a database.'.repeat(1000))
}

describe('a healthy home', () => {
  test('passes, and nothing is changed by looking', async () => {
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

  test('has a backup from its first task on, and one an hour is enough', () => {
    const home = testHome()
    for (const title of ['a', 'b']) expect(home.bd(['create', title]).code).toBe(0)
    expect(backupsIn(join(home.path, 'backups'))).toHaveLength(1)
    expect(doctor(home).checks['backups']).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(/^newest \d{4}-/),
    })
  })

  test('is told to people in aligned lines', () => {
    const { code, stdout } = testHome().fleet(['doctor'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ok {4}node {12}v\d+/m)
    expect(stdout).toMatch(/^ok {4}permissions {5}only you can read the home$/m)
  })

  test('names what is withheld from agents, without the values', () => {
    const { checks } = doctor(testHome(), { GH_TOKEN: 's3cret', ANTHROPIC_BASE_URL: 'http://x' })
    expect(checks['environment']).toMatchObject({
      state: 'info',
      found: expect.stringMatching(/withheld from agents: .*ANTHROPIC_BASE_URL.*GH_TOKEN/),
    })
    const home = testHome()
    home.fleet(['config', 'set', 'env_pass=["GH_TOKEN"]'])
    expect(doctor(home, { GH_TOKEN: 's3cret' }).checks['environment']?.found).not.toContain('GH_TOKEN')
    expect(home.fleet(['doctor'], { env: { GH_TOKEN: 's3cret' } }).stdout).not.toContain('s3cret')
  })
})

describe('programs on PATH', () => {
  /** A PATH of these alone: what the machine has does not count. */
  function programs(scripts: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    const folder = temporaryFolder()
    for (const [name, script] of Object.entries(scripts))
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    for (const name of ['git', 'sleep']) symlinkSync(findProgram(name, process.env) ?? '', join(folder, name))
    return { PATH: folder }
  }

  test('are named with their version and place', () => {
    const env = programs({
      claude: 'echo "2.1.9 (Claude Code)"',
      codex: 'echo "codex-cli 0.77.0"',
      bd: 'echo "bd version 1.3.0 (x)"',
    })
    const { checks } = doctor(testHome(), env)
    expect(checks['coder claude']).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(/^2\.1\.9 \(.*claude\)$/),
    })
    expect(checks['coder codex']).toMatchObject({ state: 'ok', found: expect.stringMatching(/^0\.77\.0 /) })
    expect(checks['bd']).toMatchObject({ state: 'info', found: expect.stringMatching(/^1\.3\.0 .*not served yet$/) })
    expect(checks['coder gemini']).toEqual({ name: 'coder gemini', state: 'info', found: 'not found on PATH' })
  })

  test('a coder that the configuration wants and nobody installed is a warning, not a failure', () => {
    const { code, checks } = doctor(testHome(), programs({}))
    expect(code).toBe(0)
    expect(checks['coder claude']).toMatchObject({
      state: 'warn',
      todo: 'install claude, or fleet config set coder=...',
    })
  })

  test('one that hangs, with a child that holds its output, is given up after five seconds', () => {
    const started = Date.now()
    const { checks } = doctor(testHome(), programs({ claude: 'sleep 60 & sleep 60', codex: 'exit 3' }))
    expect(Date.now() - started).toBeLessThan(20_000)
    expect(checks['coder claude']).toMatchObject({
      state: 'warn',
      found: expect.stringContaining('does not answer --version within 5 s'),
    })
    expect(checks['coder codex']).toMatchObject({ state: 'warn' })
  })

  test('no PATH at all is survived', () => {
    const { code, checks } = doctor(testHome(), { PATH: '' })
    expect(code).toBe(0)
    expect(checks['git']).toMatchObject({ state: 'warn', found: 'not found on PATH' })
  })
})

describe('what is wrong is a failure with something to do, and exit 1', () => {
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

  test('a home that others may enter, and files inside a closed one', () => {
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

  test('a configuration with a mistake, next to all other checks', () => {
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

  test('tasks that no backup followed', async () => {
    const home = testHome()
    await addTasks(home.path, ['a'])
    for (const backup of backupsIn(join(home.path, 'backups'))) rmSync(backup.path)
    expect(doctor(home)).toMatchObject({
      code: 0,
      checks: { backups: { state: 'warn', found: 'none yet, but the tasks have changed since' } },
    })
  })
})

describe('a damaged store', () => {
  const damages: readonly [string, (home: TestHome) => void, RegExp][] = [
    ['garbage instead of a database', garble, /is damaged: file is not a database/],
    ['a page overwritten in the middle', overwritePages, /is damaged: /],
    ['a file cut short', (home) => truncateSync(join(home.path, 'fleet.db'), 20_000), /is damaged: /],
    ['a file cut to nothing', (home) => truncateSync(join(home.path, 'fleet.db'), 0), /is damaged: the file is empty/],
    ['a file that is gone', (home) => rmSync(join(home.path, 'fleet.db')), /is not there/],
    [
      'a directory in its place',
      (home) => {
        rmSync(join(home.path, 'fleet.db'))
        mkdirSync(join(home.path, 'fleet.db'), { mode: 0o700 })
      },
      /is a directory, not a store/,
    ],
  ]
  for (const [name, damage, says] of damages) {
    test(`${name}: the newest good backup is named, and --restore puts it back`, async () => {
      const home = await homeWithBackup()
      damage(home)
      const { code, checks } = doctor(home)
      expect(code).toBe(1)
      expect(checks['store']).toMatchObject({
        state: 'fail',
        found: expect.stringMatching(says),
        todo: expect.stringContaining(`fleet doctor --restore puts back the newest good backup, ${home.backup}`),
      })

      const restored = home.fleet(['doctor', '--restore'])
      expect(restored).toMatchObject({
        code: 0,
        stderr: '',
        stdout: expect.stringContaining(`Restored ${home.path}/fleet.db from ${home.backup}: 1 task.\n`),
      })
      expect(doctor(home)).toMatchObject({ code: 0, checks: { store: { state: 'ok' }, permissions: { state: 'ok' } } })
      expect((await contents(home.path)).map((task) => task.title)).toEqual(['one'])
      await addTasks(home.path, ['three'])
      expect(doctor(home).checks['store']?.found).toContain('whole, 2 tasks')
    })
  }

  test('is kept beside the restored one, its log too', async () => {
    const home = await homeWithBackup()
    garble(home)
    writeFileSync(join(home.path, 'fleet.db-wal'), 'an old log', { mode: 0o600 })
    const damaged = hashOf(join(home.path, 'fleet.db'))
    home.fleet(['doctor', '--restore'])
    const aside = readdirSync(home.path).filter((name) => name.includes('damaged') && !name.endsWith('-shm'))
    expect(aside).toEqual([
      expect.stringMatching(/^fleet\.db\.damaged-\d{8}T\d{6}\.\d{3}Z$/),
      expect.stringMatching(/^fleet\.db\.damaged-\d{8}T\d{6}\.\d{3}Z-wal$/),
    ])
    expect(hashOf(join(home.path, aside[0] ?? ''))).toBe(damaged)
    expect(readFileSync(join(home.path, aside[1] ?? ''), 'utf8')).toBe('an old log')
  })

  test('a backup that is itself damaged is passed over', async () => {
    const home = await homeWithBackup()
    writeFileSync(join(home.path, 'backups', 'fleet-29991231T000000.000Z.db'), 'damaged too', { mode: 0o600 })
    garble(home)
    expect(doctor(home).checks['store']?.todo).toContain(home.backup)
    expect(home.fleet(['doctor', '--restore', 'fleet-29991231T000000.000Z.db'])).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('is not a usable backup (damaged)'),
    })
    expect(home.fleet(['doctor', '--restore']).code).toBe(0)
  })

  test('a backup can be chosen by its name or its path', async () => {
    const home = await homeWithBackup()
    {
      using db = openStore({ path: join(home.path, 'fleet.db') })
      backUp(db, { folder: join(home.path, 'backups'), now: Date.now() + 1000 })
    }
    garble(home)
    expect(home.fleet(['doctor', '--restore', 'fleet-20000101T000000.000Z.db'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('there is no backup'),
    })
    expect(home.fleet(['doctor', '--restore', home.backup, '--json'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"tasks": 1'),
    })
  })

  test('without any backup stays as it is, and the way out is named', () => {
    const home = testHome()
    garble(home)
    const before = tree(home.path)
    expect(doctor(home).checks['store']?.todo).toContain('there is no good backup')
    expect(home.fleet(['doctor', '--restore'])).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('there is no good backup in'),
    })
    expect(tree(home.path)).toEqual({ ...before, './.lock': expect.any(String) })
  })

  test('the restore tells the time of the backup and the tasks that came after it', async () => {
    const home = testHome()
    await addTasks(home.path, ['one'])
    const later = Array.from({ length: 12 }, () => `fleet-z${crypto.randomUUID().slice(0, 5)}`).sort()
    for (const id of later) {
      mkdirSync(join(home.path, 'tasks', id))
      writeFileSync(join(home.path, 'tasks', id, 'task.json'), '{}')
    }
    mkdirSync(join(home.path, 'tasks', 'fleet-deleted'))
    garble(home)
    const { code, stdout } = home.fleet(['doctor', '--restore'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/\nThe backup was made at \d{4}-\d\d-\d\dT[\d:.]+Z; what changed after it is not in it\.\n/)
    expect(stdout).toContain(
      `Not in the backup, but with a folder under tasks/: ${later.slice(0, 10).join(', ')} and 2 more\n`,
    )
  })

  test('a whole store is never replaced', async () => {
    const home = await homeWithBackup()
    const before = await contents(home.path)
    expect(home.fleet(['doctor', '--restore'])).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining('is whole: there is nothing to restore\n  nothing was changed'),
    })
    expect(await contents(home.path)).toEqual(before)
  })

  test('is never taken for a newer one to be replaced', async () => {
    const home = await homeWithBackup()
    tamper(home.path, 'pragma user_version = 99')
    const before = hashOf(join(home.path, 'fleet.db'))
    expect(home.fleet(['doctor', '--restore'])).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('was made by a newer fleet: store version 99'),
    })
    expect(hashOf(join(home.path, 'fleet.db'))).toBe(before)
  })
})

describe('a lost store, of which there is a backup', () => {
  const losses: readonly [string, (home: TestHome) => void][] = [
    ['missing', (home) => void rmSync(join(home.path, 'fleet.db'))],
    ['empty', (home) => truncateSync(join(home.path, 'fleet.db'), 0)],
  ]
  for (const [what, lose] of losses) {
    test(`${what}: init makes no new one, and every command names the way back`, async () => {
      const home = await homeWithBackup()
      for (const suffix of ['-wal', '-shm']) rmSync(join(home.path, `fleet.db${suffix}`), { force: true })
      lose(home)
      const before = tree(home.path)
      for (const argv of [['init'], ['init', '--force']]) {
        expect(home.fleet(argv)).toMatchObject({
          code: 5,
          stdout: '',
          stderr: expect.stringMatching(
            new RegExp(`fleet.db is ${what}, but this home had tasks\n  nothing was changed; fleet doctor --restore`),
          ),
        })
      }
      expect(home.fleet(['ready']).stderr).toContain('fleet doctor --restore puts back the newest good backup')
      expect(home.bd(['list'])).toMatchObject({ code: 1, stderr: expect.stringContaining('fleet doctor --restore') })
      expect(tree(home.path)).toEqual(before)

      rmSync(join(home.path, 'backups'), { recursive: true })
      rmSync(join(home.path, 'tasks'), { recursive: true })
      expect(home.fleet(['init']).code).toBe(0)
      expect(home.bd(['list', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' })
    })
  }

  test('folders of tasks alone keep init from making a new one, too', () => {
    const home = testHome()
    mkdirSync(join(home.path, 'tasks', 'fleet-abc'))
    rmSync(join(home.path, 'fleet.db'))
    expect(home.fleet(['init'])).toMatchObject({ code: 5, stderr: expect.stringContaining('there is no backup, but') })
    expect(home.fleet(['ready'])).toMatchObject({ code: 3, stderr: expect.stringContaining('there is no backup, but') })
  })

  test('a new store in its place is found and can be replaced', async () => {
    const home = await homeWithBackup()
    const fresh = testHome()
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(home.path, `fleet.db${suffix}`), { force: true })
    copyFileSync(join(fresh.path, 'fleet.db'), join(home.path, 'fleet.db'))
    expect(doctor(home)).toMatchObject({
      code: 1,
      checks: { store: { state: 'fail', todo: expect.stringContaining('fleet doctor --restore') } },
    })
    expect(home.fleet(['doctor', '--restore']).code).toBe(0)
    expect((await contents(home.path)).map((task) => task.title)).toEqual(['one'])
  })
})

test('arguments that mean nothing are refused', () => {
  expect(testHome().fleet(['doctor', 'x'])).toMatchObject({
    code: 2,
    stderr: 'fleet: fleet doctor does not take "x"\n  fleet doctor --help\n',
  })
})

/** All pages but the first, so that what is hit is in use. */
function overwritePages(home: TestHome): void {
  const path = join(home.path, 'fleet.db')
  const bytes = readFileSync(path)
  bytes.fill(0x5a, 4096 * 2)
  writeFileSync(path, bytes)
}
