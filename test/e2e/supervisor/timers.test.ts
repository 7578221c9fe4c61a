import { expect, test } from 'vitest'
import { claims, hang, healthy, init, result, says, testFleet, tool, writes } from '../../support/supervisor.ts'

const outcomes = (runs: readonly { outcome: { code: string } | null }[]) => runs.map((run) => run.outcome?.code)

test('an agent that never prints anything is stopped; the first time costs no attempt, the second does', async () => {
  const fleet = testFleet({ config: ['timeouts.first_event=6s', 'max_attempts=1'] })
  const mute = fleet.create('Never begins', [{ stderr: 'waiting for stdin' }, hang])
  const late = fleet.create('Begins late', [{ sleep: 500 }, ...healthy('late.txt')])
  await fleet.start()
  const first = await fleet.ended(mute)
  expect(first.outcome).toMatchObject({ code: 'stalled', stall: { cause: 'never-started' } })
  const task = await fleet.settled(mute, 'blocked')
  expect(task.notes).toMatch(/^1 attempt failed; last: silent \d+s: no event yet, .*: it never started$/)
  expect(outcomes(fleet.runs(mute))).toEqual(['stalled', 'stalled'])
  expect(fleet.ledger.stateOf(mute)).toMatchObject({ attempts: 2, failures: 1, stalls: 2 })
  await fleet.settled(late, 'closed')
  expect(fleet.starts(late)).toHaveLength(1)
})

test('an agent that is silent with no tool open has stalled, and its session is resumed once; an open tool may be silent', async () => {
  const fleet = testFleet({ config: ['max_attempts=1', 'timeouts.idle=6s'] })
  const stalled = fleet.create('Falls silent once', [
    [init, says('I will look'), hang],
    [init, writes('a.txt'), claims(), result()],
  ])
  const dead = fleet.create('Falls silent for ever', [init, says('I will look'), hang])
  const busy = fleet.create('Its tool is silent', [init, tool({ sleep: 9000 }), writes('b.txt'), claims(), result()])
  const slow = fleet.create('Says something now and then', [
    init,
    { repeat: 5, do: [{ sleep: 1500 }, says('still here')] },
    ...healthy('c.txt').slice(1),
  ])
  await fleet.start()
  await fleet.settled(stalled, 'closed')
  const [one, two] = fleet.runs(stalled)
  expect(one?.outcome).toMatchObject({ code: 'stalled', stall: { cause: 'dead-stream' } })
  expect(two?.resumes).toBe(one?.id)
  expect(fleet.starts(stalled)[1]?.argv).toContain(`--resume=${one?.id}`)
  expect(fleet.text(stalled, 'attempts', '2', 'prompt.md')).toMatch(/silent \d+s: no tool open, .*: its stream is dead/)
  expect(fleet.ledger.stateOf(stalled)).toMatchObject({ attempts: 2, failures: 0 })

  await fleet.settled(dead, 'blocked')
  expect(outcomes(fleet.runs(dead))).toEqual(['stalled', 'stalled'])
  for (const id of [busy, slow]) {
    await fleet.settled(id, 'closed')
    expect(fleet.starts(id)).toHaveLength(1)
  }
})

test('an agent that prints its result and does not exit is ended, and judged by its work', async () => {
  const fleet = testFleet({ config: ['max_attempts=1', 'timeouts.after_result=5s'] })
  const done = fleet.create('Done, and stays', [...healthy('a.txt'), hang])
  const hook = { type: 'system', subtype: 'hook_response', hook_name: 'Stop', outcome: 'success' }
  const hooked = fleet.create('Done, has its hooks run, and stays', [...healthy('d.txt'), { emit: hook }, hang])
  const idle = fleet.create('Nothing done, and stays', [init, result(), { ignore: ['SIGTERM'] }, hang])
  const more = fleet.create('Tells a result between', [
    init,
    result('first turn'),
    { sleep: 1000 },
    ...healthy('b.txt').slice(1),
  ])
  const background = fleet.create('Waits for its background work', [
    init,
    ...pending(1),
    result('started it'),
    { sleep: 7000 },
    ...pending(0),
    ...healthy('c.txt').slice(1),
  ])
  await fleet.start()
  await fleet.settled(done, 'closed')
  expect(fleet.receipt(done)).toMatchObject({ outcome: { code: 'done' }, evidence: { files_changed: ['a.txt'] } })
  await fleet.settled(hooked, 'closed')
  expect(outcomes(fleet.runs(hooked))).toEqual(['done'])
  await fleet.settled(idle, 'blocked')
  expect(outcomes(fleet.runs(idle))).toEqual(['no-claim'])
  for (const id of [more, background]) {
    await fleet.settled(id, 'closed')
    expect(fleet.starts(id)).toHaveLength(1)
  }
})

/** How claude reports its background tasks. */
function pending(count: number) {
  const tasks = Array.from({ length: count }, (_, n) => ({
    task_id: `b${n}`,
    task_type: 'local_bash',
    description: 'x',
  }))
  return [{ emit: { type: 'system', subtype: 'background_tasks_changed', tasks } }]
}

test('the wall-clock limit ends any run, scripts too', async () => {
  const fleet = testFleet({ config: ['max_attempts=1', 'timeouts.wall=6s'] })
  const news = Array.from({ length: 100 }, (_, n) => [{ sleep: 200 }, says(`still here: ${n}`)]).flat()
  const talker = fleet.create('Talks on', [init, ...news])
  const script = fleet.create('Sleeps on', 'sleep 600')
  const quick = fleet.create('Sleeps a little', 'sleep 1')
  await fleet.start()
  for (const id of [talker, script]) {
    expect((await fleet.settled(id, 'blocked')).notes).toBe('1 attempt failed; last: ran for more than 6s')
    expect(outcomes(fleet.runs(id))).toEqual(['wall-clock'])
  }
  await fleet.settled(quick, 'closed')
})
