import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type Fleet, healthy, init, says, testFleet, until } from '../../support/supervisor.ts'
import { wallClock } from '../../support/wall-clock.ts'

/** A recording of claude with an overloaded provider, under this run's id; the first line is its start. */
const [begins = '', ...overloaded] = readFileSync(
  resolve(import.meta.dirname, '../../fixtures/coders/claude/err-529-retry2.jsonl'),
  'utf8',
)
  .replaceAll('41606945-bb5d-4849-adac-b9d5722548a5', '$FLEET_RUN_ID')
  .split('\n')
  .slice(0, -1)

const WIDTH = 6

test('after an overload, one trial run is followed by half as many runs, and one more for each that works', async () => {
  const clock = wallClock()
  const fleet = testFleet({
    env: clock.env,
    config: [
      `max_concurrent=${WIDTH}`,
      // The agents wait for the test, so they must not time out.
      'timeouts.idle=10m',
      'timeouts.first_event=10m',
      // The recorded account pays with a key.
      'env_pass=["ANTHROPIC_API_KEY"]',
    ],
  })
  const at = (name: string): string => join(fleet.home.project, name)
  const worker = [init, { waitFor: at('answer-$FLEET_TASK_ID') }, says('It answers'), { waitFor: at('finish') }]
  const rest = healthy('x.txt').slice(1)
  const crowd = Array.from({ length: WIDTH }, (_, n) =>
    fleet.create(`One of many ${n}`, [
      [{ emit: begins }, { waitFor: at('rush') }, ...overloaded.map((emit) => ({ emit })), { exit: 1 }],
      [...worker, ...rest],
    ]),
  )
  await fleet.start()
  for (const id of crowd) await fleet.started(id)

  // All of them fail at once: one problem of the lane, and no failure of any task.
  fleet.touch('rush')
  for (const id of crowd) await fleet.ended(id)
  expect(crowd.map((id) => fleet.runs(id).map(({ outcome }) => outcome?.code))).toEqual(crowd.map(() => ['overload']))
  const { until: opens } = lane(fleet)
  expect(lane(fleet)).toMatchObject({ state: 'paused', code: 'overload', cap: WIDTH / 2 })
  expect(opens as number).toBeGreaterThan(Date.now())
  for (const id of crowd) {
    expect(fleet.ledger.stateOf(id)).toMatchObject({ attempts: 1, failures: 0, session: fleet.runs(id)[0]?.id })
  }
  // File times do not follow the test's clock; git detects changes without them.
  const project = fleet.project('later', { git: true })
  const later = fleet.create('Comes in the rush hour', [...worker, ...rest], '--cwd', project)
  await supervisorHasLooked(fleet)
  expect(startsOf(fleet)).toBe(WIDTH)
  expect(tasks(fleet)).toMatchObject({
    attention: [{ kind: 'lane', lane: 'claude', state: 'paused' }],
    running: [],
  })

  // The pause ends.
  clock.set(10 * 60_000)
  expect(await steady(fleet, 1)).toMatchObject({ state: 'paused' })
  // One run has worked: half the width, and one more for it.
  answer(fleet)
  expect(await steady(fleet, WIDTH / 2 + 1)).toMatchObject({ state: 'up', cap: WIDTH / 2 + 1 })
  answer(fleet)
  expect(await steady(fleet, WIDTH / 2 + 2)).toMatchObject({ state: 'up', cap: WIDTH / 2 + 2 })
  answer(fleet)
  await working(fleet, WIDTH)
  expect(lane(fleet)).not.toHaveProperty('cap')

  for (const id of [...crowd, later]) fleet.touch(`answer-${id}`)
  fleet.touch('finish')
  for (const id of [...crowd, later]) await fleet.settled(id, 'closed')
  expect(crowd.map((id) => fleet.runs(id).map(({ outcome }) => outcome?.code))).toEqual(
    crowd.map(() => ['overload', 'done']),
  )
  for (const id of crowd) {
    expect(fleet.ledger.stateOf(id)).toMatchObject({ attempts: 2, failures: 0 })
    expect(fleet.starts(id)[1]?.argv).toContain(`--resume=${fleet.runs(id)[0]?.id}`)
  }
  expect(fleet.runs(later)).toMatchObject([{ attempt: 1, outcome: { code: 'done' } }])
  expect(laneLog(fleet)).toEqual([
    { event: 'lane-paused', code: 'overload', cap: WIDTH / 2 },
    { event: 'lane-up', cap: WIDTH / 2 },
    { event: 'lane-at-full-width' },
  ])
})

function lane(fleet: Fleet) {
  const found = fleet.ledger.lanes().find(({ name }) => name === 'claude')
  if (found === undefined) throw new Error('the ledger does not know the lane')
  return found
}

const startsOf = (fleet: Fleet): number => fleet.stub.starts().length

function tasks(fleet: Fleet): { readonly attention: readonly object[]; readonly running: readonly { id: string }[] } {
  const { code, stdout, stderr } = fleet.fleet('tasks', '--json')
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

/** Waits until this many run at once. */
async function working(fleet: Fleet, count: number): Promise<void> {
  const there = () => fleet.ledger.openRuns().filter(({ lane }) => lane === 'claude').length
  await until(
    async () => there() >= count,
    () => `${count} work: ${there()} do, ${JSON.stringify(lane(fleet))}`,
  )
}

/** Exactly this many run, after the supervisor has looked for more to start. */
async function steady(fleet: Fleet, count: number) {
  await working(fleet, count)
  await supervisorHasLooked(fleet)
  expect(tasks(fleet).running).toHaveLength(count)
  return lane(fleet)
}

/** Runs a task on another lane; once it is done, the supervisor has looked again at all that waited before it. */
async function supervisorHasLooked(fleet: Fleet): Promise<void> {
  await fleet.settled(fleet.create('On another lane', 'true'), 'closed')
}

/** Lets the model answer one run that waits for it. */
function answer(fleet: Fleet): void {
  const waits = fleet.ledger.openRuns().find(({ lane, figures }) => lane === 'claude' && figures.contextNow === null)
  fleet.touch(`answer-${waits?.task}`)
}

function laneLog(fleet: Fleet): readonly object[] {
  return fleet.log().flatMap(({ event, code, cap, lane }) => {
    if (lane !== 'claude' || !String(event).startsWith('lane-')) return []
    return [{ event, ...(code === undefined ? {} : { code }), ...(cap === undefined ? {} : { cap }) }]
  })
}
