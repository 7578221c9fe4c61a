import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { template } from '../../src/config/template.ts'
import { FLEET, type Ran, type RunOptions, run, temporaryFolder, testHome } from '../support/cli.ts'
import { addTasks, contents, tamper, tree } from '../support/store.ts'

function init(home: string, argv: readonly string[] = [], options: RunOptions = {}): Ran {
  return run(process.execPath, [FLEET, 'init', ...argv], { ...options, env: { FLEET_HOME: home, ...options.env } })
}

function modes(home: string): Record<string, string> {
  const entries = ['.', ...readdirSync(home)].map((name) => [
    name,
    (statSync(join(home, name)).mode & 0o777).toString(8),
  ])
  return Object.fromEntries(entries)
}

const PRIVATE = {
  '.': '700',
  backups: '700',
  'fleet.db': '600',
  logging: '700',
  'runtime.toml': '600',
  tasks: '700',
  'queue-lock.db': '600',
  wake: '600',
}

describe('a new home', () => {
  test('has everything a home needs, and says so in three lines', () => {
    const home = join(temporaryFolder(), 'deep', 'home')
    const { code, stdout, stderr } = init(home, [], { env: { PATH: '/nonexistent' } })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [made, queue, permissions, end] = stdout.split('\n')
    expect(made).toBe(`Fleet home initialized at ${home}`)
    expect(queue).toBe('queue: local (kept in fleet.db, nothing else is needed)')
    expect(permissions).toMatch(/^permissions: full: agents act without asking, as \w+/)
    expect(end).toBe('')
    expect(modes(home)).toEqual(PRIVATE)
    expect(readFileSync(join(home, 'runtime.toml'), 'utf8')).toBe(template())
  })

  test.each(['000', '022', '077', '177'])(
    'is private under umask %s, and so are the files SQLite adds',
    async (umask) => {
      const home = join(temporaryFolder(), 'home')
      const shell = (command: string) =>
        run('/bin/sh', ['-c', `umask ${umask}; exec "$0" "$1" ${command}`, process.execPath, FLEET], {
          env: { FLEET_HOME: home },
        })
      expect(shell('init').code).toBe(0)
      expect(modes(home)).toEqual(PRIVATE)
      expect(shell('config set max_concurrent=4').code).toBe(0)
      expect(shell('ready').code).toBe(0)
      expect(modes(home)).toEqual({ ...PRIVATE, '.lock': '600', 'fleet.db-shm': '600', 'fleet.db-wal': '600' })
    },
  )

  test('makes an existing folder private', () => {
    const home = temporaryFolder()
    chmodSync(home, 0o755)
    expect(init(home).code).toBe(0)
    expect(modes(home)).toEqual(PRIVATE)
  })

  test.each([
    ['9.8.7', 'is newer than the versions fleet is tested with, 1.0.4 to 1.3'],
    ['1.0.5', 'was withdrawn for damaging databases'],
    ['1.0.3', 'is older than 1.0.4, the first whose claims can be trusted'],
  ])('says why its queue is local although bd %s is on PATH', (version, why) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'bd'), `#!/bin/sh\necho "bd version ${version} (abc)"\n`, { mode: 0o755 })
    const { stdout } = init(join(folder, 'home'), [], { env: { PATH: `${folder}:${process.env['PATH']}` } })
    expect(stdout).toContain(`queue: local (bd ${version} is on PATH, but ${why})\n`)
  })

  test('ignores a bd that is another program', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'bd'), '#!/bin/sh\necho "a board game"; exit 1\n', { mode: 0o755 })
    const { code, stdout } = init(join(folder, 'home'), [], { env: { PATH: `${folder}:${process.env['PATH']}` } })
    expect(code).toBe(0)
    expect(stdout).toContain('queue: local (kept in fleet.db')
  })

  test('reports an unreachable server without the password, and creates nothing', () => {
    const home = join(temporaryFolder(), 'home')
    const { code, stdout, stderr } = init(home, ['--queue', 'postgres://me:s3cret@127.0.0.1:1/db'])
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
    expect(stderr).toBe(
      'fleet: postgres://me@127.0.0.1:1/db cannot be reached: connect ECONNREFUSED 127.0.0.1:1\n' +
        '  check that the server runs and that this machine may reach it\n',
    )
    expect(() => statSync(home)).toThrow('ENOENT')
  })

  test('on beads says that bd is missing, and can then be created on another queue', () => {
    const home = join(temporaryFolder(), 'home')
    const env = { PATH: '/nonexistent' }
    expect(init(home, ['--queue', 'beads'], { env })).toMatchObject({
      code: 7,
      stdout: '',
      stderr: expect.stringContaining('there is no bd on PATH'),
    })
    expect(init(home, ['--queue', 'local'], { env })).toMatchObject({ code: 0 })
  })

  test('refuses an unknown queue and extra arguments', () => {
    const home = join(temporaryFolder(), 'home')
    expect(init(home, ['--queue', 'sqlite'])).toMatchObject({
      code: 2,
      stderr: 'fleet: --queue is "sqlite", expected local, beads or a postgres:// URL\n',
    })
    expect(init(home, ['extra'])).toMatchObject({
      code: 2,
      stderr: 'fleet: fleet init takes no arguments, got "extra"\n',
    })
    expect(() => statSync(home)).toThrow('ENOENT')
    expect(init(home, ['--queue=local']).stdout).toContain('queue: local (as asked)')
  })
})

describe('an existing home', () => {
  test('stays exactly as it is, and init prints the same', async () => {
    const home = testHome()
    await addTasks(home.path, ['a', 'b'])
    writeFileSync(join(home.path, 'runtime.toml'), '# mine\nmax_concurrent = 9\n')
    const before = tree(home.path)
    const { code, stdout } = home.fleet(['init'])
    expect(code).toBe(0)
    expect(stdout).toMatch(`Fleet home initialized at ${home.path}\nqueue: local (as it was)\n`)
    expect(tree(home.path)).toEqual(before)
  })

  test('gets its missing parts, also without --force', () => {
    const home = testHome()
    const before = tree(home.path)
    for (const name of ['tasks', 'logging', 'backups', 'wake', 'runtime.toml'])
      rmSync(join(home.path, name), { recursive: true })
    expect(home.fleet(['init']).code).toBe(0)
    expect(tree(home.path)).toEqual(before)
  })

  test('that others can read is reported, and repaired only with --force', async () => {
    const home = testHome()
    await addTasks(home.path, ['kept'])
    const tasks = await contents(home.path)
    mkdirSync(join(home.path, 'tasks', 'fleet-abc'), { mode: 0o755 })
    writeFileSync(join(home.path, 'tasks', 'fleet-abc', 'run.sh'), '', { mode: 0o755 })
    mkdirSync(join(home.path, 'worktrees', 'x'), { recursive: true, mode: 0o755 })
    symlinkSync('/etc/passwd', join(home.path, 'link'))
    for (const name of ['.', 'fleet.db', 'runtime.toml', 'tasks']) chmodSync(join(home.path, name), 0o755)
    const before = tree(home.path)

    expect(home.fleet(['init']).stderr).toMatch(
      /^Others may read \d+ files of the home: fleet init --force repairs that\n$/,
    )
    expect(tree(home.path)).toEqual(before)

    expect(home.fleet(['init', '--force'])).toMatchObject({ code: 0, stderr: '' })
    expect(modes(home.path)).toMatchObject({
      '.': '700',
      'fleet.db': '700',
      'runtime.toml': '700',
      tasks: '700',
      worktrees: '700',
    })
    expect(modes(join(home.path, 'tasks', 'fleet-abc'))).toEqual({ '.': '700', 'run.sh': '700' })
    expect(modes(join(home.path, 'worktrees'))['x']).toBe('755')
    expect(statSync('/etc/passwd').mode & 0o044).toBe(0o044)
    expect(await contents(home.path)).toEqual(tasks)
  })

  test('with another queue is not changed', () => {
    const home = testHome()
    writeFileSync(join(home.path, 'runtime.toml'), 'queue = "beads"\n')
    expect(home.fleet(['init'])).toMatchObject({
      code: 5,
      stderr: `fleet: ${home.path}/runtime.toml says beads, but the queue of ${home.path} is local\n  nothing was changed; fleet queue migrate --to ... moves its tasks to another queue\n`,
    })
  })
})

describe('init reports an obstacle and leaves it alone', () => {
  const cases: readonly { name: string; spoil: (home: string) => void; code: number; says: RegExp }[] = [
    {
      name: 'a file where the home should be',
      spoil: (home) => {
        rmSync(home, { recursive: true })
        writeFileSync(home, 'precious')
      },
      code: 3,
      says: /home is not a directory\n {2}move it away, or point FLEET_HOME elsewhere/,
    },
    {
      name: 'a directory where the store should be',
      spoil: (home) => {
        rmSync(join(home, 'fleet.db'))
        mkdirSync(join(home, 'fleet.db'))
      },
      code: 7,
      says: /fleet\.db is a directory, not a store\n {2}move it away, then run fleet init/,
    },
    {
      name: 'a file that is no database',
      spoil: (home) => writeFileSync(join(home, 'fleet.db'), 'x'.repeat(5000)),
      code: 7,
      says: /fleet\.db is damaged: .*\n {2}fleet doctor/,
    },
    {
      name: 'a database of something else',
      spoil: (home) => tamper(home, 'pragma application_id = 7'),
      code: 7,
      says: /fleet\.db is not a fleet store\n {2}move it away, then run fleet init/,
    },
    {
      name: 'a store of a newer version',
      spoil: (home) => tamper(home, 'pragma user_version = 4711'),
      code: 7,
      says: /was made by a newer fleet: store version 4711, this fleet knows \d+\n {2}update fleet; nothing was changed/,
    },
    {
      name: 'a file where a folder should be',
      spoil: (home) => {
        rmSync(join(home, 'logging'), { recursive: true })
        writeFileSync(join(home, 'logging'), 'precious')
      },
      code: 1,
      says: /logging is a file, not a directory\n {2}nothing was changed; move it away and run it again/,
    },
    {
      name: 'a configuration with a mistake',
      spoil: (home) => writeFileSync(join(home, 'runtime.toml'), 'lean = 1\n'),
      code: 3,
      says: /runtime\.toml: line 1: lean is 1, expected true or false/,
    },
    {
      name: 'a directory where the configuration should be',
      spoil: (home) => {
        rmSync(join(home, 'runtime.toml'))
        mkdirSync(join(home, 'runtime.toml'))
      },
      code: 1,
      says: /runtime\.toml is a directory, not a file\n {2}move it away and run it again/,
    },
  ]
  for (const { name, spoil, code, says } of cases) {
    for (const argv of [[], ['--force']]) {
      test([name, ...argv].join(', '), () => {
        const home = testHome()
        rmSync(join(home.path, 'tasks'), { recursive: true })
        spoil(home.path)
        const before = tree(home.path)
        const ran = home.fleet(['init', ...argv])
        expect(ran.stderr).toMatch(says)
        expect(ran).toMatchObject({ code, stdout: '' })
        expect(tree(home.path)).toEqual(before)
      })
    }
  }

  test('a home below a file', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), '')
    expect(init(join(folder, 'file', 'home'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be made: a file is in the way'),
    })
  })
})
