import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FLEET, run, temporaryFolder, testHome } from '../support/cli.ts'
import { doctor } from '../support/doctor.ts'
import { healthy, testFleet } from '../support/supervisor.ts'

/** A PATH with every program of this machine but these. */
function pathWithout(...names: readonly string[]): string {
  const folder = temporaryFolder()
  const there = new Set(names)
  for (const from of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const name of namesIn(from)) {
      if (there.has(name)) continue
      there.add(name)
      symlinkSync(join(from, name), join(folder, name))
    }
  }
  return folder
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

test('without perl doctor and the supervisor say that agents start more slowly, and tasks are done', () => {
  const home = testHome()
  const env = { PATH: pathWithout('perl') }
  const effect = 'there is no launcher, so agents start more slowly'
  const { code, checks } = doctor(home, { env })
  expect(code).toBe(0)
  expect(checks['perl']).toEqual({
    name: 'perl',
    state: 'warn',
    found: `not found on PATH: ${effect}`,
    todo: 'install perl',
  })
  expect(home.bd(['create', 'A script', '--coder', 'shell', '-d', 'touch made']).code).toBe(0)
  const { code: ended, stdout } = home.fleet(['run', '--once'], { env })
  expect(ended).toBe(0)
  expect(stdout).toContain(`! perl is not on PATH: ${effect}; install perl\n`)
  expect(namesIn(home.project)).toEqual(['made'])
})

describe('without git', () => {
  const effect = 'changes are found by looking at files only, and there are no diffs and clones'

  test('doctor says what is missing', () => {
    expect(doctor(testHome(), { env: { PATH: pathWithout('git') } }).checks['git']).toEqual({
      name: 'git',
      state: 'warn',
      found: `not found on PATH: ${effect}`,
      todo: 'install git',
    })
  })

  test('an agent works and is judged by its files, in a folder and in a checkout; a diff is refused in a sentence', async () => {
    const path = pathWithout('git')
    const bare = testFleet({ env: {} })
    const env = { PATH: `${bare.stub.folder}${delimiter}${path}` }
    const folder = bare.create('In a folder', healthy('x.txt'))
    const checkout = bare.create('In a checkout', healthy('y.txt'), '--cwd', bare.project('checkout', { git: true }))
    const ran = bare.home.fleet(['run', '--once'], { env })
    expect(ran.stdout).toContain(`! git is not on PATH: ${effect}; install git\n`)
    for (const [id, file] of [
      [folder, 'x.txt'],
      [checkout, 'y.txt'],
    ] as const) {
      expect(await bare.task(id)).toMatchObject({ status: 'closed' })
      expect(bare.receipt(id).evidence.files_changed).toEqual([file])
    }
  })

  test('a diff of an attempt that began with git is refused in a sentence', () => {
    const fleet = testFleet()
    const id = fleet.create('In a checkout', healthy('y.txt'), '--cwd', fleet.project('checkout', { git: true }))
    expect(fleet.fleet('run', '--once').code).toBe(0)
    expect(fleet.home.fleet(['task', id, 'diff'], { env: { PATH: pathWithout('git') } })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'fleet: git could not be started: it is not on PATH; install git\n',
    })
  })
})

/** Hides /bin/sh from one command, in a mount namespace of its own. */
const hiding = (argv: readonly string[], env: NodeJS.ProcessEnv, cwd: string) =>
  run('unshare', ['-m', 'bash', '-c', 'mount --bind /dev/null /bin/sh && exec "$@"', 'bash', ...argv], { env, cwd })
const canHide = run('sh', ['-c', 'unshare -m bash -c "mount --bind /dev/null /bin/sh" 2>/dev/null']).code === 0

describe.skipIf(!canHide)('without /bin/sh', () => {
  test('the supervisor does not start, no attempt is spent, and doctor says what is missing', () => {
    const home = testHome()
    expect(home.bd(['create', 'A script', '--coder', 'shell', '-d', 'true']).code).toBe(0)
    const fleet = (...argv: readonly string[]) =>
      hiding([process.execPath, FLEET, ...argv], { FLEET_HOME: home.path }, home.project)
    expect(fleet('run', '--once')).toEqual({
      code: 8,
      stdout: '',
      stderr:
        'fleet: there is no /bin/sh, and fleet starts every agent through it\n  install a POSIX shell as /bin/sh, such as dash, bash or busybox\n',
    })
    expect(JSON.parse(fleet('doctor', '--json').stdout).checks).toContainEqual({
      name: 'shell',
      state: 'fail',
      found: 'there is no /bin/sh, and fleet starts every agent through it',
      todo: 'install a POSIX shell as /bin/sh, such as dash, bash or busybox',
    })
    expect(
      namesIn(join(home.path, 'tasks')).flatMap((id) => namesIn(join(home.path, 'tasks', id, 'attempts'))),
    ).toEqual([])
  })
})

describe('one directory under two names', () => {
  test('a project of runtime.toml counts for tasks that name it through a link', () => {
    const home = testHome()
    const real = join(home.project, 'real')
    mkdirSync(real)
    symlinkSync(real, join(home.project, 'link'))
    expect(home.fleet(['config', 'set', `projects."${join(home.project, 'link')}".coder=shell`]).code).toBe(0)
    for (const name of ['real', 'link']) {
      const { id } = JSON.parse(
        home.bd(['create', 'A script', '-d', 'touch made', '--cwd', join(home.project, name), '--json']).stdout,
      ).data
      expect(home.fleet(['show', id]).stdout).toMatch(/^coder: +shell/m)
    }
  })
})
