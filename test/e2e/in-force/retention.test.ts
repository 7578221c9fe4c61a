import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Home } from '../../../src/platform/files/home.ts'
import { type Fleet, hang, init, testFleet, until } from '../../support/supervisor.ts'
import { rowsOf } from './rows.ts'

const { row, expectAll } = rowsOf('retention')

const names = (fleet: Fleet, id: string, attempt = 1) =>
  readdirSync(join(fleet.home.path, 'tasks', id, 'attempts', String(attempt))).sort()
const DAY = 24 * 3_600_000
const PRINTS = 'i=0; while [ $i -lt 500 ]; do echo "line $i"; echo "error $i" >&2; i=$((i+1)); done'

test('retention', async () => {
  const fleet = testFleet()
  const running = fleet.create('Hangs', [init, hang])
  const id = fleet.create('Prints', PRINTS)
  await fleet.start()
  await fleet.settled(id, 'closed')
  await fleet.started(running)
  const read = () => ['output', 'stderr', 'receipt'].map((name) => fleet.fleet('task', id, name).stdout)
  const before = read()
  expect(before[0]).toContain('line 499')
  const { logging } = new Home(fleet.home.path)
  const logs = () => readdirSync(logging).filter((name) => name.endsWith('.jsonl'))
  const earlier = `fleet-${new Date(Date.now() - 3 * DAY).toISOString().slice(0, 10)}.jsonl`
  const today = logs()
  writeFileSync(join(logging, earlier), '')
  // By default nothing is old enough.
  expect(fleet.fleet('gc').stdout).toContain('0 files compressed, 0 files removed')
  expect(names(fleet, id)).toContain('stdout.jsonl')
  expect(logs()).toContain(earlier)

  await row('retention.compress_after', async () => {
    expect(fleet.fleet('config', 'set', 'retention.compress_after=1s').code).toBe(0)
    // A supervisor does it by itself, soon after its start.
    await fleet.start('SIGTERM')
    await until(
      async () => names(fleet, id).includes('stderr.log.gz'),
      () => `the output is compressed: ${names(fleet, id)}`,
    )
    expect(names(fleet, id)).not.toContain('stdout.jsonl')
    expect(read()).toEqual(before)
    const { text } = JSON.parse(fleet.fleet('task', id, 'output', '--json').stdout)
    expect(text).toBe(before[0])
  })
  await fleet.started(running, 2)
  await row('retention.remove_after', async () => {
    expect(fleet.fleet('config', 'set', 'retention.remove_after=1s').code).toBe(0)
    expect(JSON.parse(fleet.fleet('gc', '--dry-run', '--json').stdout)).toMatchObject({ dry_run: true })
    expect(fleet.fleet('gc')).toMatchObject({ code: 0, stdout: expect.stringContaining(' freed.') })
    await until(
      async () => !names(fleet, id).some((name) => /^(stdout|stderr)/.test(name)),
      () => `the output is removed: ${names(fleet, id)}`,
    )
    expect(names(fleet, id)).toEqual(['receipt.json'])
    expect(read()).toEqual(['', '', before[2]])
    expect(logs()).toEqual(expect.arrayContaining(today))
    expect(logs()).not.toContain(earlier)
  })
  // The end of the first supervisor ended its first attempt; the second one is under way.
  expect(names(fleet, running, 2)).toEqual(expect.arrayContaining(['stderr.log', 'stdout.jsonl']))
})

test('every row of this file was shown', () => expectAll())
