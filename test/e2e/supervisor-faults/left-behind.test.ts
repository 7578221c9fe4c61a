import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { Home } from '../../../src/platform/files/home.ts'
import { processEntry } from '../../../src/platform/process/process-table.ts'
import { acquireSupervisorLock } from '../../../src/platform/sqlite/supervisor-lock.ts'
import { eventually, fleetHome } from '../../support/home-run.ts'
import { inLedger } from '../../support/ledger.ts'

test('a pipe in place of task.json blocks its own task and holds up no other', async () => {
  const fleet = await fleetHome()
  const id = await fleet.script('echo ran')
  const file = join(new Home(fleet.path).task(id), 'task.json')
  mkdirSync(dirname(file), { recursive: true })
  rmSync(file, { force: true })
  execFileSync('mkfifo', [file])
  await fleet.supervise()
  await fleet.becomes(id, 'blocked')
  const other = await fleet.script('echo fine')
  await fleet.becomes(other, 'closed')
  expect((await fleet.task(id))?.notes).toContain('it is a pipe')
  await fleet.expectNoAgents()
})

test('an old attempt folder, as after a restored backup, is not mistaken for the new attempt', async () => {
  const fleet = await fleetHome()
  const id = await fleet.script('echo ran >>ran; exit 3')
  const folder = join(new Home(fleet.path).task(id), 'attempts', '1')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'exit.json'), '{"code":0}\n')
  writeFileSync(join(folder, 'exit.json.pid'), '1\n')
  await fleet.supervise()
  await fleet.logged('run-ended')
  expect(fleet.lines('ran')).toEqual(['ran'])
  expect(fleet.runsOf(id)[0]?.outcome).toEqual({ code: 'error', text: 'exit 3' })
  await fleet.expectNoAgents()
})

test('a folder that cannot be removed does not keep its slot occupied', async () => {
  const fleet = await fleetHome()
  await fleet.supervise()
  const id = await fleet.script(
    'mkdir "$TMPDIR/x"; touch "$TMPDIR/x/f"; chmod 555 "$TMPDIR/x"; chmod 400 "$FLEET_TASK_DIR"/*.json',
  )
  await fleet.becomes(id, 'closed')
  await fleet.expectNoAgents()
})

test('a process without the marker still belongs to the run while it is in its process group', async () => {
  const fleet = await fleetHome(['pid_namespace=off'])
  await fleet.supervise()
  const id = await fleet.script('env -i sleep 600 & echo $! >>left; exit 0')
  await fleet.becomes(id, 'closed')
  const [pid] = fleet.lines('left').map(Number)
  expect(processEntry(pid as number)?.alive ?? false).toBe(false)
})

test('a dependent starts only when no process of its blocker is left, in any session', async () => {
  const fleet = await fleetHome(['pid_namespace=off'])
  const writes = 'trap "" TERM HUP; echo $$ >left; while :; do echo >>beats; done'
  const first = await fleet.script(`setsid sh -c '${writes}' & until [ -s left ]; do sleep 0.02; done`)
  const second = await fleet.script(
    'case "$(ps -o stat= -p $(cat left))" in ""|Z*) echo gone ;; *) echo there ;; esac >>seen',
  )
  expect(fleet.fleet(['bd', 'dep', 'add', second, first])).toMatchObject({ code: 0 })
  await fleet.supervise()
  await fleet.becomes(second, 'closed')
  expect(fleet.lines('seen')).toEqual(['gone'])
  const receipt = JSON.parse(readFileSync(join(new Home(fleet.path).task(first), 'attempts/1/receipt.json'), 'utf8'))
  expect(receipt.leftovers).toMatchObject([{ pid: Number(fleet.lines('left')[0]) }])
})

test('`fleet run stop` with an id stops nothing', async () => {
  const fleet = await fleetHome()
  await fleet.supervise()
  const ran = await fleet.beside(['run', 'stop', 'fleet-abc'])
  expect({ code: ran.code, stderr: ran.stderr }).toEqual({
    code: 2,
    stderr: `fleet: fleet run stop takes no arguments, got "fleet-abc"\n  fleet kill <id> ends one task, fleet pause <id> interrupts it; nothing was stopped\n`,
  })
  expect((await fleet.beside(['run', 'status'])).code).toBe(0)
})

test('a drain request to an earlier supervisor does not end the next one', async () => {
  const fleet = await fleetHome()
  inLedger(fleet, (ledger) => ledger.request('drain', '', 'tester', Date.now()))
  await fleet.supervise()
  const id = await fleet.script('echo still claiming')
  await fleet.becomes(id, 'closed')
})

test('a supervisor obeys a drain request made while it starts', async () => {
  const fleet = await fleetHome()
  const id = await fleet.script('echo never')
  // Requests are possible once it holds the lock, long before it first reads them.
  inLedger(fleet, (ledger) => ledger.request('drain', '', 'tester', Date.now() + 60_000))
  const supervisor = await fleet.supervise({ wait: false })
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  expect(await fleet.status(id)).toBe('open')
})

test('`fleet run drain` reports a supervisor that ignores the request, and says what to do', async () => {
  const fleet = await fleetHome()
  const acquired = acquireSupervisorLock(new Home(fleet.path), { version: '0', now: Date.now() })
  if (acquired.kind !== 'held') throw new Error('the lock is taken')
  using _lock = acquired.lock
  const drain = fleet.beside(['run', 'drain'])
  await eventually(() => inLedger(fleet, (ledger) => ledger.pendingRequests().length === 1), 'it has asked')
  inLedger(fleet, (ledger) => {
    for (const { id } of ledger.pendingRequests())
      ledger.endRequest(id, { kind: 'withdrawn', at: Date.now(), text: 'withdrawn: it was asked of another' })
  })
  expect(await drain).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/the supervisor does not drain \(withdrawn: .*\)\n.*fleet run drain/),
  })
})

test('--once ends while claiming is paused, without waiting for a person', async () => {
  const fleet = await fleetHome()
  await fleet.script('echo never')
  expect((await fleet.beside(['pause'])).code).toBe(0)
  const supervisor = await fleet.supervise({ argv: ['--once'], wait: false })
  expect(await supervisor.exited).toEqual({ code: 1, signal: null })
  expect(await fleet.statuses()).toEqual(['open'])
})

test('an agent that was being stopped when its supervisor died does not count as a failure', async () => {
  const fleet = await fleetHome(['timeouts.grace=5s', 'pid_namespace=off'])
  const first = await fleet.supervise()
  const id = await fleet.script('trap "sleep 1; exit 143" TERM; touch up; while :; do sleep 0.1; done')
  await eventually(() => fleet.exists('up'), 'it runs')
  first.kill('SIGTERM')
  await eventually(() => fleet.runsOf(id)[0]?.phase === 'stopping', 'it is being stopped')
  first.kill('SIGKILL')
  await first.exited
  expect((await fleet.beside(['pause'])).code).toBe(0)
  await fleet.supervise()
  await eventually(() => fleet.openRuns() === 0, 'its run is over')
  expect(fleet.runsOf(id)[0]?.outcome?.code).toBe('stopped')
  expect({ failures: fleet.stateOf(id).failures, status: await fleet.status(id) }).toEqual({
    failures: 0,
    status: 'open',
  })
  await fleet.expectNoAgents()
})
