import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FLEET, runBeside, temporaryFolder, testHome } from '../../support/cli.ts'
import { fileBd } from '../../support/file-bd.ts'
import { eventually, withSupervisor } from '../../support/home-run.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { bd, quickBd, realBd, withRealBd } from '../../support/real-bd.ts'
import { exported, filledHome, type MovingHome, movingHome } from './tasks.ts'

const migrate = (home: MovingHome, to: string, ...more: string[]) =>
  home.fleet(['queue', 'migrate', '--to', to, ...more])
const queueLine = (path: string) => /^queue = "(.*)"$/m.exec(readFileSync(join(path, 'runtime.toml'), 'utf8'))?.[1]

describeWithPostgres('a migration is refused and changes nothing', (server) => {
  test('while a supervisor runs, or a run of an earlier one has not ended', async () => {
    const home = await withSupervisor(testHome())
    const url = server.newUrl()
    const id = await home.script('touch begun; exec sleep 600')
    const supervisor = await home.supervise()
    await home.becomes(id, 'in_progress')
    expect(home.fleet(['queue', 'migrate', '--to', url])).toEqual({
      code: 5,
      stdout: '',
      stderr: `fleet: a supervisor is running on ${home.path} (pid ${supervisor.pid})\n  nothing was changed; stop it with fleet run stop, then migrate\n`,
    })
    supervisor.kill('SIGKILL')
    await supervisor.exited
    expect(home.fleet(['queue', 'migrate', '--to', url])).toEqual({
      code: 5,
      stdout: '',
      stderr: `fleet: ${id} has a run that has not ended\n  nothing was changed; let it finish with fleet run --once, or stop it with fleet kill --all\n`,
    })
    expect(home.fleet(['kill', '--all']).code).toBe(0)
    // On a busy machine it also says what takes longer than a second.
    expect(home.fleet(['queue', 'migrate', '--to', url])).toMatchObject({ code: 0 })
    expect(home.fleet(['show', id]).stdout).toContain('blocked')
  })

  test('if the target has other tasks', () => {
    const url = server.newUrl()
    const other = movingHome({}, ['--queue', url])
    other.said('bd', 'create', 'of somebody else')
    const home = filledHome()
    const before = exported(home)
    const refused = migrate(home, url)
    expect(refused).toMatchObject({ code: 5, stdout: '' })
    expect(refused.stderr).toMatch(/already has 1 task\n {2}nothing was changed; .* name another schema/)
    expect([queueLine(home.path), exported(home)]).toEqual(['local', before])
    expect(JSON.parse(other.said('bd', 'count', '--json')).count).toBe(1)
  })

  test('while the supervisor of another machine uses the queue, idle or busy', async () => {
    const url = server.newUrl()
    const home = movingHome({}, ['--queue', url])
    const other = await withSupervisor(testHome(temporaryFolder(), ['--queue', url]))
    const supervisor = await other.supervise()
    const schema = new URL(url).searchParams.get('schema')
    await eventually(
      async () => (await server.query(`select 1 from ${schema}.host`)).length === 1,
      'the other machine is online',
    )
    const idle = migrate(home, 'local')
    expect(idle).toMatchObject({ code: 5, stdout: '' })
    expect(idle.stderr).toMatch(/^fleet: the supervisor of \S+ works on the tasks in postgres:.*\n {2}.*fleet run stop/)
    const id = await other.script('touch begun; exec sleep 600')
    await other.becomes(id, 'in_progress')
    const refused = migrate(home, 'local')
    expect(refused).toMatchObject({ code: 5, stdout: '' })
    expect(refused.stderr).toMatch(new RegExp(`^fleet: ${id} is being worked on by fleet-\\w{6}@`))
    supervisor.kill('SIGTERM')
    await supervisor.exited
    expect(migrate(home, 'local')).toMatchObject({ code: 0 })
  })

  test('if the server cannot be reached, dies during the migration, or cannot write', async () => {
    const home = filledHome()
    const before = exported(home)
    const url = server.newUrl()
    // The server drops the connection when the history arrives, which comes last.
    const schema = new URL(url).searchParams.get('schema')
    const made = movingHome({}, ['--queue', url])
    await server.query(`create function ${schema}.no() returns trigger language plpgsql as $$ begin
      perform pg_terminate_backend(pg_backend_pid()); return null; end $$`)
    await server.query(`create trigger no before insert on ${schema}.history execute function ${schema}.no()`)
    const cut = migrate(home, url)
    expect(cut).toMatchObject({ code: 7, stdout: '', stderr: expect.stringContaining('cannot be reached') })
    expect([queueLine(home.path), exported(home)]).toEqual(['local', before])
    expect(JSON.parse(made.said('bd', 'count', '--json')).count).toBe(0)
    await server.query(`drop trigger no on ${schema}.history`)
    // Reading back finds rows that the server stored differently.
    await server.query(`create function ${schema}.other() returns trigger language plpgsql as $$ begin
      new.text := 'something else'; return new; end $$`)
    await server.query(
      `create trigger other before insert on ${schema}.comment for each row execute function ${schema}.other()`,
    )
    const altered = migrate(home, url)
    expect(altered).toMatchObject({ code: 7, stdout: '' })
    expect(altered.stderr).toContain('does not hold what was written to it: fleet-aaa (comments), fleet-bbb (comments)')
    expect([queueLine(home.path), exported(home)]).toEqual(['local', before])
    expect(JSON.parse(made.said('bd', 'count', '--json')).count).toBe(0)
    await server.query(`drop trigger other on ${schema}.comment`)
    await server.stop()
    expect(migrate(home, url)).toMatchObject({ code: 7, stdout: '' })
    expect([queueLine(home.path), exported(home)]).toEqual(['local', before])
    await server.start()
    expect(migrate(home, url)).toMatchObject({ code: 0 })
    expect(exported(home)).toEqual(before)
  })

  test('if another command writes to the old queue meanwhile: the write stays there', async () => {
    const home = filledHome()
    const url = server.newUrl()
    const schema = new URL(url).searchParams.get('schema')
    const made = movingHome({}, ['--queue', url])
    await server.query(`create table ${schema}.step (name text)`)
    await server.query(`create function ${schema}.held() returns trigger language plpgsql as $$ begin
      while not exists (select from ${schema}.step) loop perform pg_sleep(0.05); end loop; return null; end $$`)
    await server.query(`create trigger held before insert on ${schema}.history execute function ${schema}.held()`)
    const moving = runBeside(process.execPath, [FLEET, 'queue', 'migrate', '--to', url], {
      env: { FLEET_HOME: home.path },
    })
    const waiting = `select 1 from pg_stat_activity where wait_event = 'PgSleep' limit 1`
    await eventually(async () => (await server.query(waiting)).length === 1, 'the move is under way')
    expect(home.fleet(['run', '--once'])).toMatchObject({ code: 5, stdout: '' })
    home.said('bd', 'create', 'meanwhile')
    await server.query(`insert into ${schema}.step values ('go on')`)
    const refused = await moving
    expect(refused).toMatchObject({ code: 5, stdout: '' })
    expect(refused.stderr).toContain('changed during the migration\n  nothing was moved; run it again\n')
    expect(queueLine(home.path)).toBe('local')
    expect(home.said('bd', 'list', '--json')).toContain('meanwhile')
    expect(JSON.parse(made.said('bd', 'count', '--json')).count).toBe(0)
    expect(migrate(home, url)).toMatchObject({ code: 0 })
    expect(home.said('bd', 'list', '--json')).toContain('meanwhile')
  })

  test('on wrong usage', () => {
    const home = movingHome()
    expect(home.fleet(['queue'])).toMatchObject({ code: 2 })
    expect(home.fleet(['queue', 'migrate'])).toMatchObject({ code: 2 })
    expect(migrate(home, 'mysql://x')).toMatchObject({ code: 2, stdout: '' })
  })
})

test('a bd that fails at any step leaves the home on its old queue, and a retry works', () => {
  const bd = fileBd()
  const home = filledHome(bd.env)
  const before = exported(home)
  const nothingMoved = () => {
    expect([queueLine(home.path), exported(home)]).toEqual(['local', before])
    expect(existsSync(join(home.path, '.beads'))).toBe(false)
  }
  for (const verb of ['version', 'init', 'import', 'export']) {
    bd.first(`[ $verb = ${verb} ] && { echo "Error: no luck" >&2; exit 1; }`)
    expect([verb, migrate(home, 'beads')]).toEqual([verb, expect.objectContaining({ code: 7, stdout: '' })])
    nothingMoved()
  }
  // The migration is killed when everything is written and about to be compared.
  bd.first('[ $verb = export ] && { kill -9 $PPID; exit 1; }')
  expect(migrate(home, 'beads')).toMatchObject({ code: null, stdout: '' })
  nothingMoved()
  // An import that silently loses one task.
  bd.first(`[ $verb = import ] && { sed '$d' >"$BEADS_DIR/tasks.jsonl"; exit 0; }`)
  const lost = migrate(home, 'beads')
  expect(lost).toMatchObject({ code: 7, stdout: '' })
  expect(lost.stderr).toContain('(missing)')
  nothingMoved()
  bd.first('')
  expect(migrate(home, 'beads')).toMatchObject({ code: 0 })
})

test('a missing bd database is reported, nothing is written, and a migration continues with what fleet last saw', () => {
  const home = movingHome(fileBd().env)
  const beads = join(home.path, '.beads')
  const id = home.said('bd', 'create', 'Of bd', '--silent').trim()
  home.said('queue', 'migrate', '--to', 'beads')
  home.said('ready')
  renameSync(beads, `${beads}.lost`)
  for (const argv of [['ready'], ['run', '--once'], ['show', id], ['init', '--force']]) {
    const ran = home.fleet(argv)
    expect([argv, ran.code, ran.stdout]).toEqual([argv, 7, ''])
    expect(ran.stderr).toContain(`${beads} is gone, bd's database with the tasks of this home`)
    expect(ran.stderr).toContain('fleet queue migrate --to local')
  }
  for (const argv of [['list'], ['create', 'lost at once']]) {
    expect([argv, home.fleet(['bd', ...argv])]).toEqual([argv, expect.objectContaining({ code: 1, stdout: '' })])
  }
  expect(existsSync(beads)).toBe(false)
  expect(home.fleet(['doctor']).stdout).toMatch(/fail +queue +.*\.beads is gone/)

  expect(home.said('queue', 'migrate', '--to', 'beads')).toMatch(/^Moved 1 task \(1 open\)/)
  expect(JSON.parse(readFileSync(join(beads, 'tasks.jsonl'), 'utf8'))).toMatchObject({ id, title: 'Of bd' })
  expect(home.said('ready')).toBe(`${id}  Of bd  [${home.project}]\n`)
  rmSync(beads, { recursive: true })

  const moved = home.said('queue', 'migrate', '--to', 'local')
  expect(moved).toContain('stays behind: whatever was written to')
  expect(home.said('ready')).toBe(`${id}  Of bd  [${home.project}]\n`)
  expect(queueLine(home.path)).toBe('local')
})

describe.skipIf(realBd === '')('out of bd', { timeout: 240_000 }, () => {
  test('where bd and the mirror differ bd wins, and a closed task keeps no supervisor', () => {
    const home = movingHome(withRealBd(quickBd()), ['--queue', 'beads'])
    const id = home.said('bd', 'create', 'Do it', '--coder', 'shell', '-d', 'true', '--silent').trim()
    expect(home.fleet(['run', '--once']).code).toBe(0)
    const open = home.said('bd', 'create', 'Later', '--silent').trim()
    bd(join(home.path, '.beads'), ['update', open, '--title', 'Behind its back'])
    expect(migrate(home, 'local')).toMatchObject({ code: 0 })
    const tasks = JSON.parse(home.said('bd', 'list', '--all', '--sort', 'title', '--json'))
    expect(tasks).toMatchObject([
      { id: open, title: 'Behind its back', status: 'open' },
      { id, title: 'Do it', status: 'closed' },
    ])
    expect(tasks.map((task: { assignee?: string }) => task.assignee)).toEqual([undefined, undefined])
    expect(readdirSync(home.path).filter((name) => name.startsWith('.beads-'))).toHaveLength(1)
  })
})
