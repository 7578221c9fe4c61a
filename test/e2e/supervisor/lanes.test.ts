import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Fleet, hang, healthy, init, testFleet, tool, until } from '../../support/supervisor.ts'

const lane = (fleet: Fleet, name = 'claude') => fleet.ledger.lanes().find((each) => each.name === name)

/** One attempt that ends with an account failure, followed by one that works. */
const fails = (...steps: readonly object[]) => [
  [init, ...(steps as { [key: string]: unknown }[]), { exit: 1 }],
  healthy('x.txt'),
]

test('a usage limit pauses its lane until the reset and costs no attempt; other lanes keep running', async () => {
  const fleet = testFleet({ config: ['max_concurrent=2'] })
  const resetsAt = Math.floor(Date.now() / 1000) + 3600
  const limited = fleet.create('Limited', fails({ claude: 'limit', resetsAt }), '--priority', '0')
  await fleet.start()
  await fleet.ended(limited)
  const waiting = fleet.create('On the same lane', healthy('y.txt'), '--priority', '0')
  const script = fleet.create('On another lane', 'true')
  await fleet.settled(script, 'closed')
  expect(lane(fleet)).toMatchObject({ state: 'paused', code: 'usage-limit', until: resetsAt * 1000 })
  expect(await fleet.task(limited)).toMatchObject({ status: 'open', assignee: '' })
  expect(fleet.ledger.stateOf(limited)).toMatchObject({
    failures: 0,
    session: fleet.runs(limited)[0]?.id,
    waitingUntil: resetsAt * 1000,
  })
  expect(fleet.starts(waiting)).toEqual([])
  expect(fleet.fleet('show', waiting).stdout).toContain("You've hit your 5-hour limit")

  // The time of the reset has passed.
  fleet.ledger.saveLane({ ...(lane(fleet) as NonNullable<ReturnType<typeof lane>>), until: Date.now() - 1 })
  expect(fleet.fleet('retry', limited)).toMatchObject({ code: 0 })
  for (const id of [limited, waiting]) await fleet.settled(id, 'closed')
  expect(fleet.starts(limited)[1]?.argv).toContain(`--resume=${fleet.runs(limited)[0]?.id}`)
  expect(lane(fleet)).toMatchObject({ state: 'up' })
})

test('a failed login takes its lane down with one alert; its tasks wait until a person fixes it', async () => {
  const fleet = testFleet()
  const login = {
    claude: 'error',
    status: 401,
    error: 'authentication_failed',
    text: 'Invalid API key · Please run /login',
  }
  const together = tool({ waitFor: join(fleet.home.project, 'go') })
  const ids = ['a', 'b', 'c'].map((name) => fleet.create(name, fails(together, login)))
  await fleet.start()
  for (const id of ids) await fleet.started(id)
  fleet.touch('go')
  for (const id of ids) await fleet.ended(id)
  const later = fleet.create('Comes later', healthy('y.txt'))
  const script = fleet.create('On another lane', 'true')
  await fleet.settled(script, 'closed')
  expect(lane(fleet)).toMatchObject({ state: 'down', code: 'login' })
  expect(fleet.log().filter(({ event }) => event === 'lane-down')).toEqual([
    expect.objectContaining({ lane: 'claude', code: 'login' }),
  ])
  for (const id of ids) {
    expect(await fleet.task(id)).toMatchObject({ status: 'open', assignee: '', notes: '' })
    expect(fleet.ledger.stateOf(id)).toMatchObject({ attempts: 1, failures: 0 })
  }
  expect(fleet.starts(later)).toEqual([])
  expect(fleet.fleet('tasks').stdout).toContain('/login')

  expect(fleet.fleet('resume').stdout).toContain('Lane claude is tried again')
  for (const id of [...ids, later]) await fleet.settled(id, 'closed')
})

test('an agent that pays with an unexpected API key is stopped until a person allows the key', async () => {
  const fleet = testFleet()
  const init = { claude: 'init', apiKeySource: 'ANTHROPIC_API_KEY' }
  const id = fleet.create('On the wrong account', [init, ...healthy('x.txt').slice(1), hang])
  await fleet.start()
  await fleet.ended(id)
  const why = 'claude pays with ANTHROPIC_API_KEY, which fleet did not give it'
  expect(lane(fleet)).toMatchObject({ state: 'down', code: 'login', reason: expect.stringContaining(why) })
  expect(fleet.ledger.stateOf(id)).toMatchObject({ failures: 0 })
  expect(fleet.fleet('config', 'set', 'env_pass=["ANTHROPIC_API_KEY"]').code).toBe(0)
  await until(
    async () => fleet.starts(id).length === 2,
    () => 'it is started again',
  )
})

test('silent agents do not keep others from starting', async () => {
  const fleet = testFleet({ config: ['max_concurrent=40', 'timeouts.first_event=10m'] })
  const silent = Array.from({ length: availableParallelism() * 2 }, (_, n) => fleet.create(`Silent ${n}`, [hang]))
  await fleet.start()
  await fleet.started(silent[0] as string)
  const healthyOne = fleet.create('Comes later', healthy('x.txt'))
  await fleet.settled(healthyOne, 'closed')
})

test('a change of the configuration gives a lane that is down a trial run', async () => {
  const fleet = testFleet()
  const id = fleet.create('Not logged in', fails({ claude: 'error', status: 401, error: 'authentication_failed' }))
  await fleet.start()
  await fleet.ended(id)
  await until(
    async () => lane(fleet)?.state === 'down',
    () => 'the lane is down',
  )
  expect(fleet.fleet('config', 'set', 'lean=true')).toMatchObject({ code: 0 })
  await fleet.settled(id, 'closed')
  expect(fleet.starts(id)[1]?.argv).toContain('--strict-mcp-config')
})

test("an overloaded provider pauses the lane and costs no attempt; the coder's own retries are left alone", async () => {
  const fleet = testFleet()
  const retries = { claude: 'retry', status: 529, error: 'overloaded' }
  const patient = fleet.create('Its coder tries again', [init, retries, retries, ...healthy('x.txt').slice(1)])
  await fleet.start()
  await fleet.settled(patient, 'closed')
  const overloaded = fleet.create('Overloaded', fails(retries, { claude: 'error', status: 529, error: 'overloaded' }))
  expect((await fleet.ended(overloaded)).outcome?.code).toBe('overload')
  expect(await fleet.task(overloaded)).toMatchObject({ status: 'open', assignee: '' })
  expect(lane(fleet)).toMatchObject({ state: 'paused', code: 'overload' })
  const { failures, waitingUntil } = fleet.ledger.stateOf(overloaded)
  expect(failures).toBe(0)
  expect(waitingUntil).toBeGreaterThan(lane(fleet)?.until as number)
})
