import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { procTable } from '../../../src/platform/process/process-table-proc.ts'
import { AT_WORK, switchesOf } from '../../support/dead-man.ts'
import {
  eventually,
  type FleetHome,
  fleetHome,
  fleetHomeOn,
  launchersOf,
  type SuperviseOptions,
} from '../../support/home-run.ts'
import { describeWithPostgres, type TestServer } from '../../support/postgres.ts'
import { isExcepted } from '../../support/ps-exceptions.ts'

const LEASE = ['timeouts.lease=10s', 'timeouts.grace=1s']

async function homeOn(url: string, config: readonly string[] = []): Promise<FleetHome> {
  return await fleetHomeOn(url, [...LEASE, ...config])
}

function isProcess(pid: number): boolean {
  return procTable.entry(pid)?.alive === true
}

interface AtWorkOptions extends SuperviseOptions {
  readonly config?: readonly string[]
}

/** A home on a shared queue whose supervisor runs one task. */
async function atWork(server: TestServer, script = AT_WORK, { config, ...options }: AtWorkOptions = {}) {
  const url = server.newUrl()
  const home = await homeOn(url, config)
  const supervisor = await home.supervise(options)
  const id = await home.script(script)
  await eventually(() => home.lines('starts').length === 1, 'it runs')
  return { url, home, id, supervisor }
}

async function leaseEnd(server: TestServer, url: string, id: string): Promise<number> {
  const schema = new URL(url).searchParams.get('schema')
  const [row] = await server.query(`select lease_until from ${schema}.task where id = '${id}'`)
  return Number(row?.['lease_until'])
}

function lastBeat(home: FleetHome, run: string | undefined): number {
  return Number(readFileSync(join(home.project, `beat-${run}`), 'utf8'))
}

function receiptOf(home: FleetHome, id: string) {
  return JSON.parse(readFileSync(join(home.path, 'tasks', id, 'attempts/1/receipt.json'), 'utf8'))
}

async function noSwitches(...homes: readonly FleetHome[]): Promise<void> {
  await eventually(() => homes.every(({ path }) => switchesOf(path).length === 0), 'no switch is left')
}

/** On SIGUSR2 the supervisor hangs in a loop for good. */
const HANG = join(import.meta.dirname, '../../support/hang-on-signal.cjs')

const ENDED = /the dead man's switch ended it/

interface Fault {
  readonly name: string
  harm(supervisor: number): void
  /** Absent: it does not come back, and the next supervisor settles. */
  heal?(supervisor: number): void
}

const FAULTS: readonly Fault[] = [
  { name: 'killed', harm: (pid) => process.kill(pid, 'SIGKILL') },
  { name: 'stopped', harm: (pid) => process.kill(pid, 'SIGSTOP'), heal: (pid) => process.kill(pid, 'SIGCONT') },
  {
    name: 'stopped with its launcher',
    harm: (pid) => [...launchersOf(pid), pid].map((each) => process.kill(each, 'SIGSTOP')),
    heal: (pid) => [...launchersOf(pid), pid].map((each) => process.kill(each, 'SIGCONT')),
  },
  {
    name: 'stopped, and its launcher killed',
    harm: (pid) => {
      for (const each of launchersOf(pid)) process.kill(each, 'SIGKILL')
      process.kill(pid, 'SIGSTOP')
    },
    heal: (pid) => process.kill(pid, 'SIGCONT'),
  },
  { name: 'hung in a loop', harm: (pid) => process.kill(pid, 'SIGUSR2') },
]

describeWithPostgres("a supervisor's dead man's switch", (server) => {
  for (const { name, harm, heal } of FAULTS) {
    test(`ends its agents before their leases expire when the supervisor is ${name}, and another machine continues`, async () => {
      const { url, home, id, supervisor } = await atWork(server, AT_WORK, {
        env: { NODE_OPTIONS: `--require ${HANG}` },
      })
      const beside = await homeOn(url)
      harm(supervisor.pid)
      const other = await beside.supervise()
      await home.expectNoAgents()
      const until = await leaseEnd(server, url, id)
      const [first] = home.runsOf(id)
      expect(lastBeat(home, first?.id)).toBeLessThan(until - 1000)
      await eventually(() => home.lines('starts').length === 2, 'it runs elsewhere')
      expect(home.lines('starts')).toEqual([home.path, beside.path])
      heal?.(supervisor.pid)
      if (heal === undefined) supervisor.kill('SIGKILL')
      if (heal === undefined) await supervisor.exited
      const back = heal === undefined ? await home.supervise() : supervisor
      await eventually(() => home.openRuns() === 0, 'the first machine has noticed that it lost the task')
      const [run] = home.runsOf(id)
      // A supervisor that comes back may hear first that the task is another's.
      expect(['cut-off', 'taken-away']).toContain(run?.outcome?.code)
      const { outcome, warnings } = receiptOf(home, id)
      expect([outcome.text, ...warnings]).toContainEqual(expect.stringMatching(ENDED))
      expect(home.stateOf(id)).toMatchObject({ failures: 0 })
      expect(home.log()).toContainEqual(expect.objectContaining({ event: 'run-ended-by-switch', task: id }))
      expect(home.log().filter(({ event }) => event === 'run-ended')).toMatchObject([{ ours: false }])
      expect(await beside.status(id)).toBe('in_progress')
      home.touch('go')
      await beside.becomes(id, 'closed')
      for (const each of [back, other]) {
        each.kill('SIGTERM')
        expect(await each.exited).toEqual({ code: 0, signal: null })
      }
      await noSwitches(home, beside)
    })
  }

  test('leaves the agents of a killed supervisor to one that comes in time, and the earlier switch ends', async () => {
    const { url, home, id, supervisor } = await atWork(server)
    const [switched] = switchesOf(home.path)
    const until = await leaseEnd(server, url, id)
    supervisor.kill('SIGKILL')
    await supervisor.exited
    expect(switchesOf(home.path)).toEqual([switched])
    const next = await home.supervise()
    await eventually(() => !switchesOf(home.path).includes(switched as number), 'the earlier switch has ended')
    expect(switchesOf(home.path)).toHaveLength(1)
    // Longer than any deadline that the earlier switch knew.
    await eventually(() => Date.now() > until + 3000, 'the old lease has expired')
    home.touch('go')
    await home.becomes(id, 'closed')
    expect(home.lines('starts')).toEqual([home.path])
    expect(home.runsOf(id)).toMatchObject([{ outcome: { code: 'done' } }])
    next.kill('SIGTERM')
    expect(await next.exited).toEqual({ code: 0, signal: null })
    await noSwitches(home)
  })

  test('ends the agents that a supervisor left running, and a late one opens their task again, uncounted', async () => {
    const { home, id, supervisor } = await atWork(server)
    supervisor.kill('SIGHUP')
    await supervisor.exited
    expect(home.agents().length).toBeGreaterThan(0)
    await home.expectNoAgents()
    await noSwitches(home)
    const next = await home.supervise()
    await eventually(() => home.lines('starts').length === 2, 'it runs again')
    home.touch('go')
    await home.becomes(id, 'closed')
    expect(home.runsOf(id)).toMatchObject([
      { outcome: { code: 'cut-off', text: expect.stringMatching(ENDED) } },
      { outcome: { code: 'done' } },
    ])
    expect(home.stateOf(id)).toMatchObject({ failures: 0 })
    next.kill('SIGTERM')
    expect(await next.exited).toEqual({ code: 0, signal: null })
    await noSwitches(home)
  })

  test('asks an agent to end before it kills it', async () => {
    const { home, supervisor } = await atWork(
      server,
      `trap 'echo asked >>asked; exit 0' TERM; ${AT_WORK.slice(AT_WORK.indexOf('echo'))}`,
    )
    supervisor.kill('SIGSTOP')
    await home.expectNoAgents()
    expect(home.lines('asked')).toEqual(['asked'])
    supervisor.kill('SIGKILL')
    await noSwitches(home)
  })

  test.skipIf(isExcepted('finds what an agent started in other sessions, without the environment of its run'))(
    'finds what an agent started in other sessions, without the environment of its run',
    async () => {
      const stay = 'echo $$ >>escaped; exec sleep 600'
      const leaving = `env -i setsid sh -c '${stay}' & (env -i setsid sh -c 'env -i setsid sh -c "${stay.replace('$$', '\\$\\$')}" &' &)`
      const { home, supervisor } = await atWork(server, `${leaving}; ${AT_WORK}`, { config: ['pid_namespace=off'] })
      await eventually(() => home.lines('escaped').length === 2, 'both have escaped')
      const pids = home.lines('escaped').map(Number)
      expect(pids.filter(isProcess)).toEqual(pids)
      supervisor.kill('SIGKILL')
      await home.expectNoAgents()
      await eventually(() => !pids.some(isProcess), 'both have gone')
      await noSwitches(home)
    },
  )

  test.skipIf(isExcepted('keeps a run from starting that the launcher was ordered to start'))(
    'keeps a run from starting that the launcher was ordered to start',
    async () => {
      const home = await homeOn(server.newUrl())
      const supervisor = await home.supervise()
      const [launcher] = launchersOf(supervisor.pid) as [number]
      process.kill(launcher, 'SIGSTOP')
      const id = await home.script('echo start >>starts')
      await eventually(() => home.runsOf(id).length === 1, 'the run has begun')
      const folder = join(home.path, 'tasks', id, 'attempts/1')
      await eventually(() => existsSync(join(folder, 'launch.json')), 'its files are ready')
      // The order follows within moments; nothing shows that from outside.
      const readyAt = performance.now()
      await eventually(() => performance.now() - readyAt > 3000, 'the launcher has its order')
      supervisor.kill('SIGKILL')
      await supervisor.exited
      await noSwitches(home)
      process.kill(launcher, 'SIGCONT')
      await eventually(() => !isProcess(launcher), 'the launcher has carried out its orders')
      expect(existsSync(join(folder, 'stdout.jsonl'))).toBe(true)
      expect(home.lines('starts')).toEqual([])
      const next = await home.supervise()
      await home.becomes(id, 'closed')
      expect(home.lines('starts')).toEqual(['start'])
      expect(home.runsOf(id)).toMatchObject([{ outcome: { code: 'never-started' } }, { outcome: { code: 'done' } }])
      next.kill('SIGTERM')
      await next.exited
    },
  )

  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    test(`is started again after ${signal}, and knows all runs`, async () => {
      const { home, supervisor } = await atWork(server)
      const [first] = switchesOf(home.path) as [number]
      process.kill(first, signal)
      await home.logged('switch-gone')
      await eventually(() => switchesOf(home.path).some((pid) => pid !== first), 'there is another one')
      const next = await home.script('echo next >>next')
      await home.becomes(next, 'closed')
      supervisor.kill('SIGKILL')
      await supervisor.exited
      await home.expectNoAgents()
      await noSwitches(home)
    })
  }

  test('ends agents of a machine without a launcher, through ps', async () => {
    const { home, supervisor } = await atWork(server, AT_WORK, { env: { FLEET_PROCESS_TABLE: 'ps' } })
    supervisor.kill('SIGKILL')
    await supervisor.exited
    await home.expectNoAgents()
    await noSwitches(home)
  })
})

test('a queue of one machine has no switch: its agents keep running and are adopted', async () => {
  const home = await fleetHome(LEASE)
  const supervisor = await home.supervise()
  const id = await home.script(AT_WORK)
  await eventually(() => home.lines('starts').length === 1, 'it runs')
  expect(switchesOf(home.path)).toEqual([])
  const killedAt = performance.now()
  supervisor.kill('SIGKILL')
  await supervisor.exited
  await eventually(() => performance.now() - killedAt > 11_000, 'a lease has passed')
  const next = await home.supervise()
  home.touch('go')
  await home.becomes(id, 'closed')
  expect(home.lines('starts')).toEqual([home.path])
  next.kill('SIGTERM')
  await next.exited
})
