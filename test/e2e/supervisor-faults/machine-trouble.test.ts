import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openFilesFor } from '../../../src/domain/fleet/open-files.ts'
import { FLEET, scrubbed } from '../../support/cli.ts'
import { type Fleet, testFleet, until } from '../../support/supervisor.ts'

const isRoot = process.getuid?.() === 0
/** Permissions do not keep root out. */
const ordinary = isRoot ? { uid: 65534 } : {}
const canMount = isRoot && spawnSync('unshare', ['--mount', 'mount', '--bind', '/', '/']).status === 0

const attention = (fleet: Fleet): readonly { kind: string; text?: string }[] =>
  JSON.parse(fleet.fleet('tasks', '--json').stdout).attention

async function logged(fleet: Fleet, event: string): Promise<void> {
  await until(
    async () => fleet.log().some((line) => line.event === event),
    () => `the log has ${event}: ${JSON.stringify(fleet.log())}`,
  )
}

describe('a folder of tasks that cannot be written', () => {
  test('stops claiming with one alert, counts nothing, and goes on by itself after the repair', async () => {
    const fleet = testFleet({ ...ordinary, config: ['pid_namespace=off', 'max_attempts=1'] })
    const ids = [1, 2, 3, 4].map((n) => fleet.create(`Task ${n}`, 'echo done'))
    const tasks = join(fleet.home.path, 'tasks')
    for (const id of ids) rmSync(join(tasks, id), { recursive: true, force: true })
    chmodSync(tasks, 0o500)
    try {
      await fleet.start()
      await logged(fleet, 'claiming-stopped')
      expect(attention(fleet)).toEqual([{ kind: 'machine', text: `${tasks} cannot be written: permission denied` }])
      expect(fleet.fleet('tasks').stdout).toMatch(/machine\t.*tasks cannot be written/)
      const checked = JSON.parse(fleet.fleet('doctor', '--json').stdout).checks
      expect(checked).toContainEqual(expect.objectContaining({ name: 'home', state: 'fail' }))
      for (const id of ids) expect(await fleet.task(id)).toMatchObject({ status: 'open' })
      expect(fleet.log().filter(({ event }) => event === 'claiming-stopped')).toHaveLength(1)
    } finally {
      chmodSync(tasks, 0o700)
    }
    for (const id of ids) await fleet.settled(id, 'closed')
    for (const id of ids) expect(fleet.runs(id)).toHaveLength(1)
    expect(attention(fleet)).toEqual([])
  })

  test('that becomes so only after the claim is no failure of the task', async () => {
    const fleet = testFleet({ ...ordinary, config: ['pid_namespace=off', 'max_attempts=1', 'max_concurrent=1'] })
    const [first, second] = ['First', 'Second'].map((title) =>
      fleet.create(title, `test -e ../go || { chmod 500 "$FLEET_HOME/tasks"; touch ../go; }; exit 0`),
    ) as [string, string]
    await fleet.start()
    await fleet.settled(first, 'closed')
    await logged(fleet, 'claiming-stopped')
    expect(await fleet.task(second)).toMatchObject({ status: 'open' })
    chmodSync(join(fleet.home.path, 'tasks'), 0o700)
    await fleet.settled(second, 'closed')
  })
})

describe('a folder of one task that cannot be written', () => {
  test('is the trouble of that task alone', async () => {
    const fleet = testFleet({ ...ordinary, config: ['pid_namespace=off', 'max_attempts=1'] })
    const [bad, good] = ['Bad', 'Good'].map((title) => fleet.create(title, 'echo done')) as [string, string]
    const folder = join(fleet.home.path, 'tasks', bad)
    mkdirSync(join(folder, 'attempts'), { recursive: true })
    if (isRoot) chownSync(join(folder, 'attempts'), 0, 0)
    chmodSync(join(folder, 'attempts'), 0o500)
    await fleet.start()
    await fleet.settled(good, 'closed')
    expect(attention(fleet).filter(({ kind }) => kind === 'machine')).toEqual([])
    chmodSync(join(folder, 'attempts'), 0o700)
  })
})

describe('a home on a disk that becomes read-only', () => {
  test.runIf(canMount)('opens the task again, and goes on after the repair', async () => {
    const fleet = testFleet({ config: ['max_attempts=1'] })
    const id = fleet.create('Later', 'echo done')
    const tasks = join(fleet.home.path, 'tasks')
    const script = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec "$2" "$3" run'
    const run = spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', tasks, process.execPath, FLEET], {
      env: { ...scrubbed(), FLEET_HOME: fleet.home.path, PATH: fleet.stub.path },
      stdio: 'ignore',
      cwd: fleet.home.project,
    })
    try {
      await logged(fleet, 'claiming-stopped')
      expect(attention(fleet)).toEqual([
        { kind: 'machine', text: `${tasks} cannot be written: the file system is read-only` },
      ])
      expect(await fleet.task(id)).toMatchObject({ status: 'open' })
      const argv = ['--target', String(run.pid), '--mount', 'mount', '-o', 'remount,bind,rw', tasks]
      expect(spawnSync('nsenter', argv)).toMatchObject({ status: 0 })
      await fleet.settled(id, 'closed')
      expect(fleet.runs(id)).toHaveLength(1)
    } finally {
      run.kill('SIGTERM')
      await once(run, 'exit')
    }
  })
})

describe('a limit of open files', () => {
  test('bounds the number of agents; all of them are settled, and fleet says what is lacking', async () => {
    const [room, wanted] = [4, 60]
    const fleet = testFleet({ config: [`max_concurrent=${wanted}`] })
    const ids = Array.from({ length: 12 }, (_, n) =>
      fleet.create(`Task ${n}`, 'while ! test -e ../go; do sleep 0.1; done'),
    )
    const limit = openFilesFor(room)
    const run = spawn(
      'sh',
      ['-c', 'ulimit -n "$1"; exec "$2" "$3" run', 'sh', String(limit), process.execPath, FLEET],
      {
        env: { ...scrubbed(), FLEET_HOME: fleet.home.path, PATH: fleet.stub.path },
        stdio: 'ignore',
        cwd: fleet.home.project,
      },
    )
    try {
      await until(
        async () => ids.filter((id) => fleet.runs(id)[0]?.phase === 'running').length >= room,
        () => `${room} agents run`,
      )
      await logged(fleet, 'machine-lacks')
      expect(ids.filter((id) => fleet.runs(id).length > 0)).toHaveLength(room)
      const text = `the limit of ${limit} open files leaves room for ${room} of ${wanted} agents: ulimit -n ${openFilesFor(wanted)} before fleet run, or a lower max_concurrent`
      expect(attention(fleet)).toEqual([{ kind: 'machine', text }])
      fleet.touch('go')
      for (const id of ids) await fleet.settled(id, 'closed')
      expect(readFileSync(`/proc/${run.pid}/limits`, 'utf8')).toMatch(new RegExp(`Max open files +${limit} `))
    } finally {
      run.kill('SIGTERM')
      await once(run, 'exit')
    }
  })

  test('that is too small for one agent starts none, and is told', async () => {
    const fleet = testFleet()
    const id = fleet.create('Task', 'echo done')
    const argv = ['-c', 'ulimit -n 90; exec "$1" "$2" run --once', 'sh', process.execPath, FLEET]
    const ran = spawnSync('sh', argv, {
      env: { ...scrubbed(), FLEET_HOME: fleet.home.path, PATH: fleet.stub.path },
      encoding: 'utf8',
    })
    expect({ status: ran.status, said: ran.stdout + ran.stderr }).toEqual({
      status: 1,
      said: expect.stringContaining('the limit of 90 open files leaves room for 0 of 10 agents'),
    })
    expect(await fleet.task(id)).toMatchObject({ status: 'open' })
  })
})

describe('a machine that makes no more processes', () => {
  const canLimit = isRoot && spawnSync('prlimit', ['--nproc=1000', 'true']).status === 0
  test.runIf(canLimit)('opens the task again without counting, and goes on when it can', async () => {
    // A user of its own, whose processes nothing else counts.
    const uid = 60_000 + (process.pid % 5000)
    const most = 80
    const fleet = testFleet({ uid, config: ['pid_namespace=off', 'max_attempts=1'] })
    const user = { uid, gid: uid, stdio: 'ignore' } as const
    const run = spawn('prlimit', [`--nproc=${most}`, process.execPath, FLEET, 'run'], {
      env: { ...scrubbed(), FLEET_HOME: fleet.home.path, PATH: fleet.stub.path },
      cwd: fleet.home.project,
      ...user,
    })
    const others: ChildProcess[] = []
    try {
      await fleet.settled(fleet.create('First', 'echo done'), 'closed')
      for (let n = 0; n < most; n++) others.push(spawn('sleep', ['1000'], { ...user, cwd: '/' }))
      const id = fleet.create('Next', 'echo done')
      await until(
        async () => fleet.log().some(({ event, what }) => event === 'work-failed' && what === 'launch'),
        () => `a failed launch: ${JSON.stringify(fleet.log())}`,
      )
      const text = expect.stringMatching(/no agent could be started .*: EAGAIN/)
      await until(
        async () => attention(fleet).length > 0,
        () => 'fleet tasks says what is lacking',
      )
      expect(attention(fleet)).toEqual([{ kind: 'machine', text }])
      for (const each of others) each.kill('SIGKILL')
      await fleet.settled(id, 'closed')
      const codes = fleet.runs(id).map(({ outcome }) => outcome?.code)
      expect(new Set(codes)).toEqual(new Set(['never-started', 'done']))
      expect(fleet.text(id, '.failures')).toBe('0\n')
      expect(fleet.log().filter(({ event, what }) => event === 'work-failed' && what === 'launch')).toHaveLength(1)
    } finally {
      for (const each of others) each.kill('SIGKILL')
      run.kill('SIGTERM')
      await once(run, 'exit')
    }
  })
})
