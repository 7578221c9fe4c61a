import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FLEET, run, temporaryFolder, testHome } from '../support/cli.ts'
import { withSupervisor } from '../support/home-run.ts'
import { describeWithPostgres, GUARDED } from '../support/postgres.ts'

describeWithPostgres('a queue in PostgreSQL', (server) => {
  test('is created by init; its tasks run to the end, and the home keeps the evidence', async () => {
    const url = server.newUrl()
    const folder = temporaryFolder()
    const home = testHome(folder, ['--queue', url])
    const location = `postgres://fleet@127.0.0.1:${server.port}/postgres`
    expect(home.fleet(['init']).stdout).toContain(`queue: ${location} (as runtime.toml says)\n`)
    const config = join(home.path, 'runtime.toml')
    expect(readFileSync(config, 'utf8')).toContain(`\nqueue = "${url}"\n`)
    expect((statSync(config).mode & 0o777).toString(8)).toBe('600')

    const created = home.bd(['create', 'Write it', '--coder', 'shell', '-d', 'echo hello >hello.txt', '--json'])
    expect([created.code, created.stderr]).toEqual([0, ''])
    const { id } = JSON.parse(created.stdout).data
    const after = JSON.parse(home.bd(['create', 'After it', '-d', 'cat hello.txt', '--deps', id, '--json']).stdout).data
      .id
    expect(home.fleet(['ready']).stdout).toBe(`${id}  Write it  [${home.project}]\n`)
    expect(home.bd(['where']).stdout).toBe(`${location}\n  prefix: fleet\n  database: ${location}\n`)

    const ran = home.fleet(['run', '--once', '--coder', 'shell'])
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining(`✓ ${id}  Write it  done: exit 0`)])
    expect(readFileSync(join(home.project, 'hello.txt'), 'utf8')).toBe('hello\n')
    expect(JSON.parse(home.bd(['show', id, '--json']).stdout)).toMatchObject([{ id, status: 'closed' }])
    const shown = JSON.parse(home.fleet(['show', id, '--json']).stdout)
    expect(shown).toMatchObject({ data: [{ id, status: 'closed' }], fleet: { attempts: [{ attempt: 1 }] } })
    expect(JSON.parse(home.bd(['list', '--all', '--sort', 'title', '--json']).stdout)).toMatchObject([
      { id: after, status: 'closed' },
      { id, status: 'closed' },
    ])
    expect(home.fleet(['tasks', '--all']).stderr).toBe('')
    expect(home.fleet(['doctor']).stdout).toMatch(
      new RegExp(`queue +${location}: 2 tasks in schema t\\w+, PostgreSQL \\d`),
    )
  })

  test('is shared: the supervisor of one home at once runs a task created in another', async () => {
    const url = server.newUrl()
    const maker = testHome(temporaryFolder(), ['--queue', url])
    const home = await withSupervisor(testHome(temporaryFolder(), ['--queue', url]))
    await using supervisor = await supervised(home)
    const { id } = JSON.parse(
      maker.bd(['create', 'Elsewhere', '--coder', 'shell', '-d', 'touch seen', '--json']).stdout,
    ).data
    await home.becomes(id, 'closed')
    const [started] = home.runsOf(id)
    expect(started?.claimedBy).toMatch(/^fleet-[0-9a-z]{6}@/)
    expect(supervisor.output()).toContain(id)
  })

  test('a person who closes a running task from another home stops its run', async () => {
    const url = server.newUrl()
    const other = testHome(temporaryFolder(), ['--queue', url])
    const home = await withSupervisor(testHome(temporaryFolder(), ['--queue', url]))
    await using _supervisor = await supervised(home)
    const id = await home.script('touch begun; exec sleep 600')
    await home.becomes(id, 'in_progress')
    expect(other.bd(['close', id, '--force'])).toMatchObject({ code: 0 })
    await home.expectNoAgents()
    expect(await home.status(id)).toBe('closed')
  })

  test('a supervisor survives a restart of the server: its runs continue and are settled', async () => {
    const home = await withSupervisor(testHome(temporaryFolder(), ['--queue', server.newUrl()]))
    await using _supervisor = await supervised(home)
    const id = await home.script('touch begun; while [ ! -e go ]; do sleep 0.05; done; echo done >>done.txt')
    await home.becomes(id, 'in_progress')
    await server.stop()
    home.touch('go')
    await home.expectNoAgents()
    expect(home.fleet(['ready'])).toMatchObject({ code: 7, stdout: '' })
    await server.start()
    await home.becomes(id, 'closed')
    const next = await home.script('echo next >>done.txt')
    await home.becomes(next, 'closed')
    expect(home.lines('done.txt')).toEqual(['done', 'next'])
  })

  test('finds the password where libpq would, and never shows it', async () => {
    await server.query(`create role ${GUARDED} login password 's3cret'`)
    await server.query(`grant create on database postgres to ${GUARDED}`)
    const url = server.url('guarded_queue', { user: GUARDED })
    const init = (words: readonly string[], env: NodeJS.ProcessEnv = {}) => {
      const FLEET_HOME = join(temporaryFolder(), 'home')
      return run(process.execPath, [FLEET, 'init', ...words], { env: { FLEET_HOME, HOME: temporaryFolder(), ...env } })
    }
    const location = `postgres://${GUARDED}@127.0.0.1:${server.port}/postgres`
    expect(init(['--queue', url])).toEqual({
      code: 7,
      stdout: '',
      stderr: `fleet: ${location} asks for a password\n  give the password in PGPASSWORD or ~/.pgpass, and check the user and pg_hba.conf\n`,
    })
    const wrong = init(['--queue', url.replace('@', ':wr0ng@')])
    expect([wrong.code, wrong.stderr]).toEqual([7, expect.stringContaining('does not let this user in')])
    expect(wrong.stderr).not.toContain('wr0ng')
    const right = init(['--queue', url.replace('@', ':s3cret@')])
    expect([right.code, right.stdout]).toEqual([0, expect.stringContaining(`queue: ${location} (as asked)`)])
    expect(init(['--queue', url], { PGPASSWORD: 's3cret' })).toMatchObject({ code: 0, stderr: '' })
    const passwords = join(temporaryFolder(), 'pgpass')
    writeFileSync(passwords, `127.0.0.1:*:postgres:${GUARDED}:s3cret\n`, { mode: 0o600 })
    expect(init(['--queue', url], { PGPASSFILE: passwords })).toMatchObject({ code: 0, stderr: '' })
  })

  test('init does not move a home with another queue', () => {
    const home = testHome()
    const answer = home.fleet(['init', '--queue', server.newUrl().replace('@', ':s3cret@')])
    expect(answer).toEqual({
      code: 5,
      stdout: '',
      stderr: `fleet: ${join(home.path, 'runtime.toml')} says that the queue is local\n  nothing was changed; fleet queue migrate --to ... moves its tasks to another queue\n`,
    })
  })

  test('a server without a queue says how to create one', () => {
    const home = testHome()
    expect(home.fleet(['config', 'set', `queue=${server.url('nothing_here')}`]).code).toBe(0)
    expect(home.fleet(['ready'])).toEqual({
      code: 7,
      stdout: '',
      stderr: `fleet: postgres://fleet@127.0.0.1:${server.port}/postgres has no fleet queue in its schema nothing_here\n  fleet init --queue with the same URL makes one\n`,
    })
    expect(home.fleet(['doctor']).stdout).toContain('has no fleet queue')
    expect(home.fleet(['init']).code).toBe(0)
    expect(home.fleet(['ready']).stdout).toBe('Nothing is ready.\n')
  })
})

/** Stopped at the end of the test, so that the server can stop too. */
async function supervised(home: Awaited<ReturnType<typeof withSupervisor>>) {
  const supervisor = await home.supervise()
  return {
    ...supervisor,
    async [Symbol.asyncDispose]() {
      supervisor.kill('SIGTERM')
      await supervisor.exited
    },
  }
}
