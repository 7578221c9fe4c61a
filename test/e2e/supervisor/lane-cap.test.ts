import { join } from 'node:path'
import { expect, test } from 'vitest'
import { healthy, init, says, testFleet, until } from '../../support/supervisor.ts'

test('a capped lane says so, and agents that were running all along lift the cap by their answers', async () => {
  const fleet = testFleet({ config: ['max_concurrent=6', 'timeouts.idle=10m', 'timeouts.first_event=10m'] })
  const at = (name: string): string => join(fleet.home.project, name)
  const rest = healthy('x.txt').slice(1)
  const old = ['a', 'b', 'c'].map((name) =>
    fleet.create(name, [init, says('At work'), { waitFor: at('go') }, says('Still'), { waitFor: at('end') }, ...rest]),
  )
  await fleet.start()
  for (const id of old) await fleet.started(id)
  await until(
    async () => fleet.ledger.openRuns().every(({ figures }) => figures.contextNow !== null),
    () => 'all have been answered',
  )
  // An overload has halved the lane, and its pause has just ended.
  const reason = 'API Error: 529 Overloaded'
  const lane = {
    name: 'claude',
    state: 'up',
    until: null,
    code: 'overload',
    reason,
    since: Date.now(),
    cap: 2,
  } as const
  fleet.ledger.saveLane(lane)
  const later = fleet.create('Comes later', healthy('y.txt'))
  await fleet.settled(fleet.create('On another lane', 'true'), 'closed')
  expect(fleet.starts(later)).toEqual([])
  const why = 'its lane claude takes at most 2 agents at once for now, and has 3'
  expect(fleet.fleet('show', later).stdout).toContain(`not running:  ${why}`)
  expect(fleet.fleet('show', later).stdout).toContain(`because of: ${reason}`)
  expect(JSON.parse(fleet.fleet('show', later, '--json').stdout).fleet.waiting).toMatchObject({
    kind: 'cap',
    lane: 'claude',
    cap: 2,
    running: 3,
    reason,
  })
  expect(JSON.parse(fleet.fleet('tasks', '--json').stdout).attention).toEqual([
    { kind: 'cap', lane: 'claude', cap: 2, running: 3, reason },
  ])
  expect(fleet.fleet('tasks').stdout).toContain('at most 2 at once for now, 3 at work')

  fleet.touch('go')
  await fleet.settled(later, 'closed')
  expect(fleet.ledger.lanes()).toMatchObject([{ state: 'up' }])
  fleet.touch('end')
  for (const id of old) await fleet.settled(id, 'closed')
})
