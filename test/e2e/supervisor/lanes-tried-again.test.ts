import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Step } from '../../stub-agent/stub-as.ts'
import { type Fleet, healthy, init, testFleet, tool, until } from '../../support/supervisor.ts'
import { wallClock } from '../../support/wall-clock.ts'

const HOUR = 3600_000

const lane = (fleet: Fleet) => fleet.ledger.lanes().find(({ name }) => name === 'claude')

/** Runs a task on another lane for longer than a supervisor takes to look at its lanes. */
async function aWhile(fleet: Fleet): Promise<void> {
  await fleet.settled(fleet.create('A while', 'sleep 3'), 'closed')
}

test('after a reset one trial run starts, besides the runs from before; the others follow when the model answers it', async () => {
  const clock = wallClock()
  const fleet = testFleet({ config: ['timeouts.idle=5m', 'timeouts.first_event=5m'], env: clock.env })
  const file = (name: string) => join(fleet.home.project, name)
  const resetsAt = Math.floor((Date.now() + HOUR) / 1000)
  const old = fleet.create('In a long tool', [init, tool({ waitFor: file('late') }), ...healthy('x.txt').slice(1)])
  const limit = [tool({ waitFor: file('limited') }), { claude: 'limit', resetsAt }, { exit: 1 }]
  const answered = [init, { waitFor: file('answered') }, ...healthy('x.txt').slice(1)]
  const limited = ['a', 'b', 'c', 'd'].map((name) => fleet.create(name, [[init, ...limit], answered]))
  await fleet.start()
  for (const id of [old, ...limited]) await fleet.started(id)
  fleet.touch('limited')
  for (const id of limited) await fleet.ended(id)
  // In git, which detects changes without file times: those do not follow the test's clock.
  const fresh = ['e', 'f'].map((name) => fleet.create(name, answered, '--cwd', fleet.project(name, { git: true })))
  const waiting = [...limited, ...fresh]
  const begun = () => waiting.filter((id) => fleet.starts(id).length > (limited.includes(id) ? 1 : 0))
  await aWhile(fleet)
  expect(begun()).toEqual([])

  clock.set(2 * HOUR)
  await until(
    async () => begun().length > 0,
    () => 'the lane is tried',
  )
  await aWhile(fleet)
  expect(begun()).toHaveLength(1)
  expect(lane(fleet)).toMatchObject({ state: 'paused', code: 'usage-limit' })

  fleet.touch('answered')
  for (const id of waiting) await fleet.settled(id, 'closed')
  for (const id of limited) {
    expect(fleet.ledger.stateOf(id)).toMatchObject({ attempts: 2, failures: 0 })
    expect(fleet.starts(id)[1]?.argv).toContain(`--resume=${fleet.runs(id)[0]?.id}`)
  }
  for (const id of fresh) expect(fleet.ledger.stateOf(id)).toMatchObject({ attempts: 1, failures: 0 })
  expect(lane(fleet)).toMatchObject({ state: 'up' })
  fleet.touch('late')
  await fleet.settled(old, 'closed')
})

test('an overload caps the lane at half of the runs that worked then, counting the one that met it', async () => {
  const fleet = testFleet()
  const [go, late] = ['go', 'late'].map((name) => tool({ waitFor: join(fleet.home.project, name) }))
  const rest = ['a', 'b', 'c'].map((name) => fleet.create(name, [init, late as Step, ...healthy('x.txt').slice(1)]))
  const overload = { claude: 'error', status: 529, error: 'overloaded' }
  const overloaded = fleet.create('Overloaded', [init, go as Step, overload, { exit: 1 }])
  await fleet.start()
  for (const id of [...rest, overloaded]) await fleet.started(id)
  fleet.touch('go')
  await fleet.ended(overloaded)
  expect(lane(fleet)).toMatchObject({ state: 'paused', code: 'overload', cap: 2 })
  fleet.touch('late')
  for (const id of rest) await fleet.settled(id, 'closed')
})

test('a run raises the cap of a recovering lane only once, even if another supervisor adopts it', async () => {
  const fleet = testFleet()
  const up = { name: 'claude', state: 'up', until: null, code: null, reason: null, since: Date.now(), cap: 1 } as const
  fleet.ledger.saveLane(up)
  const id = fleet.create('At work', [
    init,
    tool({ waitFor: join(fleet.home.project, 'go') }),
    ...healthy('x.txt').slice(1),
  ])
  await fleet.start()
  await until(
    async () => lane(fleet)?.cap === 2,
    () => 'it has made room for one more',
  )
  await fleet.start('SIGHUP')
  await aWhile(fleet)
  expect(fleet.log().filter(({ event }) => event === 'run-found')).toMatchObject([{ task: id, is: 'alive' }])
  expect(lane(fleet)).toEqual({ ...up, cap: 2 })
  fleet.touch('go')
  await fleet.settled(id, 'closed')
})

test('a lane that was down gets one trial run, which takes it down again if the cause remains', async () => {
  const fleet = testFleet()
  const together = tool({ waitFor: join(fleet.home.project, 'go') })
  const login = { claude: 'error', status: 401, error: 'authentication_failed' }
  const refused = [init, together, login, { exit: 1 }]
  const ids = ['a', 'b', 'c'].map((name) => fleet.create(name, [refused, [init, login, { exit: 1 }]]))
  await fleet.start()
  for (const id of ids) await fleet.started(id)
  fleet.touch('go')
  for (const id of ids) await fleet.ended(id)
  const isDown = async (times: number) => {
    await until(
      async () => fleet.log().filter(({ event }) => event === 'lane-down').length === times,
      () => `the lane is down for the ${times}th time`,
    )
    await aWhile(fleet)
    expect(lane(fleet)).toMatchObject({ state: 'down', code: 'login' })
  }
  await isDown(1)
  expect(fleet.fleet('resume').stdout).toMatch(/^Lane claude is tried again \(it was down: .+\)\.\n$/)
  await isDown(2)
  expect(fleet.stub.starts()).toHaveLength(4)
  expect(fleet.fleet('config', 'set', 'lean=true')).toMatchObject({ code: 0 })
  await isDown(3)
  expect(fleet.stub.starts()).toHaveLength(5)
  for (const id of ids) expect(fleet.ledger.stateOf(id)).toMatchObject({ failures: 0 })
})

test('`fleet resume` tries a paused lane before its reset, and its waiting tasks continue', async () => {
  const fleet = testFleet()
  const resetsAt = Math.floor((Date.now() + HOUR) / 1000)
  const limit = [init, tool({ waitFor: join(fleet.home.project, 'go') }), { claude: 'limit', resetsAt }, { exit: 1 }]
  const ids = ['a', 'b', 'c'].map((name) => fleet.create(name, [limit, healthy('x.txt')]))
  await fleet.start()
  for (const id of ids) await fleet.started(id)
  fleet.touch('go')
  for (const id of ids) await fleet.ended(id)
  expect(fleet.fleet('resume').stdout).toMatch(/^Lane claude is tried again \(it was paused until .+\)\.\n$/)
  for (const id of ids) await fleet.settled(id, 'closed')
  for (const id of ids) expect(fleet.ledger.stateOf(id)).toMatchObject({ attempts: 2, failures: 0, waiting: null })
  expect(lane(fleet)).toMatchObject({ state: 'up' })
})

test('a task that always fails does not take every trial run of its lane, whatever its priority', async () => {
  const clock = wallClock()
  const fleet = testFleet({ config: ['max_concurrent=1'], env: clock.env })
  const overload = { claude: 'error', status: 500, error: 'server_error' }
  const fails = fleet.create('Fails always', [init, overload, { exit: 1 }], '--priority', '0')
  await fleet.start()
  await fleet.ended(fails)
  const project = fleet.project('other', { git: true })
  const other = fleet.create('Would work', healthy('x.txt'), '--cwd', project, '--priority', '3')
  const opens = lane(fleet)?.until as number
  clock.set(opens - Date.now() - 1000)
  await fleet.settled(other, 'closed')
  expect(
    fleet.stub
      .starts()
      .slice(0, 2)
      .map(({ task }) => task),
  ).toEqual([fails, other])
  expect(fleet.ledger.stateOf(fails)).toMatchObject({ failures: 0 })
})
