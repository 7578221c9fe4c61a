import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openLocalQueue } from '../../src/app.ts'
import { AppError } from '../../src/errors.ts'
import { Home } from '../../src/platform/files/home.ts'
import { examineStore } from '../../src/queues/sqlite/examine.ts'
import { SCHEMA_VERSION } from '../../src/queues/sqlite/schema.ts'
import { FLEET, type Ran, type RunOptions, run, type TestHome, temporaryFolder, testHome } from '../support/cli.ts'
import { addTasks, contents, hashOf, tamper, tree } from '../support/store.ts'

const isRoot = process.getuid?.() === 0
const NOBODY = 65534

function fleet(argv: readonly string[], options: RunOptions = {}): Ran {
  return run(process.execPath, [FLEET, ...argv], options)
}

describe('where the home is', () => {
  test.each([[undefined], ['']])('FLEET_HOME=%j means ~/.fleet', (given) => {
    const user = temporaryFolder()
    const env = { HOME: user, ...(given === undefined ? {} : { FLEET_HOME: given }) }
    expect(fleet(['init'], { env }).stdout).toContain(`Fleet home initialized at ${user}/.fleet\n`)
    expect(fleet(['ready'], { env, cwd: '/' })).toEqual({ code: 0, stdout: 'Nothing is ready.\n', stderr: '' })
  })

  test("FLEET_HOME=~/x is below the user's home folder", () => {
    const user = temporaryFolder()
    expect(fleet(['init'], { env: { HOME: user, FLEET_HOME: '~/x' } }).stdout).toContain(
      `Fleet home initialized at ${user}/x\n`,
    )
  })

  test.each([['.fleet'], ['./x'], ['../x'], ['x/y']])(
    'FLEET_HOME=%s is relative, and every command refuses it',
    (given) => {
      const cwd = temporaryFolder()
      for (const argv of [['init'], ['ready'], ['bd', 'where'], ['config', 'show'], ['doctor']]) {
        expect(fleet(argv, { cwd, env: { FLEET_HOME: given } })).toEqual({
          code: argv[0] === 'bd' ? 1 : 3,
          stdout: '',
          stderr: `fleet: FLEET_HOME is relative: ${given}\n  agents run in other directories, so it must be absolute, e.g. export FLEET_HOME="$PWD/.fleet"\n`,
        })
      }
      expect(tree(cwd)).toEqual({ './': '700' })
    },
  )

  test('a HOME that names no directory never means the current directory', () => {
    const cwd = temporaryFolder()
    const { code, stderr } = fleet(['ready'], { cwd, env: { HOME: 'relative' } })
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: 'fleet: neither FLEET_HOME nor HOME names a directory\n  export FLEET_HOME=/path/to/your/home\n',
    })
  })

  test('without a home, every command says `fleet init` and creates nothing', () => {
    const home = join(temporaryFolder(), 'none')
    const env = { FLEET_HOME: home }
    for (const argv of [['ready'], ['config', 'show'], ['config', 'set', 'lean=true'], ['doctor', '--restore']]) {
      expect(fleet(argv, { env })).toEqual({
        code: 3,
        stdout: '',
        stderr: `fleet: no fleet home at ${home}\n  run fleet init (or point FLEET_HOME at your home)\n`,
      })
    }
    expect(fleet(['bd', 'where'], { env })).toEqual({
      code: 1,
      stdout: '',
      stderr: `Error: no fleet home at ${home}\nHint: run fleet init (or point FLEET_HOME at your home)\n`,
    })
    const error = { error: `no fleet home at ${home}`, hint: 'run fleet init (or point FLEET_HOME at your home)' }
    for (const [envelope, document] of [
      ['', { ...error, schema_version: 1 }],
      ['1', { data: error, schema_version: 1 }],
    ] as const) {
      const ran = fleet(['bd', 'list', '--json'], { env: { ...env, BD_JSON_ENVELOPE: envelope } })
      expect({ ...ran, stderr: JSON.parse(ran.stderr) }).toEqual({ code: 1, stdout: '', stderr: document })
    }
    expect(tree(join(home, '..'))).toEqual({ './': '700' })
  })

  test('in a folder that is no home, every command says `fleet init` too', () => {
    const home = temporaryFolder()
    expect(fleet(['ready'], { env: { FLEET_HOME: home } })).toMatchObject({
      code: 3,
      stderr: `fleet: ${home} has no fleet.db\n  run fleet init\n`,
    })
  })
})

/** `fleet` and `fleet bd` on an unusable store: the messages, the exit codes, and that nothing was changed. */
function refusedEverywhere(home: TestHome, says: RegExp): void {
  const before = tree(home.path)
  const ready = home.fleet(['ready'])
  expect(ready).toMatchObject({ code: 7, stdout: '' })
  expect(ready.stderr).toMatch(says)
  const where = home.bd(['where'])
  expect(where).toMatchObject({ code: 1, stdout: '' })
  expect(where.stderr).toMatch(says)
  expect(home.bd(['create', 'x'])).toMatchObject({ code: 1, stdout: '' })
  expect(tree(home.path)).toEqual(before)
}

describe('an unusable store', () => {
  test('is reported as damaged if it is garbage, with `fleet doctor`', () => {
    const home = testHome()
    writeFileSync(join(home.path, 'fleet.db'), 'garbage '.repeat(1000))
    refusedEverywhere(home, /fleet\.db is damaged: .*\n.*fleet doctor names the newest automatic backup/)
  })

  test('is reported as damaged as soon as a command meets an overwritten page', async () => {
    const home = testHome()
    await addTasks(home.path, ['a', 'b', 'c'])
    rmSync(join(home.path, 'backups'), { recursive: true })
    const bytes = readFileSync(join(home.path, 'fleet.db'))
    bytes.fill(0x5a, 4096)
    writeFileSync(join(home.path, 'fleet.db'), bytes)
    refusedEverywhere(home, /fleet\.db is damaged: .*\n.*fleet doctor names the newest automatic backup/)
  })

  test('is refused if a newer fleet made it, with both versions', async () => {
    const home = testHome()
    await addTasks(home.path, ['a'])
    tamper(home.path, 'pragma user_version = 99')
    refusedEverywhere(
      home,
      new RegExp(
        `was made by a newer fleet: store version 99, this fleet knows ${SCHEMA_VERSION}\n.*update fleet; nothing was changed`,
      ),
    )
    tamper(home.path, `pragma user_version = ${SCHEMA_VERSION}`)
    expect((await contents(home.path)).map((task) => task.title)).toEqual(['a'])
  })

  test('is refused if it belongs to another program', () => {
    const home = testHome()
    tamper(home.path, 'pragma application_id = 1')
    refusedEverywhere(home, /fleet\.db is not a fleet store\n.*move it away, then run fleet init/)
  })

  test('is refused if it is empty', () => {
    const home = testHome()
    writeFileSync(join(home.path, 'fleet.db'), '')
    refusedEverywhere(home, /fleet\.db is empty\n.*run fleet init to make a new store/)
  })

  test('is refused if it is a directory', () => {
    const home = testHome()
    rmSync(join(home.path, 'fleet.db'))
    mkdirSync(join(home.path, 'fleet.db'))
    refusedEverywhere(home, /fleet\.db is a directory, not a store\n.*move it away, then run fleet init/)
  })
})

describe('a home that this user may not write', () => {
  // Permissions do not bind root, so root runs the command as another user.
  const canRunAsNobody =
    isRoot && spawnSync(process.execPath, [FLEET, '--version'], { uid: NOBODY, gid: NOBODY, cwd: '/' }).status === 0
  if (isRoot && !canRunAsNobody)
    console.warn('\n*** another user cannot run the built CLI here: the tests of a read-only home are SKIPPED ***\n')
  const possible = canRunAsNobody || !isRoot

  async function readOnlyHome(): Promise<TestHome> {
    const home = testHome()
    await addTasks(home.path, ['a', 'b'])
    if (isRoot) chmodSync(join(home.path, '..'), 0o755)
    else onTestFinished(() => chmodSync(home.path, 0o700))
    const [file, folder] = isRoot ? [0o644, 0o755] : [0o400, 0o500]
    for (const name of readdirSync(home.path)) {
      const path = join(home.path, name)
      chmodSync(path, statSync(path).isDirectory() ? folder : file)
    }
    chmodSync(home.path, folder)
    const who = isRoot ? { uid: NOBODY } : {}
    const asOther = (argv: readonly string[], options: RunOptions = {}) =>
      home.fleet(argv, { cwd: '/', ...options, ...who })
    return { ...home, fleet: asOther, bd: (argv, options) => asOther(['bd', ...argv], options) }
  }

  test.runIf(possible)('can still be read, by `fleet` and `fleet bd`', async () => {
    const home = await readOnlyHome()
    expect(home.fleet(['ready', '--json'])).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(home.fleet(['ready', '--json']).stdout)).toHaveLength(2)
    const [{ id }] = JSON.parse(home.bd(['ready', '--json']).stdout)
    const before = tree(home.path)
    const reading = ['list', 'ready', 'blocked', 'search a', 'count', 'status', 'export', 'where', 'label list-all']
    const about = ['show', 'comments', 'label list', 'dep list', 'dep tree'].map((command) => `${command} ${id}`)
    for (const argv of [...reading, ...about, 'dep cycles'].map((words) => words.split(' '))) {
      const ran = home.bd(argv)
      expect({ argv, code: ran.code, stderr: ran.stderr }).toEqual({ argv, code: 0, stderr: '' })
    }
    expect(tree(home.path)).toEqual(before)
    expect(home.fleet(['config', 'show']).code).toBe(0)
  })

  test.runIf(possible)('refuses every change with the reason, and stays as it is', async () => {
    const home = await readOnlyHome()
    const before = tree(home.path)
    // As root the test takes a home of root's.
    const cannot = `^fleet: ${home.path} cannot be written\n  nothing was changed; (check its owner and permissions, and whether its disk is read-only|${home.path} belongs to root .*)\n$`
    for (const argv of [['init'], ['init', '--force'], ['config', 'set', 'lean=true'], ['doctor', '--restore']]) {
      expect(home.fleet(argv)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(cannot) })
    }
    expect(home.bd(['create', 'x', '--cwd', '/'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('fleet.db cannot be written\nHint: nothing was changed'),
    })
    expect(tree(home.path)).toEqual(before)
  })

  test.runIf(possible)('is reported by doctor', async () => {
    const home = await readOnlyHome()
    const { code, stdout, stderr } = home.fleet(['doctor'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toMatch(/fail {2}home +.* cannot be written/)
    expect(stdout).toMatch(/ok {4}store +.*whole, 2 tasks/)
  })

  test.runIf(canRunAsNobody)('is refused if it cannot be read either, and doctor still works', () => {
    const home = testHome()
    chmodSync(join(home.path, '..'), 0o755)
    const asNobody = (argv: readonly string[]) => home.fleet(argv, { cwd: '/', uid: NOBODY })
    expect(asNobody(['ready'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `fleet.db cannot be accessed: permission denied\n  nothing was changed; ${home.path} belongs to root`,
      ),
    })
    expect(asNobody(['doctor'])).toMatchObject({
      code: 1,
      stderr: '',
      stdout: expect.stringContaining('permission denied'),
    })
    chmodSync(join(home.path, '..'), 0o700)
    expect(asNobody(['doctor'])).toMatchObject({
      code: 1,
      stderr: '',
      stdout: expect.stringMatching(/fail {2}home +.*cannot be accessed: permission denied/),
    })
  })
})

describe('a full disk', () => {
  /** A tiny disk for this test; undefined if this user may not create one. */
  function tinyDisk(size: string): string | undefined {
    const path = temporaryFolder()
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]).status !== 0) return undefined
    onTestFinished(() => void spawnSync('umount', ['-l', path]))
    return path
  }

  function fill(disk: string): void {
    const { bavail, bsize } = statfsSync(disk)
    writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize))
  }

  const possible =
    isRoot &&
    spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs tmpfs "$d" && umount "$d" && rmdir "$d"']).status === 0
  if (!possible) console.warn('\n*** no tmpfs can be mounted here: the tests of a full disk are SKIPPED ***\n')

  const FULL = /could not be written: the disk is full\n.*nothing was changed; free some space and run it again/

  test.runIf(possible)(
    'while the store is open: the task that does not fit is refused, the others are intact',
    async () => {
      const disk = tinyDisk('1m') ?? ''
      const home = new Home(join(disk, 'home'))
      expect(fleet(['init'], { env: { FLEET_HOME: home.path } }).code).toBe(0)
      const kept: string[] = []
      let refusal: unknown
      {
        await using queue = openLocalQueue(home)
        for (let i = 0; i < 1000 && refusal === undefined; i++) {
          const made = await queue
            .create({ title: `task ${i}`, description: 'x'.repeat(20_000) }, 'tester')
            .catch((error: unknown) => {
              refusal = error
            })
          if (made !== undefined) kept.push(made.id)
        }
        expect(refusal).toBeInstanceOf(AppError)
        expect(refusal).toMatchObject({
          code: 'queue',
          message: `${home.store} could not be written: the disk is full`,
        })
      }
      rmSync(home.backups, { recursive: true })
      expect(examineStore(home.store)).toMatchObject({ kind: 'good', tasks: kept.length })
      expect((await contents(home.path)).map((task) => task.id).sort()).toEqual(kept.sort())
    },
  )

  test.runIf(possible)('before a command: reads work, changes are refused, nothing is lost', async () => {
    const disk = tinyDisk('1m') ?? ''
    const home = new Home(join(disk, 'home'))
    const env = { FLEET_HOME: home.path }
    fleet(['init'], { env })
    await addTasks(home.path, ['a', 'b'])
    fill(disk)
    const before = { store: hashOf(home.store), config: hashOf(home.config) }

    expect(JSON.parse(fleet(['ready', '--json'], { env }).stdout)).toHaveLength(2)
    const set = fleet(['config', 'set', 'lean=true'], { env })
    expect(set).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(FULL) })
    expect(fleet(['bd', 'create', 'c', '--cwd', '/'], { env })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(FULL),
    })
    expect(fleet(['doctor'], { env })).toMatchObject({
      code: 1,
      stderr: '',
      stdout: expect.stringMatching(/fail {2}disk +0 MB free/),
    })
    expect({ store: hashOf(home.store), config: hashOf(home.config) }).toEqual(before)

    rmSync(join(disk, 'filler'))
    expect((await contents(home.path)).map((task) => task.title).sort()).toEqual(['a', 'b'])
    expect(fleet(['config', 'set', 'lean=true'], { env }).code).toBe(0)
  })

  test.runIf(possible)('during fleet init: init is refused, and a second one with free space succeeds', () => {
    const disk = tinyDisk('1m') ?? ''
    const env = { FLEET_HOME: join(disk, 'home') }
    fill(disk)
    expect(fleet(['init'], { env })).toMatchObject({ stdout: '', stderr: expect.stringContaining('the disk is full') })
    rmSync(join(disk, 'filler'))
    expect(fleet(['init'], { env }).code).toBe(0)
    expect(fleet(['ready'], { env }).stdout).toBe('Nothing is ready.\n')
  })
})
