import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasNamespace } from '../../support/agents.ts'
import { type Fleet, healthy, init, result, says, testFleet, tool, until } from '../../support/supervisor.ts'

/** Prints some events, waits for the test, prints more and finishes. */
const waits = (fleet: Fleet, sign: string, file: string) => [
  init,
  { repeat: 20, do: [says('before')] },
  tool({ waitFor: join(fleet.home.project, sign) }),
  { repeat: 20, do: [says('after')] },
  ...healthy(file).slice(1),
]

interface Line {
  readonly run: string
  readonly at: number
  readonly kind: string
}

const events = (fleet: Fleet, id: string): Line[] =>
  fleet
    .text(id, 'events.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe.each([...(hasNamespace ? ['on'] : []), 'off'])('with pid_namespace=%s', (namespace) => {
  test('agents survive a killed supervisor: same processes, no second start, no duplicate events', async () => {
    const fleet = testFleet({ config: [`pid_namespace=${namespace}`] })
    const waiting = ['a', 'b', 'c'].map((name) => fleet.create(name, waits(fleet, 'go', `${name}.txt`)))
    const early = fleet.create('ends meanwhile', waits(fleet, 'early', 'd.txt'))
    const boaster = fleet.create('boasts meanwhile', [
      init,
      tool({ waitFor: join(fleet.home.project, 'early') }),
      { fleet: ['done', 'believe me'] },
      result(),
    ])
    const all = [...waiting, early, boaster]
    await fleet.start()
    for (const id of all) await fleet.started(id)
    await until(
      async () => all.every((id) => fleet.exists(id, 'events.jsonl')),
      () => 'all have told something',
    )
    const pids = all.map((id) => fleet.runs(id)[0]?.proc?.pid)

    await fleet.end('SIGKILL')
    fleet.touch('early')
    const gone = async () => [early, boaster].every((id) => fleet.exists(id, 'attempts', '1', 'exit.json'))
    await until(gone, () => 'two have ended while no supervisor ran')
    await fleet.start()
    await fleet.settled(early, 'closed')
    expect((await fleet.ended(boaster)).outcome?.code).toBe('no-evidence')
    await fleet.start('SIGKILL')
    fleet.touch('go')
    for (const id of waiting) await fleet.settled(id, 'closed')

    expect(all.map((id) => fleet.runs(id)[0]?.proc?.pid)).toEqual(pids)
    for (const id of [...waiting, early]) {
      expect(fleet.starts(id)).toHaveLength(1)
      expect(fleet.runs(id)).toHaveLength(1)
      const told = events(fleet, id)
      const offsets = told.map(({ at }) => at)
      // One line may hold several events, which share an offset.
      expect(offsets).toEqual([...offsets].sort((a, b) => a - b))
      expect(told.filter(({ kind }) => kind === 'text')).toHaveLength(40)
      expect(told.filter(({ kind }) => kind === 'result')).toHaveLength(1)
    }
  })
})

test('`fleet run stop` reopens tasks and counts no attempt; the next supervisor resumes their sessions', async () => {
  const fleet = testFleet()
  const stopped = fleet.create('Stopped', [
    [init, tool({ waitFor: join(fleet.home.project, 'never') })],
    healthy('x.txt'),
  ])
  const script = fleet.create('A script', 'test -e ../went && exit 0; touch ../went; sleep 600')
  await fleet.start()
  const both = async () =>
    fleet.runs(stopped)[0]?.figures.session != null && existsSync(join(fleet.home.project, 'went'))
  await until(both, () => 'both are at work')
  await fleet.end('SIGTERM')
  for (const id of [stopped, script]) {
    expect(await fleet.task(id)).toMatchObject({ status: 'open', assignee: '' })
    expect(fleet.runs(id).map((run) => run.outcome?.code)).toEqual(['stopped'])
  }
  await fleet.start()
  for (const id of [stopped, script]) {
    await fleet.settled(id, 'closed')
    expect(fleet.ledger.stateOf(id)).toMatchObject({ attempts: 2, failures: 0 })
  }
  expect(fleet.starts(stopped)[1]?.argv).toContain(`--resume=${fleet.runs(stopped)[0]?.id}`)
})
