import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder, testHome } from '../../support/cli.ts'
import { endProcess, eventually, type FleetHome, type Supervised, withSupervisor } from '../../support/home-run.ts'
import { describeWithPostgres, type TestServer } from '../../support/postgres.ts'
import { Wire } from '../../support/proxy.ts'

const LEASE_S = 16
const SHORT = [`timeouts.lease=${LEASE_S}s`, 'timeouts.grace=1s']
/** Writes a heartbeat every tenth of a second, and ignores SIGTERM. */
const DEAF = `trap '' TERM; echo "$FLEET_HOME" >>starts; while [ ! -e go ]; do date +%s%3N >"beat-$FLEET_RUN_ID"; sleep 0.1; done`

/** Two homes on one queue, one of them over a connection that the test can cut. */
async function twoHomes(server: TestServer, wire: Wire) {
  const url = server.newUrl()
  const beside = await withSupervisor(testHome(temporaryFolder(), ['--queue', url]), SHORT)
  // The wire runs in this process, so a command that blocks this process must not use it.
  const behind = url.replace(`:${server.port}/`, `:${wire.port}/`)
  const home = await withSupervisor(testHome(temporaryFolder(), ['--queue', url]), [...SHORT, `queue=${behind}`])
  const supervisor = await home.supervise()
  const id = await beside.script(DEAF, { cwd: home.project })
  await eventually(() => home.lines('starts').length === 1, 'it runs')
  return { url, home, beside, id, supervisor }
}

/** Kills the supervisor and its agents, as a power failure does. */
async function dies(home: FleetHome, { kill, exited }: Supervised): Promise<void> {
  kill('SIGKILL')
  await exited
  for (const pid of home.agents()) endProcess(pid)
  await home.expectNoAgents()
}

async function leaseEnd(server: TestServer, url: string, id: string): Promise<number> {
  const schema = new URL(url).searchParams.get('schema')
  const [row] = await server.query(`select lease_until from ${schema}.task where id = '${id}'`)
  return Number(row?.['lease_until'])
}

function lastBeat(home: FleetHome, run: string | undefined): number {
  return Number(readFileSync(join(home.project, `beat-${run}`), 'utf8'))
}

describeWithPostgres('a supervisor that is cut off from the queue it shares', (server) => {
  for (const fault of ['silence', 'cut'] as const) {
    test(`(${fault}) stops its agents before their leases expire; another machine continues the task, and the first settles nothing`, async () => {
      await using wire = await Wire.to(server.port)
      const { url, home, beside, id, supervisor } = await twoHomes(server, wire)
      wire[fault]()
      const other = await beside.supervise()
      await home.expectNoAgents()
      const until = await leaseEnd(server, url, id)
      const [first] = home.runsOf(id)
      expect(lastBeat(home, first?.id)).toBeLessThan(until - 1000)
      await eventually(() => home.lines('starts').length === 2, 'it runs elsewhere')
      expect(home.lines('starts')).toEqual([home.path, beside.path])
      expect(Date.now()).toBeGreaterThan(until)
      wire.mend()
      await eventually(() => home.openRuns() === 0, 'the first supervisor has noticed that it lost the task')
      expect(home.runsOf(id)).toMatchObject([{ phase: 'settled', outcome: { code: 'cut-off' } }])
      expect(home.stateOf(id)).toMatchObject({ failures: 0 })
      expect(home.log().filter(({ event }) => event === 'run-ended')).toMatchObject([
        { outcome: 'cut-off', ours: false },
      ])
      expect(await beside.status(id)).toBe('in_progress')
      home.touch('go')
      await beside.becomes(id, 'closed')
      expect(beside.runsOf(id)).toMatchObject([{ outcome: { code: 'done' } }])
      // Both machines work again, so either may run the next tasks.
      const next = await beside.scripts(['echo next >>ends', 'echo next >>ends'], { cwd: home.project })
      for (const each of next) await beside.becomes(each, 'closed')
      expect(home.lines('ends')).toEqual(['next', 'next'])
      for (const each of [supervisor, other]) {
        each.kill('SIGTERM')
        expect(await each.exited).toEqual({ code: 0, signal: null })
      }
    })
  }

  test('only briefly keeps its agents, and settles the runs that ended meanwhile', async () => {
    await using wire = await Wire.to(server.port)
    const { home, id, supervisor } = await twoHomes(server, wire)
    wire.cut()
    await home.logged('work-failed')
    home.touch('go')
    await home.expectNoAgents()
    wire.mend()
    await home.becomes(id, 'closed')
    expect(home.runsOf(id)).toMatchObject([{ outcome: { code: 'done' } }])
    const next = await home.script('echo next >>ends')
    await home.becomes(next, 'closed')
    expect(home.lines('starts')).toEqual([home.path])
    supervisor.kill('SIGTERM')
    expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  })

  test('just as a claim is granted releases it after reconnecting and claims again, without waiting for the lease', async () => {
    await using wire = await Wire.to(server.port)
    const url = server.newUrl()
    const behind = url.replace(`:${server.port}/`, `:${wire.port}/`)
    const config = [`queue=${behind}`, 'timeouts.lease=10m']
    const home = await withSupervisor(testHome(temporaryFolder(), ['--queue', url]), config)
    const supervisor = await home.supervise()
    wire.tearAfter(/update task set status = 'in_progress'/)
    const id = await home.script('echo start >>starts')
    await home.becomes(id, 'closed')
    expect(home.log()).toContainEqual(expect.objectContaining({ event: 'orphaned-claim-released', task: id }))
    expect(home.lines('starts')).toEqual(['start'])
    supervisor.kill('SIGTERM')
    expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  })

  test('for nearly a whole lease, with no other machine, reopens the task after reconnecting and runs it again', async () => {
    await using wire = await Wire.to(server.port)
    const { home, id, supervisor } = await twoHomes(server, wire)
    wire.cut()
    await home.expectNoAgents()
    wire.mend()
    await eventually(() => home.lines('starts').length === 2, 'it runs again')
    home.touch('go')
    await home.becomes(id, 'closed')
    expect(home.runsOf(id)).toMatchObject([{ outcome: { code: 'cut-off' } }, { outcome: { code: 'done' } }])
    expect(home.stateOf(id)).toMatchObject({ failures: 0 })
    supervisor.kill('SIGTERM')
    expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  })
})

describeWithPostgres('a machine that dies', (server) => {
  test('loses its leases, and other machines continue its tasks; after its return it settles none of them', async () => {
    await using wire = await Wire.to(server.port)
    const { url, home, beside, id, supervisor } = await twoHomes(server, wire)
    const until = await leaseEnd(server, url, id)
    await dies(home, supervisor)
    const other = await beside.supervise()
    await eventually(() => home.lines('starts').length === 2, 'it runs elsewhere')
    expect(Date.now()).toBeGreaterThan(until)
    const back = await home.supervise()
    await eventually(() => home.openRuns() === 0, 'the first supervisor has noticed that it lost the task')
    expect(home.log().filter(({ event }) => event === 'run-ended')).toMatchObject([{ ours: false }])
    expect(await beside.status(id)).toBe('in_progress')
    home.touch('go')
    await beside.becomes(id, 'closed')
    expect(home.lines('starts')).toEqual([home.path, beside.path])
    expect(beside.runsOf(id)).toMatchObject([{ outcome: { code: 'done' } }])
    for (const each of [other, back]) {
      each.kill('SIGTERM')
      expect(await each.exited).toEqual({ code: 0, signal: null })
    }
  })
})
