import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Database } from '../../../src/platform/sqlite/database.ts'
import { eventually, type FleetHome, fleetHome } from '../../support/home-run.ts'

const UNTIL_GO = 'echo $$ >>starts; while [ ! -e go ]; do sleep 0.1; done; echo done >>ends'

/** One task runs, two wait for its slot. */
async function oneRunning(config: readonly string[] = []) {
  const fleet = await fleetHome(['max_concurrent=1', ...config])
  const ids = await fleet.scripts([UNTIL_GO, 'echo second >>ends', 'exit 3'])
  const supervisor = await fleet.supervise()
  await eventually(() => fleet.lines('starts').length === 1, 'the first one runs')
  return { fleet, ids, supervisor }
}

async function expectAllSettled(fleet: FleetHome, [first, second, third]: readonly string[]): Promise<void> {
  for (const id of [first, second]) await fleet.becomes(id as string, 'closed')
  await fleet.becomes(third as string, 'blocked')
  await eventually(() => fleet.openRuns() === 0, 'the ledger has settled all runs')
  expect(fleet.lines('ends')).toEqual(['done', 'second'])
  expect(fleet.lines('starts')).toHaveLength(1)
  for (const id of [first, second]) expect(fleet.runsOf(id as string)).toHaveLength(1)
  expect(fleet.fleet(['run', 'stop']).code).toBe(0)
  await fleet.expectNoAgents()
}

/** Locks the store for writing until the returned function is called. */
function lock(fleet: FleetHome): () => void {
  const other = new Database(join(fleet.path, 'fleet.db'))
  other.exec('begin immediate')
  return () => {
    other.exec('rollback')
    other[Symbol.dispose]()
  }
}

test('agents continue while the queue is locked; then they are settled and claiming resumes by itself', async () => {
  const { fleet, ids } = await oneRunning(['max_attempts=1'])
  const unlock = lock(fleet)
  fleet.touch('go')
  await fleet.logged('work-failed')
  await fleet.expectNoAgents()
  expect(fleet.lines('ends')).toEqual(['done'])
  unlock()
  await expectAllSettled(fleet, ids)
})

test('a store that is moved away ends the supervisor; moved back, it loses nothing', async () => {
  const { fleet, ids, supervisor } = await oneRunning(['max_attempts=1'])
  const [here, there] = [join(fleet.path, 'fleet.db'), join(fleet.path, 'elsewhere.db')]
  renameSync(here, there)
  expect(await supervisor.exited).toEqual({ code: 7, signal: null })
  await fleet.expectNoAgents()
  renameSync(there, here)
  fleet.touch('go')
  await fleet.supervise()
  const [first = '', second = '', third = ''] = ids
  for (const id of [first, second]) await fleet.becomes(id, 'closed')
  await fleet.becomes(third, 'blocked')
  expect(fleet.runsOf(first).map(({ outcome }) => outcome?.code)).toEqual(['stopped', 'done'])
  expect(fleet.fleet(['run', 'stop']).code).toBe(0)
  await fleet.expectNoAgents()
})

test('a stop while the queue is locked waits for it, and leaves the task open and uncounted', async () => {
  const fleet = await fleetHome()
  const id = await fleet.script(UNTIL_GO)
  const supervisor = await fleet.supervise()
  await eventually(() => fleet.lines('starts').length === 1, 'it runs')
  const unlock = lock(fleet)
  supervisor.kill('SIGTERM')
  await fleet.expectNoAgents()
  await fleet.logged('work-failed')
  unlock()
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  expect(await fleet.status(id)).toBe('open')
  expect(fleet.openRuns()).toBe(0)
  expect(fleet.stateOf(id)).toMatchObject({ failures: 0, lastOutcome: { code: 'stopped' } })
})

test('a supervisor that is started while another process holds the store waits for it', async () => {
  const fleet = await fleetHome()
  const id = await fleet.script('true')
  const unlock = lock(fleet)
  const supervisor = await fleet.supervise({ wait: false })
  await delay(3000)
  unlock()
  await fleet.becomes(id, 'closed')
  supervisor.kill('SIGTERM')
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
})

test('a queue that is locked again and again makes progress in between', async () => {
  const fleet = await fleetHome(['max_concurrent=3'])
  const ids = await fleet.scripts(Array.from({ length: 12 }, (_, n) => `echo ${n} >>starts`))
  const supervisor = await fleet.supervise()
  for (let times = 0; times < 8; times++) {
    const unlock = lock(fleet)
    await delay(400)
    unlock()
    await delay(100)
  }
  for (const id of ids) await fleet.becomes(id, 'closed')
  await eventually(() => fleet.openRuns() === 0, 'the ledger has settled all runs')
  expect([...fleet.lines('starts')].map(Number).sort((a, b) => a - b)).toEqual(ids.map((_, n) => n))
  supervisor.kill('SIGTERM')
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  await fleet.expectNoAgents()
})

test('a local queue locked for longer than a lease stops no agent: no other machine could take over the task', async () => {
  const fleet = await fleetHome(['timeouts.lease=10s'])
  const id = await fleet.script(UNTIL_GO)
  const supervisor = await fleet.supervise()
  await eventually(() => fleet.lines('starts').length === 1, 'it runs')
  const unlock = lock(fleet)
  await delay(13_000)
  expect(fleet.agents().length).toBeGreaterThan(0)
  unlock()
  fleet.touch('go')
  await fleet.becomes(id, 'closed')
  expect(fleet.runsOf(id)).toMatchObject([{ outcome: { code: 'done' } }])
  supervisor.kill('SIGTERM')
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
})
