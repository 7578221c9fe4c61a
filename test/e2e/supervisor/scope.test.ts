import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claims, healthy, init, result, testFleet, writes } from '../../support/supervisor.ts'
import { git } from '../../support/worktree.ts'

const outside = [init, writes('inside/a.txt'), writes('b.txt'), claims('did it'), result()]

test('a task that changes what its scope does not cover is blocked with the list, and approved without another attempt', async () => {
  const fleet = testFleet()
  const cwd = fleet.project('shop', { git: true })
  const make = { run: ['mkdir', '-p', 'inside'] }
  const at = ['--cwd', cwd, '--scope', 'inside/**']
  const kept = fleet.create('Keeps to it', [make, init, writes('inside/k.txt'), claims(), result()], ...at)
  const left = fleet.create('Leaves it', [make, ...outside], ...at, '--verify', 'test -e b.txt')
  await fleet.start()
  await fleet.settled(kept, 'closed')
  const blocked = await fleet.settled(left, 'blocked')
  expect(blocked).toMatchObject({ labels: ['needs-approval'], notes: 'changed b.txt, outside of its scope inside/**' })
  expect(fleet.receipt(left)).toMatchObject({
    outcome: { code: 'out-of-scope', otherwise: { code: 'done' } },
    scope: {
      read_only: false,
      writes: ['inside/**'],
      outside: [{ path: 'b.txt', why: 'scope' }],
      outside_count: 1,
    },
    checks: [{ name: 'verify', verdict: 'passed' }],
  })
  expect(fleet.text(left, 'attempts', '1', 'prompt.md')).toContain('change only inside/**')
  expect(fleet.fleet('show', left).stdout).toContain('may change')
  const listed = JSON.parse(fleet.fleet('approve', '--json').stdout)
  expect(listed).toMatchObject([{ task: left, otherwise: 'done', scope: { outside: [{ path: 'b.txt' }] } }])
  expect(JSON.parse(fleet.fleet('tasks', '--json').stdout).attention).toContainEqual(
    expect.objectContaining({ task: left, way: 'approve' }),
  )

  const approved = fleet.fleet('approve', left, '--note', 'it belongs there', '--json')
  expect(JSON.parse(approved.stdout)).toMatchObject({ decision: 'approved', becomes: 'closed', outcome: 'done' })
  expect((await fleet.task(left)).status).toBe('closed')
  expect([fleet.runs(left).length, fleet.receipt(left)]).toMatchObject([
    1,
    { outcome: { code: 'done' }, scope: { approved: { decision: 'approved', note: 'it belongs there' } } },
  ])
  expect(fleet.fleet('approve', left)).toMatchObject({ code: 5 })
})

test('nothing out of scope lands; approved, the same commits do', async () => {
  const fleet = testFleet({ config: ['isolation=worktree'] })
  const cwd = fleet.project('shop', { git: true })
  const before = git(cwd, 'rev-parse', 'HEAD')
  const id = fleet.create('Leaves it', healthy('b.txt'), '--cwd', cwd, '--scope', 'inside/**')
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(git(cwd, 'rev-parse', 'HEAD')).toBe(before)
  expect(fleet.fleet('approve', id)).toMatchObject({ code: 0, stdout: expect.stringContaining('has landed') })
  await fleet.settled(id, 'closed')
  expect([existsSync(join(cwd, 'b.txt')), fleet.runs(id).length]).toEqual([true, 1])
})

test('a read-only task is blocked for any change, a script as well; sent back, its agent is told to undo it', async () => {
  const fleet = testFleet()
  // What agents do at once in one directory may be traced to none of them.
  const at = (name: string) => ['--cwd', fleet.project(name, { git: true }), '--read-only']
  const looks = fleet.create(
    'Looks',
    [init, writes('$FLEET_ARTIFACT_DIR/report.md'), claims(), result()],
    ...at('looks'),
  )
  const script = fleet.create('Script', 'echo x > made', ...at('script'), '--coder', 'shell')
  const undoes = [init, { run: ['rm', 'b.txt'] }, writes('$FLEET_ARTIFACT_DIR/report.md'), claims(), result()]
  const steps = [[init, writes('b.txt'), claims(), result()], undoes]
  const changes = fleet.create('Changes', steps, ...at('changes'))
  await fleet.start()
  await fleet.settled(looks, 'closed')
  await fleet.settled(script, 'blocked')
  await fleet.settled(changes, 'blocked')
  expect([script, changes].map((id) => fleet.receipt(id).scope?.outside)).toEqual([
    [{ path: 'made', why: 'read-only' }],
    [{ path: 'b.txt', why: 'read-only' }],
  ])
  expect(fleet.fleet('retry', changes).code).toBe(0)
  await fleet.settled(changes, 'closed')
  expect(fleet.text(changes, 'attempts', '2', 'prompt.md')).toContain('Undo what is outside of your scope')
})
