import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findProgram } from '../../src/platform/process/program.ts'
import { FLEET, run, temporaryFolder, testHome } from '../support/cli.ts'
import { doctor } from '../support/doctor.ts'

const OTHER = 65534
const isRoot = process.getuid?.() === 0
/** Another user may not reach the checkout. */
const canChange = isRoot && run(process.execPath, [FLEET, '--version'], { cwd: '/', uid: OTHER }).code === 0
const hasSetpriv = findProgram('setpriv', process.env) !== undefined

function homeOfOther() {
  const folder = temporaryFolder()
  chownSync(folder, OTHER, OTHER)
  return testHome(folder, [], OTHER)
}

/** Whose files are in the home. */
function owners(path: string): readonly number[] {
  const paths = [path, ...readdirSync(path, { recursive: true }).map((name) => join(path, String(name)))]
  return [...new Set(paths.map((each) => lstatSync(each).uid))]
}

describe('a home that belongs to somebody else', () => {
  test.runIf(canChange)('is refused to root, whatever the command, and no file in it becomes root’s', () => {
    const home = homeOfOther()
    for (const argv of [
      ['ready'],
      ['bd', 'create', 'x'],
      ['run', '--once'],
      ['config', 'set', 'max_concurrent=2'],
      ['init'],
    ]) {
      const ran = run(process.execPath, [FLEET, ...argv], { cwd: '/', env: { FLEET_HOME: home.path } })
      expect(ran).toMatchObject({
        code: argv[0] === 'bd' ? 1 : 3,
        stdout: '',
        stderr: expect.stringMatching(/belongs to \S.*, and you are root\n {2}nothing was changed; run it as /),
      })
    }
    expect(owners(home.path)).toEqual([OTHER])
  })

  test.runIf(isRoot)('is not made by sudo in the folder of the user who called it', () => {
    const folder = temporaryFolder()
    chownSync(folder, OTHER, OTHER)
    const env = { FLEET_HOME: join(folder, '.fleet'), SUDO_UID: String(OTHER) }
    const made = run(process.execPath, [FLEET, 'init', '--queue', 'local'], { cwd: '/', env })
    expect(made).toMatchObject({ code: 3, stderr: expect.stringContaining('and you are root') })
    expect(readdirSync(folder)).toEqual([])
  })

  test.runIf(isRoot)(
    'is root’s all the same if only the folder belongs to somebody else, as one that a container mounts',
    () => {
      const folder = temporaryFolder()
      chownSync(folder, OTHER, OTHER)
      const env = { FLEET_HOME: folder }
      for (const argv of [['init', '--queue', 'local'], ['bd', 'create', 'x'], ['ready']]) {
        expect(run(process.execPath, [FLEET, ...argv], { cwd: '/', env })).toMatchObject({ code: 0 })
      }
    },
  )

  test.runIf(canChange && hasSetpriv)('is root’s all the same if the file system gives it every file', () => {
    const home = homeOfOther()
    const asOther = ['--euid', String(OTHER), '--egid', String(OTHER), '--clear-groups', process.execPath, FLEET]
    const ran = run('setpriv', [...asOther, 'bd', 'create', 'x'], { cwd: '/', env: { FLEET_HOME: home.path } })
    expect(ran).toMatchObject({ code: 0 })
    expect(owners(home.path)).toEqual([OTHER])
  })

  test.runIf(canChange)('is named by doctor, for root too, with the next step', () => {
    const home = homeOfOther()
    const { checks } = doctor({ ...home, fleet: testHomeAsRoot(home.path) })
    expect(checks['owner']).toMatchObject({
      state: 'fail',
      found: expect.stringMatching(`^${home.path} belongs to .*, and you are root$`),
      todo: expect.stringContaining(`sudo chown -R root ${home.path}`),
    })
  })

  function testHomeAsRoot(path: string) {
    return (argv: readonly string[]) => run(process.execPath, [FLEET, ...argv], { cwd: '/', env: { FLEET_HOME: path } })
  }
})

describe('files of root in a home of an ordinary user', () => {
  test.runIf(canChange).each(['fleet.db', 'runtime.toml', 'tasks', 'lock.db'])('%s is named by doctor', (name) => {
    const home = homeOfOther()
    const path = join(home.path, name)
    if (name === 'tasks') mkdirSync(path, { recursive: true, mode: 0o700 })
    if (name === 'lock.db') home.fleet(['run', '--once'])
    chownSync(path, 0, 0)
    expect(doctor(home).checks['owner']).toMatchObject({
      state: 'fail',
      found: `${path} belongs to root (a fleet that ran with sudo may have made them)`,
      todo: expect.stringContaining(`sudo chown -R `),
    })
  })

  test.runIf(canChange)('a command that meets one says whose it is and how to get it back', () => {
    const home = homeOfOther()
    for (const [name, argv] of [
      ['fleet.db', ['bd', 'create', 'x']],
      ['runtime.toml', ['config', 'set', 'max_concurrent=2']],
    ] as const) {
      const path = join(home.path, name)
      chownSync(path, 0, 0)
      chmodSync(path, 0o600)
      const ran = home.fleet([...argv])
      expect(ran.code).not.toBe(0)
      expect(ran.stderr).toContain(`${path} belongs to root (a fleet that ran with sudo may have made it)`)
      expect(ran.stderr).toContain('sudo chown -R ')
      chownSync(path, OTHER, OTHER)
    }
  })
})

test('doctor says that others may enter a home and change its files', () => {
  const home = testHome()
  chmodSync(home.path, 0o755)
  chmodSync(join(home.path, 'runtime.toml'), 0o666)
  expect(doctor(home).checks['permissions']).toMatchObject({
    state: 'fail',
    found: `others may enter ${home.path}, and change ${join(home.path, 'runtime.toml')}`,
    todo: 'fleet init --force repairs them',
  })
})

test('doctor says that others may replace a home in a folder that everybody can write', () => {
  const folder = temporaryFolder()
  const home = testHome(folder)
  chmodSync(folder, 0o777)
  expect(home.fleet(['doctor']).stdout).toContain(`others may put another folder in the place of ${home.path}`)
  chmodSync(folder, 0o1777)
  expect(home.fleet(['doctor']).stdout).not.toContain('in the place of')
})
