import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Step } from '../../stub-agent/stub-as.ts'
import { claims, init, result, testFleet, writes } from '../../support/supervisor.ts'
import { git } from '../../support/worktree.ts'

/** A command that no hook can see through. */
const builds = (path: string): Step => ({
  claude: 'tool',
  name: 'Bash',
  input: { command: 'node build.js' },
  do: [{ write: path, text: 'work\n' }],
})
const outside = [init, writes('inside/a.txt'), builds('b.txt'), claims('did it'), result()]

test('a task that changes what its scope does not cover is blocked with the list, and approved without another attempt', async () => {
  const fleet = testFleet()
  const cwd = fleet.project('shop', { git: true })
  const make = { run: ['mkdir', '-p', 'inside'] }
  const at = ['--cwd', cwd, '--scope', 'inside/**']
  const own = ['--cwd', fleet.project('other', { git: true }), '--scope', 'inside/**']
  const kept = fleet.create('Keeps to it', [make, init, writes('inside/k.txt'), claims(), result()], ...own)
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

  expect(fleet.fleet('approve', left, '--run', 'another')).toMatchObject({ code: 5 })
  const approved = fleet.fleet('approve', left, '--run', listed[0].run, '--note', 'it belongs there', '--json')
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
  const id = fleet.create(
    'Leaves it',
    [init, builds('b.txt'), claims(), result()],
    '--cwd',
    cwd,
    '--scope',
    'inside/**',
  )
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
  const steps = [[init, builds('b.txt'), claims(), result()], undoes]
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

test('where the coder has hooks, a call that leaves the scope is refused before it happens', async () => {
  const fleet = testFleet()
  const cwd = fleet.project('shop', { git: true })
  const call = (name: string, input: object, ...steps: object[]) => ({ claude: 'tool', name, input, do: steps })
  const steps = [
    init,
    call('Write', { file_path: join(cwd, 'lib.txt') }, { write: 'lib.txt', text: 'x' }),
    call('Bash', { command: 'echo x > inside.txt && rm -rf ../other' }, { write: 'other.txt', text: 'x' }),
    call('Read', { file_path: '/etc/hosts' }),
    call('Bash', { command: 'echo x > inside.txt' }, { write: 'inside.txt', text: 'x' }),
    claims(),
    result(),
  ]
  const id = fleet.create('Tries', steps, '--cwd', cwd, '--scope', 'inside.txt')
  await fleet.start()
  await fleet.settled(id, 'closed')
  expect(['lib.txt', 'other.txt', 'inside.txt'].map((name) => existsSync(join(cwd, name)))).toEqual([
    false,
    false,
    true,
  ])
  expect(fleet.receipt(id).scope).toMatchObject({
    outside_count: 0,
    refused: {
      count: 2,
      calls: [
        { tool: 'Write', what: join(cwd, 'lib.txt'), why: 'this task may change only inside.txt' },
        { tool: 'Bash', what: join(cwd, '..', 'other') },
      ],
    },
  })
})

test('what no task may touch blocks it also without a scope, as far as its changes and calls tell', async () => {
  const fleet = testFleet()
  const cwd = (name: string) => ['--cwd', fleet.project(name, { git: true })]
  const bash = (command: string) => ({ claude: 'tool', name: 'Bash', input: { command } })
  const ends = [claims(), result()]
  const removes = fleet.create(
    'Removes',
    [init, writes('a.txt'), bash('cd "$HOME" && rm -rf ..'), ...ends],
    ...cwd('removes'),
  )
  const guard = [init, { run: ['mkdir', '.claude'] }, writes('.claude/settings.json', '{}'), ...ends]
  const edits = fleet.create('Edits its guard', guard, ...cwd('edits'))
  const usual = [init, writes('a.txt'), bash('rm -rf build ../cache && git config user.name me'), ...ends]
  const works = fleet.create('Works', usual, ...cwd('builds'))
  await fleet.start()
  await fleet.settled(removes, 'blocked')
  await fleet.settled(edits, 'blocked')
  await fleet.settled(works, 'closed')
  expect([removes, edits].map((id) => fleet.receipt(id).scope?.outside.map(({ why }) => why))).toEqual([
    ['deletes'],
    ['protected'],
  ])
  expect(fleet.fleet('approve', edits)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('    .claude/settings.json'),
  })
  expect((await fleet.task(edits)).status).toBe('closed')
})

test('more changes than its receipt names are let through only with --all', async () => {
  const fleet = testFleet()
  const at = ['--cwd', fleet.project('many', { git: true }), '--scope', 'inside/**', '--coder', 'shell']
  const id = fleet.create('Many', 'i=0; while [ $i -le 1000 ]; do echo $i >f$i; i=$((i+1)); done', ...at)
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.fleet('approve', id)).toMatchObject({ code: 5, stderr: expect.stringContaining('names 1000') })
  expect(fleet.fleet('approve', id, '--all')).toMatchObject({ code: 0, stdout: expect.stringContaining('and 1 more') })
})
