import { join } from 'node:path'
import { expect, test } from 'vitest'
import { healthy, init, says, testFleet } from '../../support/supervisor.ts'

test('tasks that share a lock run one after another, and a waiting one says which task has it', async () => {
  const fleet = testFleet({ config: ['max_concurrent=6'] })
  const go = join(fleet.home.project, 'go')
  const holds = [init, says('At work'), { waitFor: go }, ...healthy('first.txt').slice(1)]
  const first = fleet.create('First', holds, '--lock', 'db', '--lock', 'gpu')
  const next = fleet.create('Next', healthy('next.txt'), '--lock', 'gpu')
  const other = fleet.create('Other', healthy('other.txt'), '--lock', 'net')
  await fleet.start()
  await fleet.started(first)
  await fleet.settled(other, 'closed')
  expect(fleet.starts(next)).toEqual([])
  expect(fleet.fleet('show', first).stdout).toContain('locks:        db, gpu\n')
  expect(fleet.fleet('show', next).stdout).toContain(`not running:  its lock gpu is held by ${first}\n`)
  const { waiting, locks } = JSON.parse(fleet.fleet('show', next, '--json').stdout).fleet
  expect({ waiting, locks }).toEqual({
    locks: ['gpu'],
    waiting: { kind: 'lock', lock: 'gpu', by: first, text: `its lock gpu is held by ${first}` },
  })

  expect(fleet.fleet('bd', 'update', first, '--lock', '')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`cannot change the locks of ${first}`),
  })
  expect(fleet.fleet('bd', 'update', first, '--lock', 'db,gpu', '--priority', '1').code).toBe(0)
  expect(fleet.fleet('show', next).stdout).toContain(`not running:  its lock gpu is held by ${first}\n`)
  fleet.touch('go')
  await fleet.settled(next, 'closed')
  const [before, after] = [fleet.runs(first)[0], fleet.runs(next)[0]]
  expect(after?.startedAt).toBeGreaterThanOrEqual(before?.endedAt ?? Number.POSITIVE_INFINITY)
})

test('a lock has a name without spaces, and an empty one takes the locks away', () => {
  const { home } = testFleet()
  expect(home.fleet(['bd', 'create', 'Work', '--lock', 'my db'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('lock is "my db", expected names without spaces'),
  })
  const id =
    /Created (\S+):/.exec(home.fleet(['bd', 'create', 'Work', '--lock', 'b', '--lock', 'a,b']).stdout)?.[1] ?? ''
  expect(home.fleet(['show', id]).stdout).toContain('locks:        b, a\n')
  expect(home.fleet(['bd', 'update', id, '--lock', '']).code).toBe(0)
  expect(home.fleet(['show', id]).stdout).not.toContain('locks:')
})
