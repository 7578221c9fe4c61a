import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Database } from '../../../src/platform/sqlite/database.ts'
import { stubAs } from '../../stub-agent/stub-as.ts'
import { eventually, fleetHome } from '../../support/home-run.ts'
import { wallClock } from '../../support/wall-clock.ts'

const HOUR = 60 * 60_000
const DAY = 24 * HOUR

test.each([
  ['forward', DAY],
  ['back', -DAY],
])('a clock set %s by a day stops no run as stalled or too long, and loses no lease', async (_, offset) => {
  const clock = wallClock()
  const stub = stubAs('claude', [
    { claude: 'init' },
    { waitFor: 'go' },
    { claude: 'tool', name: 'Write', do: [{ write: 'work.txt', text: 'work' }] },
    { fleet: ['done', 'wrote it'] },
    { claude: 'result', text: 'wrote it' },
  ])
  const fleet = await fleetHome(['timeouts.idle=30m', 'timeouts.wall=60m'])
  const env = { ...clock.env, PATH: stub.path }
  const first = await fleet.supervise({ env })
  const ids = [
    await fleet.script('while [ ! -e go ]; do sleep 0.1; done'),
    await fleet.script('Do it', { coder: 'claude' }),
  ]
  for (const id of ids) await eventually(() => fleet.runsOf(id)[0]?.figures !== undefined, 'it runs')
  await eventually(() => stub.starts().length === 1, 'the agent is at work')
  const leases = (): readonly number[] => {
    using db = new Database(join(fleet.path, 'fleet.db'), { readOnly: true })
    return db
      .sql<{ lease: number }>('select lease_until as lease from task')
      .all()
      .map(({ lease }) => lease)
  }
  const before = leases()
  clock.set(offset)
  // After a step back a lease only lasts longer, so there is no renewal to wait for.
  if (offset > 0) {
    await eventually(() => leases().every((lease, n) => lease !== before[n] && lease > 0), 'the leases are renewed')
  } else await fleet.logged('clock-set-back')
  // The next supervisor knows only the new clock.
  first.kill('SIGHUP')
  await first.exited
  const second = await fleet.supervise({ env })
  await eventually(() => fleet.log().filter(({ event }) => event === 'run-found').length === 2, 'both are adopted')
  fleet.touch('go')
  for (const id of ids) await fleet.becomes(id, 'closed')
  for (const id of ids) expect(fleet.runsOf(id)).toMatchObject([{ outcome: { code: 'done' } }])
  expect(fleet.log().filter(({ event }) => event === 'task-taken-away')).toEqual([])
  expect(fleet.log().filter(({ event }) => event === 'expired-claims-reopened')).toEqual([])
  second.kill('SIGTERM')
  expect(await second.exited).toEqual({ code: 0, signal: null })
  await fleet.expectNoAgents()
})

test('a retry is neither delayed by a clock set back by a day nor lost by one set forward', async () => {
  const clock = wallClock()
  const fleet = await fleetHome()
  await fleet.supervise({ env: clock.env })
  for (const offset of [-DAY, 0]) {
    const id = await fleet.script('[ -e second ] && rm second && exit 0; touch second; exit 1')
    await eventually(() => fleet.stateOf(id).failures === 1, 'it has failed once')
    clock.set(offset)
    await fleet.becomes(id, 'closed')
    expect(fleet.runsOf(id)).toMatchObject([{ outcome: { code: 'error' } }, { outcome: { code: 'done' } }])
  }
  await fleet.expectNoAgents()
})

test('a clock set forward, as by a suspend, ends a wait for a time that has passed', async () => {
  const clock = wallClock()
  const resetsAt = Math.floor(Date.now() / 1000) + 3600
  const work = [{ claude: 'tool', name: 'Write', do: [{ write: 'work.txt', text: 'work' }] }, { fleet: ['done', 'x'] }]
  const stub = stubAs('claude', [
    [{ claude: 'init' }, { claude: 'limit', resetsAt }, { exit: 1 }],
    [{ claude: 'init' }, ...work, { claude: 'result', text: 'wrote it' }],
  ])
  const fleet = await fleetHome()
  await fleet.supervise({ env: { ...clock.env, PATH: stub.path } })
  const id = await fleet.script('Do it', { coder: 'claude' })
  await fleet.logged('lane-paused')
  await eventually(() => fleet.openRuns() === 0, 'it has ended')
  clock.set(2 * 3600_000)
  await fleet.becomes(id, 'closed')
  expect(stub.starts()).toHaveLength(2)
})

test.each([
  ['forward', 400 * DAY, 'clock-set-forward'],
  ['back', -400 * DAY, 'clock-set-back'],
] as const)('no duration that people see is absurd after the clock was set %s', async (_, offset, noticed) => {
  const clock = wallClock()
  const stub = stubAs('claude', [
    { claude: 'init' },
    { waitFor: 'go' },
    { claude: 'tool', name: 'Write', do: [{ write: 'work.txt', text: 'work' }] },
    { fleet: ['done', 'wrote it'] },
    { claude: 'result', text: 'wrote it' },
  ])
  const fleet = await fleetHome(['timeouts.idle=30m', 'timeouts.wall=60m'])
  const env = { ...clock.env, PATH: stub.path }
  await fleet.supervise({ env })
  const id = await fleet.script('Do it', { coder: 'claude' })
  await eventually(() => fleet.runsOf(id)[0]?.figures.lastEventAt != null, 'the agent has said something')
  clock.set(offset)
  await fleet.logged(noticed)
  const started = () => fleet.runsOf(id)[0]?.startedAt ?? 0
  await eventually(() => Math.abs(started() - Date.now() - offset) < HOUR, 'its start has moved with the clock')
  const seen = (...argv: readonly string[]) => fleet.fleet(argv, { env }).stdout
  for (const text of [seen('tasks'), seen('show', id), seen('run', 'status')]) {
    expect(text).not.toMatch(/\b\d+d\d\dh\b|-\d+s\b/)
  }
  fleet.touch('go')
  await fleet.becomes(id, 'closed')
  const receipt = JSON.parse(fleet.fleet(['task', id, 'receipt', '--json']).stdout).text
  const { duration_ms: lasted } = JSON.parse(receipt)
  expect(lasted).toBeGreaterThan(0)
  expect(lasted).toBeLessThan(HOUR)
  const [run] = fleet.runsOf(id)
  expect((run?.endedAt ?? 0) - (run?.startedAt ?? 0)).toBeGreaterThanOrEqual(0)
  expect((run?.endedAt ?? 0) - (run?.startedAt ?? 0)).toBeLessThan(HOUR)
  await fleet.expectNoAgents()
})
