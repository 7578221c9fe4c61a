import { expect, test } from 'vitest'
import { claims, healthy, init, result, testFleet, tool, writes } from '../../support/supervisor.ts'

test('a first request that is too long is tried once more, then blocked with what fills it', async () => {
  const fleet = testFleet()
  const tooLong = { claude: 'error', status: 400, error: 'invalid_request', text: 'Prompt is too long' }
  const id = fleet.create('Too much', [init, tooLong, { exit: 1 }])
  await fleet.start()
  const { notes } = await fleet.settled(id, 'blocked')
  expect(fleet.starts(id)).toHaveLength(2)
  expect(notes).toMatch(
    /^the first request was too long for the model: Prompt is too long; fleet's prompt has \d+ characters \(how you work here \d+, .*description \d+/,
  )
  expect(notes).toContain("the rest is claude's own")
  expect(fleet.ledger.stateOf(id)).toMatchObject({ failures: 0 })
})

test('a question that its agent does not wait for stays on the receipt, in Q&A.md and in show', async () => {
  const fleet = testFleet()
  const asks = tool({ fleet: ['ask', 'Tabs or spaces?'] })
  const id = fleet.create('Asks and goes on', [init, asks, writes('x.txt'), claims(), result()])
  await fleet.start()
  await fleet.settled(id, 'closed')
  expect(fleet.receipt(id)).toMatchObject({
    outcome: { code: 'done' },
    question: 'Tabs or spaces?',
    warnings: ['it asked a question and did not wait for the answer: Tabs or spaces?'],
  })
  expect(fleet.text(id, 'artifacts', 'Q&A.md')).toContain('Tabs or spaces?\n\n(asked and not waited for: done)')
  expect(fleet.fleet('show', id).stdout).toMatch(/^asked: {8}Tabs or spaces\? \(at .+, not waited for\)$/m)
  expect(JSON.parse(fleet.fleet('show', id, '--json').stdout).fleet.not_waited_for).toMatchObject([
    { text: 'Tabs or spaces?' },
  ])
  expect(fleet.fleet('questions').stdout).toBe('No open questions.\n')
})

test('in a fresh home the window of a model is known from its first answer', async () => {
  const fleet = testFleet()
  const model = 'claude-opus-5-5'
  const usage = { input: 1000, cacheWrite: 0, cacheRead: 600_000, output: 10 }
  const id = fleet.create(
    'Reads much',
    [{ claude: 'init', model }, { claude: 'text', text: 'much to read', usage }, ...healthy('y.txt').slice(1)],
    '--model',
    'opus',
  )
  await fleet.start()
  await fleet.settled(id, 'closed')
  expect(fleet.runs(id).map(({ outcome }) => outcome?.code)).toEqual(['done'])
})
