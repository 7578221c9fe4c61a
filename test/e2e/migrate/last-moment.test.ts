import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { FLEET, scrubbed, temporaryFolder } from '../../support/cli.ts'
import { fileBd } from '../../support/file-bd.ts'
import { eventually } from '../../support/home-run.ts'
import { describeWithPostgres, type TestServer } from '../../support/postgres.ts'
import { filledHome, type MovingHome, movingHome } from './tasks.ts'

/** Between a migration's last comparison and the home's switch to the new queue. */

interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>
}

function start(home: MovingHome, argv: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
  const child = spawn(process.execPath, [FLEET, ...argv], {
    cwd: home.project,
    env: { ...scrubbed(), ...env, FLEET_HOME: home.path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { child, ended: ended.then(([stdout, stderr, [code]]) => ({ code, stdout, stderr })) }
}

/** Waits until the command has opened the queue lock, or has ended. */
const atTheLock = ({ child }: Started) =>
  eventually(() => child.exitCode !== null || hasOpen(child, 'queue-lock.db'), 'a command comes to the lock')

function hasOpen({ pid }: ChildProcess, name: string): boolean {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).some((fd) => {
    try {
      return readlinkSync(join(folder, fd)).endsWith(name)
    } catch {
      return false
    }
  })
}

const configured = (home: MovingHome) =>
  /^queue = "(.*)"$/m.exec(readFileSync(join(home.path, 'runtime.toml'), 'utf8'))?.[1]

/** A queue whose commits wait, so that everything is written and compared but not committed. */
async function slowToCommit(server: TestServer) {
  const url = server.newUrl()
  const schema = new URL(url).searchParams.get('schema')
  const there = movingHome({}, ['--queue', url])
  await server.query(`create table ${schema}.step (name text)`)
  await server.query(`create function ${schema}.held() returns trigger language plpgsql as $$ begin
    while not exists (select from ${schema}.step) loop perform pg_sleep(0.05); end loop; return null; end $$`)
  await server.query(`create constraint trigger held after insert on ${schema}.history
    deferrable initially deferred for each row execute function ${schema}.held()`)
  const waiting = `select 1 from pg_stat_activity where wait_event = 'PgSleep' limit 1`
  return {
    url,
    there,
    reached: () => eventually(async () => (await server.query(waiting)).length === 1, 'the move is about to commit'),
    goOn: () => server.query(`insert into ${schema}.step values ('go on')`),
    committed: () =>
      eventually(async () => (await server.query(`select 1 from ${schema}.task`)).length > 0, 'it is committed'),
  }
}

describeWithPostgres('when all is written and compared', (server) => {
  test('a command that writes waits for the end of the migration, and writes to the new queue', async () => {
    const home = filledHome()
    const slow = await slowToCommit(server)
    const moving = start(home, ['queue', 'migrate', '--to', slow.url])
    await slow.reached()
    const writing = start(home, ['bd', 'create', 'at the last moment'])
    await atTheLock(writing)
    await slow.goOn()
    // A step that takes long is announced, and this one was held up.
    expect(await moving.ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/^(writing to .* \.\.\.\n)?$/) })
    expect(await writing.ended).toMatchObject({ code: 0, stderr: '' })
    expect(slow.there.said('bd', 'list')).toContain('at the last moment')
  })

  test('a migration that is killed before the home switches can be finished, whatever others did since', async () => {
    const home = filledHome()
    const slow = await slowToCommit(server)
    const moving = start(home, ['queue', 'migrate', '--to', slow.url])
    await slow.reached()
    moving.child.kill('SIGKILL')
    await moving.ended
    await slow.goOn()
    await slow.committed()
    expect(configured(home)).toBe('local')
    for (const argv of [
      ['run', '--once'],
      ['bd', 'create', 'too early'],
    ]) {
      const refused = home.fleet(argv)
      expect([argv, refused.stdout]).toEqual([argv, ''])
      expect(refused.stderr).toContain('was interrupted while it committed: they may already be there')
    }
    slow.there.said('bd', 'close', 'fleet-hhh', '--reason', 'by another machine')
    expect(home.said('queue', 'migrate', '--to', slow.url)).toMatch(/^Moved 9 tasks/)
    expect(configured(home)).toBe(slow.url)
    expect(home.said('show', 'fleet-hhh')).toMatch(/status: +closed/)
  })
})

test('out of bd: the migration waits for a running bd command and takes its write along', async () => {
  const signs = temporaryFolder()
  const bd = fileBd()
  const home = movingHome(bd.env)
  home.said('bd', 'create', 'the first')
  home.said('queue', 'migrate', '--to', 'beads')
  const line = JSON.stringify({
    ...JSON.parse(readFileSync(join(home.path, '.beads/tasks.jsonl'), 'utf8')),
    id: 'fleet-zzz',
  })
  bd.first(`[ $verb = create ] && {
    touch ${signs}/begun; while ! [ -e ${signs}/go ]; do sleep 0.05; done
    mkdir -p "$BEADS_DIR"; echo '${line}' >>"$BEADS_DIR/tasks.jsonl"; echo '{"data":${line}}'; exit 0; }`)
  const writing = start(home, ['bd', 'create', 'late'], bd.env)
  await eventually(() => existsSync(join(signs, 'begun')), 'bd was asked')
  const moving = start(home, ['queue', 'migrate', '--to', 'local'], bd.env)
  await atTheLock(moving)
  writeFileSync(join(signs, 'go'), '')
  expect(await writing.ended).toMatchObject({ code: 0 })
  const refused = await moving.ended
  expect(refused).toMatchObject({ code: 5, stdout: '' })
  expect(refused.stderr).toContain('changed during the migration\n  nothing was moved; run it again\n')
  expect(home.said('queue', 'migrate', '--to', 'local')).toMatch(/^Moved 2 tasks/)
})
