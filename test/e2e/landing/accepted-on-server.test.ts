import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { Receipt } from '../../../src/domain/run/receipt.ts'
import { stubAs, stubBlock } from '../../stub-agent/stub-as.ts'
import { FLEET, type Ran, scrubbed, temporaryFolder, testHome } from '../../support/cli.ts'
import { eventually, type FleetHome, withSupervisor } from '../../support/home-run.ts'
import { inLedger } from '../../support/ledger.ts'
import { describeWithPostgres, type TestServer } from '../../support/postgres.ts'
import { Wire } from '../../support/proxy.ts'
import { claims, init, result, writes } from '../../support/supervisor.ts'

/** Accepted work whose queue is on a server: the ledger of the home cannot be written in the same transaction. */
describeWithPostgres('work that a person accepts', (server) => {
  test('lands, whatever happens between the queue and the ledger', async () => {
    const place = await worktreesOn(server)
    const { home, accept, wire } = place
    const ids = await home.scripts(['echo a >a.txt', 'echo b >b.txt', 'echo c >c.txt'], { cwd: place.repository })
    const [slow, killed, torn] = ids as [string, string, string]
    const supervisor = await home.supervise()
    for (const id of ids) await home.becomes(id, 'blocked')
    const landingOf = (id: string) => inLedger(home, ({ landings }) => landings.of(id)?.state)

    // The supervisor looks at the landing while the queue keeps the command waiting.
    const lock = await place.holds(slow)
    const accepted = accept(slow)
    await eventually(() => {
      const state = landingOf(slow)
      return state?.at === 'accepting' && state.waits !== undefined
    }, 'the supervisor has looked at it')
    const [run] = home.runsOf(slow)
    if (run === undefined) throw new Error('it has no run')
    inLedger(home, (ledger) => {
      const receipt = ledger.recordsOf(run.id).receipt as Receipt
      ledger.amendReceipt(run.id, { ...receipt, warnings: ['a late one'] })
    })
    await lock.end()
    expect(await accepted.ended).toEqual({ code: 0, stdout: landsLater(slow), stderr: '' })
    await home.becomes(slow, 'closed')
    expect(inLedger(home, (ledger) => ledger.recordsOf(run.id).receipt)).toMatchObject({
      level: 'reviewed',
      review: { decision: 'accepted' },
      warnings: ['a late one'],
    })

    supervisor.kill('SIGTERM')
    await supervisor.exited
    // Killed when the server has carried it out.
    wire.muteAfter(/update task set status = 'blocked'/, /; commit/)
    const mute = accept(killed)
    await eventually(async () => (await home.task(killed))?.labels.includes('needs-landing') === true, 'it is accepted')
    mute.kill()
    expect((await mute.ended).stdout).toBe('')
    expect(landingOf(killed)).toMatchObject({ at: 'accepting' })
    // The connection breaks at the same moment.
    wire.tearAfter(/update task set status = 'blocked'/, /; commit/)
    expect(await accept(torn).ended).toEqual({ code: 0, stdout: landsLater(torn), stderr: '' })

    const next = await home.supervise()
    for (const id of [killed, torn]) await home.becomes(id, 'closed')
    expect(place.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(['a.txt', 'b.txt', 'c.txt', 'kept.txt'])
    for (const id of ids) {
      const [last] = home.runsOf(id)
      expect(inLedger(home, (ledger) => ledger.recordsOf(last?.id ?? '').receipt?.level)).toBe('reviewed')
    }
    next.kill('SIGTERM')
    await next.exited
  })

  test('goes back to its agent with the reason if it conflicts', async () => {
    const { home, repository, git, accept } = await worktreesOn(server)
    const stub = stubAs('claude')
    const steps = [
      [init, writes('kept.txt', 'mine\n'), claims('made it'), result()],
      [init, claims('looked at it'), result()],
    ]
    const flags = ['--silent', '--coder', 'claude', '--cwd', repository, '-d', stubBlock(steps)]
    const id = (await home.beside(['bd', 'create', 'Change it', ...flags])).stdout.trim()
    const supervisor = await home.supervise({ env: { PATH: stub.path } })
    await home.becomes(id, 'blocked')
    writeFileSync(join(repository, 'kept.txt'), 'theirs\n')
    git('commit', '-qam', 'Theirs')
    expect((await accept(id).ended).code).toBe(0)
    await eventually(() => home.runsOf(id)[1]?.phase === 'settled', 'its second attempt has ended')
    const prompt = readFileSync(join(home.path, 'tasks', id, 'attempts', '2', 'prompt.md'), 'utf8')
    expect(prompt).toContain('its work passed, but conflicts with what is on main by now: "kept.txt"')
    supervisor.kill('SIGTERM')
    await supervisor.exited
  })
})

const landsLater = (id: string): string =>
  `Accepted. ${id} is closed when its work has landed (fleet land says how it stands).\n`

async function worktreesOn(server: TestServer) {
  const wire = await Wire.to(server.port)
  onTestFinished(() => wire[Symbol.asyncDispose]())
  const base = temporaryFolder()
  const url = server.newUrl()
  const behind = url.replace(`:${server.port}/`, `:${wire.port}/`)
  const config = [`queue=${behind}`, 'close_at=reviewed', 'isolation=worktree']
  const home: FleetHome = await withSupervisor(testHome(base, ['--queue', url]), config)
  const repository = join(base, 'shop')
  mkdirSync(repository)
  const git = (...argv: readonly string[]): string =>
    execFileSync('git', argv, { cwd: repository, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'anna')
  git('config', 'user.email', 'anna@example.org')
  writeFileSync(join(repository, 'kept.txt'), 'kept\n')
  git('add', '.')
  git('commit', '-qm', 'First')
  return {
    ...{ home, wire, repository, git },
    /** Keeps every writer of the task waiting until the connection ends. */
    async holds(id: string): Promise<pg.Client> {
      const schema = new URL(url).searchParams.get('schema')
      const client = new pg.Client({ connectionString: url.replace(/schema=[^&]*&/, '') })
      await client.connect()
      await client.query('begin')
      await client.query(`select 1 from ${schema}.task where id = $1 for update`, [id])
      return client
    },
    accept(id: string): { readonly ended: Promise<Ran>; kill(): void } {
      const child = spawn(process.execPath, [FLEET, 'review', id, '--accept'], {
        env: { ...scrubbed(), FLEET_HOME: home.path },
      })
      const said = { stdout: '', stderr: '' }
      for (const name of ['stdout', 'stderr'] as const) {
        child[name].setEncoding('utf8').on('data', (text: string) => {
          said[name] += text
        })
      }
      const ended = once(child, 'close').then(([code]) => ({ code: code as number, ...said }))
      return { ended, kill: () => void child.kill('SIGKILL') }
    },
  }
}
