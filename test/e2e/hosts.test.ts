import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FLEET, run, temporaryFolder } from '../support/cli.ts'
import { endProcess, eventually, type FleetHome, fleetHome, fleetHomeOn } from '../support/home-run.ts'
import { describeWithPostgres } from '../support/postgres.ts'

/** Homes stand in for machines: each has its own supervisor, name and directories. */
describeWithPostgres('machines that share a queue', (server) => {
  const machine = async (url: string, name: string, ...config: readonly string[]): Promise<FleetHome> =>
    await fleetHomeOn(url, [`hosts.name=${name}`, ...config])

  const schemaOf = (url: string) => new URL(url).searchParams.get('schema')
  const hosts = (home: FleetHome) => JSON.parse(home.fleet(['hosts', '--json']).stdout).hosts
  const create = (home: FleetHome, script: string, ...words: readonly string[]): string => {
    const made = home.bd(['create', 'A script', '--coder', 'shell', '-d', script, '--silent', ...words])
    if (made.code !== 0) throw new Error(made.stderr)
    return made.stdout.trim()
  }
  const whyNot = (home: FleetHome, id: string): string | undefined =>
    /^not running: +(.*)$/m.exec(home.fleet(['show', id]).stdout)?.[1]

  test('a task that asks for a machine, by name or label, runs only there', async () => {
    const url = server.newUrl()
    const anvil = await machine(url, 'anvil')
    const forge = await machine(url, 'forge', 'hosts.labels=["gpu", "linux"]')
    const maker = await machine(url, 'desk')
    const absent = create(maker, 'true', '--on', 'kiln')
    const named = create(maker, 'true', '--on', 'forge')
    const labelled = create(maker, 'true', '--on', 'gpu')
    const anywhere = create(maker, 'true')
    expect(maker.fleet(['show', named]).stdout).toContain('\non:           forge\n')
    expect(whyNot(maker, named)).toBe('it waits for machine forge, which was never online (fleet hosts)')
    expect(whyNot(maker, anywhere)).toBe('no supervisor is running')

    await using _anvil = await supervised(anvil)
    await anvil.becomes(anywhere, 'closed')
    expect(await anvil.statuses()).toEqual(expect.arrayContaining(['open', 'open', 'open', 'closed']))
    await using _forge = await supervised(forge)
    await forge.becomes(named, 'closed')
    await forge.becomes(labelled, 'closed')
    expect([named, labelled, anywhere, absent].map((id) => [anvil.runsOf(id).length, forge.runsOf(id).length])).toEqual(
      [
        [0, 1],
        [0, 1],
        [1, 0],
        [0, 0],
      ],
    )
    expect(whyNot(maker, absent)).toBe('it waits for machine kiln, which was never online (fleet hosts)')
    expect(maker.bd(['update', absent, '--on', 'anvil'])).toMatchObject({ code: 0 })
    await anvil.becomes(absent, 'closed')
    expect(anvil.runsOf(absent)).toHaveLength(1)
  })

  test('`fleet hosts` lists each machine and its work; a machine that stops disappears, one that dies is offline', async () => {
    const url = server.newUrl()
    const anvil = await machine(url, 'anvil', 'max_concurrent=2', 'hosts.labels=["gpu"]')
    const forge = await machine(url, 'forge')
    expect(forge.fleet(['hosts'])).toMatchObject({
      code: 0,
      stdout: 'No supervisor shares this queue: fleet run starts one.\n',
    })
    const dying = await anvil.supervise()
    const leaving = await forge.supervise()
    const id = await anvil.script('if [ -e begun ]; then echo again >>done.txt; else touch begun; exec sleep 600; fi', {
      title: 'Long work',
    })
    await eventually(() => anvil.runsOf(id).length + forge.runsOf(id).length === 1, 'one of them has begun')
    const [holder, other] = anvil.runsOf(id).length === 1 ? [anvil, forge] : [forge, anvil]
    const [name] = holder === anvil ? ['anvil'] : ['forge']
    const supervisors = new Map([
      [anvil, dying],
      [forge, leaving],
    ])
    let both = hosts(forge)
    await eventually(() => {
      both = hosts(forge)
      const known = both.some((each: { name: string; running: unknown[] }) => each.name === name && each.running.length)
      return both.length === 2 && known
    }, 'the others know of both, and what one runs')
    expect(both).toMatchObject([
      { name: 'anvil', here: true, own: false, state: 'claiming', slots: 2, labels: ['gpu'] },
      { name: 'forge', here: true, own: true, state: 'claiming', slots: 3, labels: [] },
    ])
    expect(both.flatMap((each: { running: unknown[] }) => each.running)).toMatchObject([
      { task: id, title: 'Long work', coder: 'shell' },
    ])
    const { stdout } = anvil.fleet(['hosts'])
    expect(stdout).toMatch(
      /^Machines\nName\tState\tAgents\tUp\tLabels\tVersion\tHost\nanvil \(this one\)\tonline\t\d\/2\t/,
    )
    expect(stdout).toContain(`\n\nRunning\nID\tMachine\tState\tElapsed\tCoder\tTitle\n${id}\t${name}\t`)

    // A crash of the machine: nothing on it shuts down cleanly.
    supervisors.get(holder)?.kill('SIGKILL')
    await supervisors.get(holder)?.exited
    for (const pid of holder.agents()) endProcess(pid)
    await server.query(`update ${schemaOf(url)}.host set seen = seen - 20000 where name = '${name}'`)
    expect(other.fleet(['hosts']).stdout).toMatch(new RegExp(`^${name}\toffline since .*\t1/\\d\t-\t`, 'm'))
    expect(await other.status(id)).toBe('in_progress')
    await server.query(`update ${schemaOf(url)}.task set lease_until = 1 where id = '${id}'`)
    await other.becomes(id, 'closed')
    expect(other.runsOf(id)).toMatchObject([{ attempt: 1, outcome: { code: 'done' } }])
    expect(anvil.lines('done.txt')).toEqual(['again'])

    supervisors.get(other)?.kill('SIGTERM')
    await supervisors.get(other)?.exited
    expect(hosts(forge)).toMatchObject([{ name, here: false }])
  })

  test('a machine that cannot reach the server says so once, keeps working, obeys local commands, and comes back online', async () => {
    const home = await machine(server.newUrl(), 'anvil')
    await using _supervisor = await supervised(home)
    await eventually(() => hosts(home).length === 1, 'it is announced')
    const id = await home.script('touch begun; exec sleep 600')
    await eventually(() => home.exists('begun'), 'it runs')
    await server.stop()
    await home.logged('heartbeat-failed')
    // A new supervisor could not start, so the running one stays.
    expect(home.fleet(['run', 'restart'])).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('cannot be reached'),
    })
    expect(home.fleet(['run', 'status'])).toMatchObject({ code: 0 })
    expect(home.fleet(['kill', id])).toMatchObject({
      code: 0,
      stdout: `${id}: stopped by tester (SIGTERM); the queue does not answer and will be updated when it does\n`,
    })
    await home.expectNoAgents()
    expect(home.fleet(['kill', 'fleet-none'])).toMatchObject({ code: 7 })
    await server.start()
    await home.becomes(id, 'blocked')
    await eventually(() => home.fleet(['hosts', '--json']).code === 0 && hosts(home)[0]?.here === true, 'it is heard')
    const said = home.log().filter(({ event }) => event === 'heartbeat-failed')
    expect(said).toHaveLength(1)
  })

  test('[hosts] paths says where a directory is on a machine; without it the task is left to other machines', async () => {
    const url = server.newUrl()
    const maker = await machine(url, 'desk')
    const home = await machine(url, 'anvil')
    await using _supervisor = await supervised(home)
    const there = join(maker.project, 'ann')
    mkdirSync(join(there, 'shop', 'web'), { recursive: true })
    const here = join(home.project, 'src')
    // Created where the directory exists, and claimed by a machine that has it elsewhere.
    expect(home.fleet(['pause']).code).toBe(0)
    const id = create(
      maker,
      'pwd >here.txt; fleet bd create Found --silent >found.txt',
      '--cwd',
      join(there, 'shop', 'web'),
    )
    renameSync(there, here)
    expect(home.fleet(['resume']).code).toBe(0)
    const next = await home.script('true')
    await home.becomes(next, 'closed')
    expect([await home.status(id), home.runsOf(id)]).toEqual(['open', []])
    expect(whyNot(home, id)).toBe(
      `${join(there, 'shop', 'web')} is not on this machine, and no other is there: see [hosts] paths and clone in runtime.toml`,
    )
    expect(home.fleet(['config', 'set', `hosts.paths={ "${there}" = "${here}" }`]).code).toBe(0)
    await home.becomes(id, 'closed')
    expect(home.lines('src/shop/web/here.txt')).toEqual([join(here, 'shop', 'web')])
    expect(home.runsOf(id)).toMatchObject([{ cwd: join(here, 'shop', 'web') }])
    // A task that an agent creates belongs to the same project, under the path that all machines know.
    const [found] = home.lines('src/shop/web/found.txt')
    expect((await home.task(found ?? ''))?.metadata).toEqual({ fleet: { cwd: join(there, 'shop', 'web') } })
  })

  test('a missing repository is cloned where [hosts] clone allows it, and fetched the next time', async () => {
    const url = server.newUrl()
    const maker = await machine(url, 'desk')
    const { remote, work, push } = repository()
    const clones = join(temporaryFolder(), 'clones')
    const first = create(maker, 'cat page.txt >seen.txt; pwd >>seen.txt', '--cwd', join(work, 'web'))
    const second = create(maker, 'cat page.txt >>seen.txt', '--cwd', join(work, 'web'), '--on', 'forge')
    const broken = create(maker, 'true', '--cwd', work)
    expect(JSON.parse(maker.bd(['show', first, '--json']).stdout)[0].metadata.fleet).toMatchObject({
      cwd: join(work, 'web'),
      remote,
      folder: 'web',
    })
    expect(maker.bd(['update', broken, '--cwd', maker.project]).code).toBe(0)
    expect(JSON.parse(maker.bd(['show', broken, '--json']).stdout)[0].metadata.fleet).toEqual({
      cwd: maker.project,
      coder: 'shell',
    })
    expect(maker.bd(['update', broken, '--cwd', work]).code).toBe(0)
    expect(
      maker.bd(['update', broken, '--metadata', JSON.stringify({ fleet: { remote: `${remote}/none` } })]).code,
    ).toBe(0)
    renameSync(work, `${work}-elsewhere`)

    const home = await machine(url, 'anvil', `hosts.clone=${clones}`, 'max_attempts=1')
    await using _supervisor = await supervised(home)
    await home.becomes(first, 'closed')
    const [clone] = readdirSync(clones)
    const folder = join(clones, clone ?? '', 'web')
    expect(readdirSync(clones)).toHaveLength(1)
    expect(readFileSync(join(folder, 'seen.txt'), 'utf8')).toBe(`one\n${folder}\n`)
    expect(home.runsOf(first)).toMatchObject([{ cwd: folder }])
    await home.becomes(broken, 'blocked')
    expect(home.fleet(['show', broken]).stdout).toMatch(/none could not be cloned: git ended with 128: fatal: /)

    run('rm', [join(folder, 'seen.txt')])
    push('two')
    expect(home.fleet(['config', 'set', 'hosts.name=forge']).code).toBe(0)
    await home.becomes(second, 'closed')
    expect(readFileSync(join(folder, 'seen.txt'), 'utf8')).toBe('two\n')
    expect(readdirSync(clones)).toHaveLength(1)
  })

  test('a supervisor stopped during a clone ends at once, leaves no partial clone, and reopens the task', async () => {
    const url = server.newUrl()
    const home = await machine(url, 'anvil')
    // A server that accepts the connection and never answers.
    const silent = createServer().listen(0, '127.0.0.1')
    const called = once(silent, 'connection')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const clones = join(temporaryFolder(), 'clones')
    const fleet = { cwd: join(home.project, 'gone'), coder: 'shell', remote: `git://127.0.0.1:${port}/shop.git` }
    const id = home.bd(['create', 'Cloned', '-d', 'true', '--silent']).stdout.trim()
    await server.query(`update ${schemaOf(url)}.task set metadata = '${JSON.stringify({ fleet })}' where id = '${id}'`)
    expect(home.fleet(['config', 'set', `hosts.clone=${clones}`]).code).toBe(0)
    const supervisor = await home.supervise()
    const [connection] = await called
    await eventually(() => hosts(home)[0]?.running[0]?.phase === 'preparing', 'the others see it being prepared')
    supervisor.kill('SIGTERM')
    expect(await supervisor.exited).toMatchObject({ code: 0 })
    expect([await home.status(id), readdirSync(clones)]).toEqual(['open', []])
    connection.destroy()
    silent.close()
  })

  test('a task in a worktree of a clone works there, from the branch that it is for', async () => {
    const url = server.newUrl()
    const maker = await machine(url, 'desk')
    const { work } = repository()
    const flags = ['--cwd', join(work, 'web'), '--isolation', 'worktree']
    const id = create(maker, 'cat page.txt >seen.txt; pwd >>seen.txt', ...flags)
    renameSync(work, `${work}-elsewhere`)
    const clones = join(temporaryFolder(), 'clones')
    const home = await machine(url, 'anvil', `hosts.clone=${clones}`, 'max_attempts=1')
    await using _supervisor = await supervised(home)
    await home.becomes(id, 'closed')
    const [clone = ''] = readdirSync(clones)
    const cwd = join(home.path, 'worktrees', id, 'web')
    expect(home.runsOf(id)).toMatchObject([{ cwd, project: join(clones, clone, 'web') }])
    // It has landed in the clone, whose branch it was for.
    expect(readFileSync(join(clones, clone, 'web', 'seen.txt'), 'utf8')).toBe(`one\n${cwd}\n`)
  })

  function repository() {
    const folder = temporaryFolder()
    const [remote, work] = [join(folder, 'shop.git'), join(folder, 'work')]
    const git = (cwd: string, ...argv: string[]) => {
      const as = ['-c', 'user.name=t', '-c', 'user.email=t@localhost']
      expect(run('git', [...as, ...argv], { cwd })).toMatchObject({ code: 0 })
    }
    git(folder, 'init', '-q', '--bare', '-b', 'main', remote)
    git(folder, 'clone', '-q', remote, work)
    mkdirSync(join(work, 'web'))
    const push = (text: string) => {
      const at = existsSync(work) ? work : `${work}-elsewhere`
      writeFileSync(join(at, 'web', 'page.txt'), `${text}\n`)
      git(at, 'add', '.')
      git(at, 'commit', '-q', '-m', text)
      git(at, 'push', '-q', 'origin', 'HEAD:main')
    }
    push('one')
    return { remote, work, push }
  }
})

test('`fleet hosts` says when a queue is not shared; a task for another machine waits there too', async () => {
  const home = await fleetHome(['hosts.name=anvil'])
  expect(home.fleet(['hosts'])).toEqual({
    code: 0,
    stdout: 'The queue of this home is not shared with other machines, and no supervisor is running here.\n',
    stderr: '',
  })
  const made = home.bd(['create', 'Elsewhere', '--coder', 'shell', '-d', 'true', '--on', 'forge'])
  const id = /Created (\S+):/.exec(made.stdout)?.[1] ?? ''
  expect(made.stdout).toBe(`Created ${id}: Elsewhere  [cwd: ${home.project}, coder: shell, on: forge]\n`)
  expect(JSON.parse(readFileSync(join(home.path, 'tasks', id, 'task.json'), 'utf8'))).toMatchObject({ on: 'forge' })
  await using _supervisor = await supervised(home)
  // With a machine named, the path need not exist here; without one, it must.
  const there = ['create', 'There', '--coder', 'shell', '-d', 'true', '--cwd', '/srv/of/forge']
  expect(home.bd([...there, '--on', 'forge'])).toMatchObject({ code: 0, stderr: '' })
  expect(home.bd(there)).toMatchObject({ code: 1, stderr: expect.stringContaining('/srv/of/forge does not exist') })
  const here = /Created (\S+):/.exec(home.bd(['create', 'Here', '-d', 'true', '--on', 'anvil']).stdout)?.[1] ?? ''
  await home.becomes(here, 'closed')
  expect(home.fleet(['show', id]).stdout).toContain(
    'not running:  it waits for machine forge, which was never online (fleet hosts)\n',
  )
  expect(JSON.parse(home.fleet(['show', id, '--json']).stdout).fleet).toMatchObject({
    on: 'forge',
    waiting: { kind: 'machine', on: 'forge', seen: null },
  })
  expect(home.fleet(['hosts']).stdout).toMatch(
    /^This machine \(its queue is not shared with others\)\nName\tState\tAgents\tUp\tLabels\tVersion\tHost\nanvil \(this one\)\tonline\t0\/3\t/,
  )
  expect(home.bd(['update', id, '--on', ''])).toMatchObject({ code: 0 })
  await home.becomes(id, 'closed')
  expect(run(process.execPath, [FLEET, 'hosts', 'x'], { env: { FLEET_HOME: home.path } })).toMatchObject({ code: 2 })
})

/** Stopped at the end of the test, so that the server can stop too. */
async function supervised(home: FleetHome) {
  const supervisor = await home.supervise()
  return {
    async [Symbol.asyncDispose]() {
      supervisor.kill('SIGTERM')
      await supervisor.exited
    },
  }
}
