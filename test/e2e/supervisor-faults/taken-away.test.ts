import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../support/cli.ts'
import { eventually, fleetHome } from '../../support/home-run.ts'

const UNTIL_GO = 'echo $$ >>starts; while [ ! -e go ]; do sleep 0.1; done; echo done >>ends'

/** What a person does to a running task, and its status afterwards. */
const DEEDS: readonly (readonly [
  what: string,
  commands: (id: string) => readonly (readonly string[])[],
  status: string | undefined,
])[] = [
  ['closed', (id) => [['close', id, '--force']], 'closed'],
  ['deleted', (id) => [['delete', id, '--force']], undefined],
  ['assigned to a person', (id) => [['update', id, '--assignee', 'ann', '--force']], 'in_progress'],
  ['deferred', (id) => [['update', id, '--status', 'deferred']], 'deferred'],
  // Deferred, so that the task does not start again here at once.
  [
    'reopened',
    (id) => [
      ['update', id, '--defer', '+1h'],
      ['update', id, '--status', 'open', '--assignee', ''],
    ],
    'open',
  ],
  ['blocked by hand', (id) => [['update', id, '--status', 'blocked']], 'blocked'],
]

test.each(DEEDS)('a running task that is %s: its run ends and settles nothing', async (_, commands, status) => {
  const fleet = await fleetHome()
  const supervisor = await fleet.supervise()
  const id = await fleet.script(UNTIL_GO)
  await eventually(() => fleet.lines('starts').length === 1, 'it runs')
  for (const command of commands(id)) expect(fleet.bd(command)).toMatchObject({ code: 0 })
  await fleet.expectNoAgents()
  await eventually(() => fleet.openRuns() === 0, 'its run is over')
  expect(await fleet.status(id)).toBe(status)
  expect(fleet.log().filter(({ event }) => event === 'run-ended')).toMatchObject([
    { outcome: 'taken-away', ours: false },
  ])
  expect(fleet.lines('ends')).toEqual([])
  supervisor.kill('SIGTERM')
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  expect(await fleet.status(id)).toBe(status)
})

test('a running task is closed or given away only with --force, and reopening it does nothing', async () => {
  const fleet = await fleetHome()
  await fleet.supervise()
  const id = await fleet.script(UNTIL_GO)
  await eventually(() => fleet.lines('starts').length === 1, 'it runs')
  expect(fleet.bd(['close', id])).toMatchObject({ code: 1, stderr: expect.stringContaining('use --force') })
  expect(fleet.bd(['update', id, '--assignee', 'ann'])).toMatchObject({ code: 1 })
  expect(fleet.bd(['reopen', id])).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing to do') })
  fleet.touch('go')
  await fleet.becomes(id, 'closed')
  expect(fleet.runsOf(id)).toMatchObject([{ outcome: { code: 'done' } }])
})

test('a running task that is closed and reopened is claimed again after its first run has ended', async () => {
  const fleet = await fleetHome(['timeouts.grace=2s'])
  await fleet.supervise()
  const deaf = 'echo start >>order; trap "" TERM; while [ ! -e go ]; do sleep 0.1; done; echo end >>order'
  const id = await fleet.script(deaf)
  await eventually(() => fleet.lines('order').length === 1, 'it runs')
  expect(fleet.bd(['close', id, '--force']).code).toBe(0)
  expect(fleet.bd(['reopen', id]).code).toBe(0)
  await eventually(() => fleet.lines('order').length === 2, 'it runs again')
  const [first, second] = fleet.runsOf(id)
  expect(first?.endedAt ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(second?.startedAt as number)
  fleet.touch('go')
  await fleet.becomes(id, 'closed')
  expect(fleet.lines('order')).toEqual(['start', 'start', 'end'])
  expect(fleet.runsOf(id)).toMatchObject([{ outcome: { code: 'taken-away' } }, { outcome: { code: 'done' } }])
  expect(fleet.stateOf(id).failures).toBe(0)
  await fleet.expectNoAgents()
})

test('a task taken away while no supervisor runs: the adopted run ends and settles nothing', async () => {
  const fleet = await fleetHome()
  const first = await fleet.supervise()
  const id = await fleet.script(UNTIL_GO)
  await eventually(() => fleet.lines('starts').length === 1, 'it runs')
  first.kill('SIGKILL')
  await first.exited
  expect(fleet.bd(['close', id, '--force']).code).toBe(0)
  await fleet.supervise()
  await fleet.expectNoAgents()
  await eventually(() => fleet.openRuns() === 0, 'its run is over')
  expect(await fleet.status(id)).toBe('closed')
  expect(fleet.runsOf(id)).toMatchObject([{ outcome: { code: 'taken-away' }, next: null }])
})

test('a task taken away between its claim and its start does not run', async () => {
  const fleet = await fleetHome()
  const folder = temporaryFolder()
  // Asking the coder for its version takes the time between claim and start.
  const slow = 'case "$*" in *--version*) sleep 3; echo 1.0.0; exit 0;; *--help*) exit 0;; esac'
  writeFileSync(join(folder, 'agy'), `#!/bin/sh\n${slow}\nexec sleep 600\n`, { mode: 0o755 })
  await fleet.supervise({ env: { PATH: `${folder}:${process.env['PATH']}` } })
  const id = await fleet.script('Never mind', { coder: 'agy' })
  await fleet.becomes(id, 'in_progress')
  expect(fleet.bd(['update', id, '--status', 'deferred', '--assignee', '', '--force']).code).toBe(0)
  await fleet.logged('task-taken-away')
  await fleet.expectNoAgents()
  expect(await fleet.status(id)).toBe('deferred')
})
