import { expect, test } from 'vitest'
import { type Fleet, healthy, init, testFleet, until } from '../../support/supervisor.ts'

const REASON = "There's an issue with the selected model (typo). It may not exist or you may not have access to it."
const refused = [init, { claude: 'error', status: 404, error: 'model_not_found', text: REASON }, { exit: 1 }]

/** Runs a task to its end that any working lane runs. */
async function worksFor(fleet: Fleet, title: string): Promise<void> {
  await fleet.settled(fleet.create(title, healthy('x.txt')), 'closed')
}

test('a wrong model blocks its task alone: the lane goes on, and other tasks with the model wait without a start', async () => {
  const fleet = testFleet({ config: ['max_concurrent=1'] })
  const first = fleet.create('Mistyped', refused, '--model', 'typo', '--priority', '0')
  const second = fleet.create('Mistyped too', refused, '--model', 'typo', '--priority', '1')
  await fleet.start()
  await fleet.settled(first, 'blocked')
  await worksFor(fleet, 'With a good model')
  expect((await fleet.task(first)).notes).toBe(`its model cannot be used: ${REASON}`)
  expect(fleet.ledger.lanes()).toEqual([])
  expect(fleet.starts(second)).toEqual([])
  expect(fleet.fleet('show', second).stdout).toContain(`claude does not accept the model typo: ${REASON}`)
  expect(JSON.parse(fleet.fleet('tasks', '--json').stdout).attention).toMatchObject([
    { kind: 'model', lane: 'claude', model: 'typo', reason: REASON },
    { kind: 'blocked', task: first, way: 'model' },
  ])
  expect(fleet.fleet('tasks').stdout).toContain(`fleet bd update ${first} --model <model>`)

  // A person tries it again: one trial run, and nothing else is affected.
  expect(fleet.fleet('resume').stdout).toBe(`Lane claude tries the model typo again (refused: ${REASON}).\n`)
  await fleet.settled(second, 'blocked')
  await worksFor(fleet, 'After the trial')
  expect(fleet.fleet('retry', first).code).toBe(0)
  await fleet.ended(first, 2)
  await fleet.settled(first, 'blocked')
  await worksFor(fleet, 'After the retry')
  expect(fleet.ledger.lanes()).toEqual([])
  expect([fleet.starts(first).length, fleet.starts(second).length]).toEqual([2, 1])
  expect([first, second].map((id) => fleet.ledger.stateOf(id).failures)).toEqual([0, 0])

  // With another model it runs.
  const better = ['--description', 'Does it well', '--model', 'good']
  expect(fleet.home.bd(['update', second, ...better]).code).toBe(0)
  expect(fleet.fleet('retry', second).code).toBe(0)
  await fleet.ended(second, 2)
  expect(fleet.runs(second)[1]).toMatchObject({ model: 'good' })
})

test('a corrected default model applies to the task that the wrong one blocked; a model that answers is accepted', async () => {
  const fleet = testFleet({ config: ['model=typo', 'max_concurrent=1'] })
  const id = fleet.create('By default', [refused, healthy('x.txt'), healthy('x.txt')])
  const waits = fleet.create('Asks for it', [healthy('y.txt')], '--model', 'typo', '--priority', '4')
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.fleet('config', 'set', 'model=good').code).toBe(0)
  // The changed configuration also gives the refused model its trial, which is answered now.
  await fleet.settled(waits, 'closed')
  await until(
    async () => fleet.ledger.refusedModels().length === 0,
    () => 'the model is accepted',
  )
  expect(fleet.fleet('retry', id).code).toBe(0)
  await fleet.settled(id, 'closed')
  expect(fleet.runs(id).map(({ model }) => model)).toEqual(['typo', 'good'])
  const told = fleet.log().filter(({ event }) => String(event).startsWith('model-'))
  expect(told.map(({ event, lane, model }) => [event, lane, model])).toEqual([
    ['model-refused', 'claude', 'typo'],
    ['model-tried-again', 'claude', 'typo'],
    ['model-accepted', 'claude', 'typo'],
  ])
})
