import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FLEET, run, scrubbed, type TestHome, temporaryFolder, testHome } from '../support/cli.ts'
import { inLedger } from '../support/ledger.ts'

/** A folder for PATH with node and git, and this `ps`. */
function pathWith(ps: string | undefined): string {
  const folder = join(temporaryFolder(), 'bin')
  mkdirSync(folder)
  symlinkSync(process.execPath, join(folder, 'node'))
  for (const name of ['sh', 'git', 'cat']) symlinkSync(`/usr/bin/${name}`, join(folder, name))
  if (ps !== undefined) writeFileSync(join(folder, 'ps'), `#!/bin/sh\n${ps}\n`, { mode: 0o755 })
  return folder
}

const BUSYBOX = `cat '${join(import.meta.dirname, '../fixtures/ps/busybox-option.txt')}' >&2; exit 1`

/** The sentence and the next step of each machine on which no agent can run. */
const MACHINES = [
  {
    machine: 'with neither /proc nor ps',
    ps: undefined,
    says: /^fleet: the processes of agents cannot be told apart on this machine: .*ps.*\n {2}mount \/proc, or install ps \(the package procps\); the queue and its commands work without\n$/,
  },
  {
    machine: 'with the ps of BusyBox',
    ps: BUSYBOX,
    says: /^fleet: \S+\/ps is BusyBox's, which does not show the starts, sessions and environments of processes\n {2}install ps from the package procps, or mount \/proc and unset FLEET_PROCESS_TABLE\n$/,
  },
  {
    machine: 'whose ps fails',
    ps: 'echo "ps: cannot allocate" >&2; exit 1',
    says: /^fleet: the process table cannot be read: ps failed with exit 1: ps: cannot allocate\n {2}fleet asks again; .*\n$/,
  },
]

/** A home with a run in its ledger that an earlier supervisor left. */
function homeWithRun(): { home: TestHome; id: string } {
  const home = testHome()
  const id = home
    .bd(['create', 'A task', '--silent', '--coder', 'shell', '--command', 'true', '--cwd', '/'])
    .stdout.trim()
  inLedger(home, (ledger) => {
    const fields = { coder: 'shell', model: null, lane: 'shell', cwd: '/', title: 'A task', resumes: null }
    ledger.begin({ id: 'run-1', task: id, claimedBy: 'fleet@test', token: 1, startedAt: Date.now(), ...fields })
  })
  return { home, id }
}

describe.each(MACHINES)('on a machine $machine', ({ ps, says }) => {
  const env = () => ({ FLEET_PROCESS_TABLE: 'ps', PATH: pathWith(ps) })

  test('`fleet run` and `fleet kill` say so with the next step, and end', () => {
    const { home, id } = homeWithRun()
    for (const argv of [
      ['run', '--once'],
      ['kill', id],
    ]) {
      const ran = home.fleet(argv, { env: env() })
      expect({ argv, code: ran.code === 0, stderr: ran.stderr }).toEqual({
        argv,
        code: false,
        stderr: expect.stringMatching(says),
      })
    }
    expect(inLedger(home, (ledger) => ledger.openRuns().length)).toBe(1)
  })

  test('`fleet doctor` says so, and the queue works', () => {
    const home = testHome()
    expect(home.fleet(['doctor'], { env: env() }).stdout).toMatch(/fail {2}processes +\S/)
    expect(home.bd(['create', 'A task', '--cwd', '/'], { env: env() })).toMatchObject({ code: 0, stderr: '' })
    expect(home.fleet(['ready'], { env: env() })).toMatchObject({ code: 0, stderr: '' })
  })
})

test('an unknown process table is refused with the names of those there are', () => {
  const home = testHome()
  expect(home.fleet(['run', '--once'], { env: { FLEET_PROCESS_TABLE: 'sysctl' } })).toEqual({
    code: 3,
    stdout: '',
    stderr:
      'fleet: FLEET_PROCESS_TABLE is "sysctl", which is no process table\n  unset FLEET_PROCESS_TABLE, or set it to proc or ps\n',
  })
})

const NOBODY = 65534
const HIDING = 'mount -t proc -o hidepid=2 proc /proc'
const canHide =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'sh', '-c', HIDING]).status === 0 &&
  spawnSync(process.execPath, [FLEET, '--version'], { uid: NOBODY, gid: NOBODY, cwd: '/' }).status === 0
if (!canHide) console.warn('\n*** /proc cannot be mounted with hidepid here (not root): its test is SKIPPED ***\n')

const PART = 'mount -t proc -o subset=pid proc /proc'

test.runIf(spawnSync('unshare', ['-m', 'sh', '-c', PART]).status === 0)(
  'with a part of /proc only, doctor and the commands that look at processes say to mount the whole of it',
  () => {
    const { home, id } = homeWithRun()
    const fleet = (...argv: readonly string[]) =>
      run('unshare', ['-m', 'sh', '-c', `${PART} && exec "$@"`, 'sh', process.execPath, FLEET, ...argv], {
        env: { FLEET_HOME: home.path },
      })
    const todo = /\n +(?:-> )?mount the whole of \/proc \(mount -t proc proc \/proc\);/
    for (const argv of [['run', '--once'], ['kill', id], ['run', 'start'], ['doctor']]) {
      const { code, stdout, stderr } = fleet(...argv)
      expect({ argv, failed: code !== 0, said: stdout + stderr }).toEqual({
        argv,
        failed: true,
        said: expect.stringMatching(todo),
      })
    }
    expect(fleet('ready')).toMatchObject({ code: 0, stderr: '' })
  },
)

test.runIf(canHide && process.env['FLEET_PROCESS_TABLE'] !== 'ps')(
  'with a /proc that hides the processes of others, tasks run, and doctor and the supervisor say what is not seen and what to do',
  () => {
    const home = testHome()
    expect(
      home.bd([
        'create',
        'A task',
        '--silent',
        '--coder',
        'shell',
        '--command',
        'sleep 600 & setsid sleep 600 & true',
        '--cwd',
        '/',
      ]).code,
    ).toBe(0)
    chmodSync(join(home.path, '..'), 0o755)
    run('chown', ['-R', String(NOBODY), home.path])
    const hidden = (argv: readonly string[]) => {
      const command = `${HIDING} && exec setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups "$@"`
      return run('unshare', ['-m', 'sh', '-c', command, 'sh', process.execPath, FLEET, ...argv], {
        cwd: '/',
        env: { ...scrubbed(), FLEET_HOME: home.path, HOME: '/' },
      })
    }
    expect(hidden(['doctor']).stdout).toMatch(
      /warn {2}processes +the process table \(\/proc\) can be read; \/proc hides .* \(hidepid\), .*\n +(?:-> )?mount -o remount/,
    )
    const ran = hidden(['run', '--once'])
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stdout).toContain(
      '! /proc hides the processes of other users (hidepid), so what an agent starts with sudo is not seen: mount -o remount,hidepid=0',
    )
    expect(hidden(['bd', 'list', '--status', 'closed']).stdout).toContain('A task')
  },
)
