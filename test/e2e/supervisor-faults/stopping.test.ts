import { expect, test } from 'vitest'
import { Home } from '../../../src/platform/files/home.ts'
import { supervisorAlive } from '../../../src/platform/sqlite/supervisor-lock.ts'
import { eventually, type FleetHome, fleetHome, type Supervised } from '../../support/home-run.ts'
import { throughPs } from '../../support/ps-exceptions.ts'

/** The stopping table of the contract, row by row. */

/** Runs until SIGTERM, and records it. */
const ASKED = 'echo $$ >>starts; trap "echo asked >>ends; exit 0" TERM; while :; do sleep 0.1; done'
/** Runs until the test lets it go. */
const UNTIL_GO = 'echo $$ >>starts; while [ ! -e go ]; do sleep 0.1; done; echo done >>ends'
const DEAF = 'trap "" TERM INT HUP; echo $$ >>starts; while :; do sleep 0.1; done'

async function started(fleet: FleetHome, count: number): Promise<void> {
  await eventually(() => fleet.lines('starts').length === count, `${count} have started`)
}

async function whatBecameOf(fleet: FleetHome, id: string): Promise<unknown> {
  const { failures, waitingUntil, lastOutcome } = fleet.stateOf(id)
  return { status: await fleet.status(id), failures, waitingUntil, outcome: lastOutcome?.code }
}

/** Through `ps` there are none. */
const NAMESPACES = throughPs ? ['off'] : ['on', 'off']

const OPEN_AGAIN = { status: 'open', failures: 0, waitingUntil: null, outcome: 'stopped' }
const CLOSED = { status: 'closed', failures: 0, waitingUntil: null, outcome: 'done' }

const alive = (fleet: FleetHome): boolean => supervisorAlive(new Home(fleet.path)) !== undefined

test('pause: nothing new is claimed, running agents continue and are settled; resume claims again', async () => {
  const fleet = await fleetHome()
  await fleet.supervise()
  const first = await fleet.script(UNTIL_GO)
  await started(fleet, 1)
  expect(fleet.fleet(['pause'])).toMatchObject({ code: 0 })
  const second = await fleet.script('echo second >>ends')
  fleet.touch('go')
  await fleet.becomes(first, 'closed')
  expect(await fleet.status(second)).toBe('open')
  expect(fleet.fleet(['resume'])).toMatchObject({ code: 0 })
  await fleet.becomes(second, 'closed')
  expect(fleet.lines('ends')).toEqual(['done', 'second'])
  await fleet.expectNoAgents()
})

test('run drain: nothing new is claimed, agents finish, then the supervisor ends', async () => {
  const fleet = await fleetHome()
  const supervisor = await fleet.supervise()
  const first = await fleet.script(UNTIL_GO)
  await started(fleet, 1)
  const drained = fleet.beside(['run', 'drain'])
  await eventually(() => fleet.log().some(({ event }) => event === 'draining'), 'it drains')
  const second = await fleet.script('echo second >>ends')
  fleet.touch('go')
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  expect(await drained).toMatchObject({ code: 0, stdout: 'supervisor ended\n' })
  expect(await whatBecameOf(fleet, first)).toEqual(CLOSED)
  expect(await fleet.status(second)).toBe('open')
  expect(fleet.runsOf(second)).toEqual([])
  await fleet.expectNoAgents()
})

const GRACEFUL: Readonly<Record<string, (fleet: FleetHome, supervisor: Supervised) => unknown>> = {
  'run stop': (fleet) => fleet.beside(['run', 'stop']),
  SIGTERM: (_, supervisor) => supervisor.kill('SIGTERM'),
  SIGINT: (_, supervisor) => supervisor.kill('SIGINT'),
}

test.each(Object.keys(GRACEFUL))(
  '%s: agents are asked to end, their tasks are reopened, and no attempt is counted',
  async (how) => {
    const fleet = await fleetHome(['timeouts.grace=30s'])
    const supervisor = await fleet.supervise()
    const ids = await fleet.scripts([ASKED, ASKED, UNTIL_GO, 'true'])
    await started(fleet, 3)
    await fleet.becomes(ids[3] as string, 'open')
    await GRACEFUL[how]?.(fleet, supervisor)
    expect(await supervisor.exited).toEqual({ code: 0, signal: null })
    expect(fleet.lines('ends')).toEqual(['asked', 'asked'])
    for (const id of ids.slice(0, 3)) expect(await whatBecameOf(fleet, id)).toEqual(OPEN_AGAIN)
    expect(fleet.runsOf(ids[3] as string)).toEqual([])
    expect(alive(fleet)).toBe(false)
    await fleet.expectNoAgents()

    fleet.touch('go')
    const next = await fleet.supervise()
    await fleet.becomes(ids[2] as string, 'closed')
    expect(fleet.runsOf(ids[2] as string)).toMatchObject([
      { attempt: 1, outcome: { code: 'stopped' } },
      { attempt: 2, outcome: { code: 'done' } },
    ])
    next.kill('SIGTERM')
    await next.exited
    await fleet.expectNoAgents()
  },
)

test('a second SIGTERM to the supervisor kills agents that ignore the first, and no attempt is counted', async () => {
  const fleet = await fleetHome(['timeouts.grace=10m'])
  const supervisor = await fleet.supervise()
  const id = await fleet.script(DEAF)
  await started(fleet, 1)
  supervisor.kill('SIGTERM')
  await eventually(() => fleet.runsOf(id)[0]?.phase === 'stopping', 'it is being stopped')
  expect(fleet.agents().length).toBeGreaterThan(0)
  supervisor.kill('SIGTERM')
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  expect(await whatBecameOf(fleet, id)).toEqual(OPEN_AGAIN)
  await fleet.expectNoAgents()
})

test('agents that ended just before the stop, not yet noticed, are judged by their work and do not run again', async () => {
  const fleet = await fleetHome(['timeouts.grace=30s'])
  const supervisor = await fleet.supervise()
  const ids = await fleet.scripts([UNTIL_GO, UNTIL_GO, UNTIL_GO])
  await started(fleet, 3)
  for (const id of ids) await eventually(() => fleet.runsOf(id)[0]?.phase === 'running', 'it runs')
  supervisor.kill('SIGSTOP')
  fleet.touch('go')
  await fleet.expectNoAgents()
  supervisor.kill('SIGTERM')
  supervisor.kill('SIGCONT')
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  expect(await Promise.all(ids.map((id) => whatBecameOf(fleet, id)))).toEqual([CLOSED, CLOSED, CLOSED])
})

test('a second stop changes nothing for an agent that obeys the first', async () => {
  const fleet = await fleetHome(['timeouts.grace=30s'])
  const supervisor = await fleet.supervise()
  const id = await fleet.script(ASKED)
  await started(fleet, 1)
  const stops = await Promise.all([fleet.beside(['run', 'stop']), fleet.beside(['run', 'stop'])])
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  for (const { code } of stops) expect([0, 6]).toContain(code)
  expect(await whatBecameOf(fleet, id)).toEqual(OPEN_AGAIN)
  await fleet.expectNoAgents()
})

test('an agent that ignores the first SIGTERM, as during its start, gets another', async () => {
  const fleet = await fleetHome(['timeouts.grace=10m'])
  const supervisor = await fleet.supervise()
  const deafAtFirst = 'trap "" TERM; echo $$ >>starts; while [ ! -e hear ]; do sleep 0.05; done'
  const id = await fleet.script(`${deafAtFirst}; trap - TERM; while :; do sleep 0.1; done`)
  await started(fleet, 1)
  supervisor.kill('SIGTERM')
  await eventually(() => fleet.runsOf(id)[0]?.phase === 'stopping', 'it is being stopped')
  fleet.touch('hear')
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  expect(await whatBecameOf(fleet, id)).toEqual(OPEN_AGAIN)
  await fleet.expectNoAgents()
})

test('a stop during the start of a supervisor ends the agents it would have adopted', async () => {
  const fleet = await fleetHome(['timeouts.grace=30s'])
  const first = await fleet.supervise()
  const id = await fleet.script(ASKED)
  await started(fleet, 1)
  first.kill('SIGKILL')
  await first.exited
  const second = await fleet.supervise({ wait: false })
  while (!alive(fleet)) await new Promise((resolve) => setImmediate(resolve))
  second.kill('SIGTERM')
  expect(await second.exited).toEqual({ code: 0, signal: null })
  expect(await whatBecameOf(fleet, id)).toEqual(OPEN_AGAIN)
  await fleet.expectNoAgents()
})

const KEPT: Readonly<Record<string, (fleet: FleetHome, supervisor: Supervised) => unknown>> = {
  'run restart': (fleet) => fleet.beside(['run', 'restart']),
  'run stop --keep': (fleet) => fleet.beside(['run', 'stop', '--keep']),
  SIGHUP: (_, supervisor) => supervisor.kill('SIGHUP'),
  SIGKILL: (_, supervisor) => supervisor.kill('SIGKILL'),
}

test.each(Object.keys(KEPT).flatMap((how) => NAMESPACES.map((namespace) => [how, namespace] as const)))(
  '%s: agents keep running and the next supervisor adopts them (pid namespace %s)',
  async (how, namespace) => {
    const fleet = await fleetHome([`pid_namespace=${namespace}`])
    const supervisor = await fleet.supervise()
    const ids = await fleet.scripts([UNTIL_GO, 'echo $$ >>starts; while [ ! -e go ]; do sleep 0.1; done; exit 3'])
    await started(fleet, 2)
    const leaders: number[] = []
    for (const id of ids) {
      await eventually(() => fleet.runsOf(id)[0]?.proc != null, 'its process is in the ledger')
      leaders.push(fleet.runsOf(id)[0]?.proc?.pid as number)
    }
    await KEPT[how]?.(fleet, supervisor)
    await supervisor.exited
    if (!alive(fleet)) {
      expect(fleet.agents()).toEqual(expect.arrayContaining(leaders))
      await fleet.supervise()
    }
    fleet.touch('go')
    await fleet.becomes(ids[0] as string, 'closed')
    await eventually(() => fleet.stateOf(ids[1] as string).failures === 1, 'its exit was recorded and read')
    expect(await whatBecameOf(fleet, ids[0] as string)).toEqual(CLOSED)
    expect(fleet.stateOf(ids[1] as string).lastOutcome).toEqual({ code: 'error', text: 'exit 3' })
    expect(fleet.lines('starts')).toHaveLength(2)
    expect((await fleet.beside(['run', 'stop'])).code).toBe(0)
    await fleet.expectNoAgents()
  },
)

test.each(NAMESPACES)(
  'a second SIGTERM while many agents are starting leaves no process (pid_namespace=%s)',
  async (namespace) => {
    const fleet = await fleetHome(['max_concurrent=50', `pid_namespace=${namespace}`, 'timeouts.grace=60s'])
    const ids = await fleet.scripts(Array.from({ length: 40 }, () => 'exec sleep 600'))
    const supervisor = await fleet.supervise()
    await eventually(() => fleet.log().some(({ event }) => event === 'run-started'), 'the first has started')
    supervisor.kill('SIGTERM')
    await eventually(() => fleet.log().some(({ event }) => event === 'stopping'), 'it is stopping')
    supervisor.kill('SIGTERM')
    expect(await supervisor.exited).toEqual({ code: 0, signal: null })
    await fleet.expectNoAgents()
    for (const id of ids) expect(await fleet.status(id)).toBe('open')
  },
)
