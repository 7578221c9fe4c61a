import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openLocalStore } from '../../src/app.ts'
import { freshState, type Request } from '../../src/domain/run/run.ts'
import { Home } from '../../src/platform/files/home.ts'
import { acquireSupervisorLock, type Held } from '../../src/platform/sqlite/supervisor-lock.ts'
import { FLEET, type Ran, runBeside, scrubbed, type TestHome, testHome } from '../support/cli.ts'
import { ended, inLedger, started } from '../support/ledger.ts'
import { created } from '../support/tasks.ts'

function statusOf(home: TestHome, id: string): { status: string; assignee: string; notes: string } {
  const [{ status, assignee = '', notes = '' }] = JSON.parse(home.bd(['show', id, '--json']).stdout)
  return { status, assignee, notes }
}

const stateOf = (home: TestHome, id: string) => inLedger(home, (ledger) => ledger.stateOf(id))

function supervisorLock(home: TestHome): Held {
  const acquired = acquireSupervisorLock(new Home(home.path), { version: 'test', now: Date.now() })
  if (acquired.kind === 'taken') throw new Error('the lock is taken')
  onTestFinished(() => acquired.lock.release())
  return acquired.lock
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** The test acts as the supervisor: it holds the home's lock, and answers requests while the command runs. */
async function withSupervisor(
  home: TestHome,
  argv: readonly string[],
  answer: (request: Request) => string,
): Promise<Ran> {
  using _lock = supervisorLock(home)
  const running = runBeside(process.execPath, [FLEET, ...argv], { env: { FLEET_HOME: home.path } })
  let over = false
  void running.finally(() => {
    over = true
  })
  await using store = openLocalStore(new Home(home.path))
  while (!over) {
    for (const request of store.ledger.pendingRequests())
      store.ledger.endRequest(request.id, { kind: 'done', at: Date.now(), text: answer(request) })
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return await running
}

describe('fleet pause and fleet resume', () => {
  test('stop and restart claiming, and say who did it', () => {
    const home = testHome()
    started(home, created(home, 'Running'))
    expect(home.fleet(['pause'])).toEqual({
      code: 0,
      stderr: '',
      stdout: 'Paused: nothing new is started. 1 agent keeps running. Continue with: fleet resume\n',
    })
    expect(inLedger(home, (ledger) => ledger.paused()?.by)).toBe('tester')
    expect(home.fleet(['pause']).stdout).toMatch(/^Already paused by tester at .+\.\n$/)
    expect(home.fleet(['resume'])).toEqual({ code: 0, stderr: '', stdout: 'Claiming continues.\n' })
    expect(inLedger(home, (ledger) => ledger.paused())).toBeUndefined()
    expect(home.fleet(['resume']).stdout).toBe('Nothing was paused.\n')
  })

  test('`fleet resume` gives each lane that is down or paused one trial run', () => {
    const home = testHome()
    const before = Date.now()
    const [down, paused, due, up] = [
      { name: 'claude', state: 'down', until: null, code: 'login', reason: 'not logged in', since: 1 },
      {
        name: 'codex',
        state: 'paused',
        until: before + 60_000,
        code: 'usage-limit',
        reason: 'a limit',
        since: 1,
        cap: 4,
      },
      { name: 'gemini', state: 'paused', until: 5, code: 'overload', reason: null, since: 1, cap: 2 },
      { name: 'shell', state: 'up', until: null, code: null, reason: null, since: 1 },
    ] as const
    inLedger(home, (ledger) => {
      for (const lane of [down, paused, due, up]) ledger.saveLane(lane)
    })
    expect(home.fleet(['resume']).stdout).toMatch(
      /^Lane claude is tried again \(it was down: not logged in\)\.\nLane codex is tried again \(it was paused until \d\d:\d\d:\d\d: a limit\)\.\n$/,
    )
    const lanes = inLedger(home, (ledger) => ledger.lanes())
    const until = lanes[0]?.until ?? 0
    expect(until).toBeGreaterThanOrEqual(before)
    expect(until).toBeLessThanOrEqual(Date.now())
    expect(lanes).toEqual([{ ...down, state: 'paused', until }, { ...paused, until }, due, up])
    expect(home.fleet(['resume']).stdout).toBe('Nothing was paused.\n')
  })

  test('block a waiting task, and open it again', () => {
    const home = testHome()
    const id = created(home, 'Waits')
    expect(home.fleet(['pause', id])).toEqual({ code: 0, stderr: '', stdout: `${id} is paused\n` })
    expect(statusOf(home, id)).toEqual({ status: 'blocked', assignee: '', notes: 'Paused by tester.' })
    expect(home.fleet(['show', id]).stdout).toContain('not running:  its status is blocked: paused by tester\n')
    expect(home.fleet(['pause', id]).stdout).toBe(`${id} is blocked already\n`)
    expect(home.fleet(['resume', id])).toEqual({ code: 0, stderr: '', stdout: `${id} is open again\n` })
    expect({ ...statusOf(home, id), waiting: stateOf(home, id).waiting }).toMatchObject({
      status: 'open',
      waiting: null,
    })
  })

  test('interrupt a running task through the supervisor', async () => {
    const home = testHome()
    const id = created(home, 'Runs')
    started(home, id)
    expect(home.fleet(['pause', id])).toMatchObject({ code: 6, stdout: '' })
    const asked: unknown[] = []
    const ran = await withSupervisor(home, ['pause', id], ({ kind, task, by }) => {
      asked.push({ kind, task, by })
      return 'paused by tester'
    })
    expect(ran).toEqual({ code: 0, stderr: '', stdout: `${id}: paused by tester\n` })
    expect(asked).toEqual([{ kind: 'pause-task', task: id, by: 'tester' }])
  })

  test('do not resume a task whose question has no answer', () => {
    const home = testHome()
    const id = created(home, 'Asked')
    const run = started(home, id)
    ended(home, run, { code: 'question', text: 'Which?' })
    home.bd(['update', id, '--status', 'blocked'])
    inLedger(home, (ledger) =>
      ledger.ask({ task: id, run: run.id, askedAt: 1, text: 'Which?', options: [], suggestion: null }),
    )
    for (const command of ['resume', 'retry']) {
      expect(home.fleet([command, id])).toEqual({
        code: 5,
        stdout: '',
        stderr: `fleet: ${id} waits for an answer\n  fleet answer ${id} "..."\n`,
      })
    }
  })
})

describe('fleet retry', () => {
  test('gives blocked tasks a fresh set of attempts', () => {
    const home = testHome()
    const ids = [created(home, 'One'), created(home, 'Two')]
    for (const id of ids) {
      ended(
        home,
        started(home, id),
        { code: 'error', text: 'exit 1' },
        { failures: 3, stalls: 1, handOvers: 1, waiting: 'why', session: 's' },
      )
      home.bd(['update', id, '--status', 'blocked'])
    }
    expect(home.fleet(['retry', ...ids])).toEqual({
      code: 0,
      stderr: '',
      stdout: ids.map((id) => `${id} is open, with a fresh set of attempts\n`).join(''),
    })
    for (const id of ids) {
      expect(statusOf(home, id).status).toBe('open')
      expect(stateOf(home, id)).toEqual({
        ...freshState(id),
        attempts: 1,
        session: 's',
        lastOutcome: { code: 'error', text: 'exit 1' },
      })
    }
  })

  test('ends the wait for the next attempt', async () => {
    const home = testHome()
    const id = created(home, 'Later')
    {
      await using store = openLocalStore(new Home(home.path))
      const [claim] = await store.queue.claim({ limit: 1, by: 'supervisor', leaseMs: 60_000 })
      if (claim === undefined) throw new Error('nothing was claimed')
      await store.queue.settle(claim, { to: 'open', notBefore: Date.now() + 3_600_000 })
    }
    expect(home.fleet(['ready']).stdout).toBe('Nothing is ready.\n')
    expect(home.fleet(['retry', id]).code).toBe(0)
    expect(home.fleet(['ready']).stdout).toContain(id)
  })

  test('refuses a closed task with what to do instead, and still retries the others', () => {
    const home = testHome()
    const [closed, open] = [created(home, 'Closed'), created(home, 'Open')]
    home.bd(['close', closed])
    expect(home.fleet(['retry', closed])).toEqual({
      code: 5,
      stdout: '',
      stderr: `fleet: ${closed} is closed\n  fleet bd reopen ${closed} opens it again\n`,
    })
    expect(home.fleet(['retry', closed, open])).toMatchObject({
      code: 5,
      stdout: `${open} is open, with a fresh set of attempts\n`,
    })
    expect(home.fleet(['retry', open, 'nothing-x']).code).toBe(4)
    expect(home.fleet(['retry']).code).toBe(2)
  })
})

describe('fleet kill', () => {
  test('asks the supervisor, and prints its answer', async () => {
    const home = testHome()
    const ids = [created(home, 'One'), created(home, 'Two')]
    for (const id of ids) started(home, id)
    const ran = await withSupervisor(home, ['kill', '--all'], ({ by }) => `stopped by ${by}`)
    expect(ran).toEqual({ code: 0, stderr: '', stdout: ids.map((id) => `${id}: stopped by tester\n`).join('') })
  })

  test('says on stderr what it waits for', async () => {
    const home = testHome()
    const id = created(home, 'Slow to end')
    started(home, id)
    using lock = supervisorLock(home)
    const child = spawn(process.execPath, [FLEET, 'kill', id], { env: { ...scrubbed(), FLEET_HOME: home.path } })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [output, [progress]] = [text(child.stdout), await once(child.stderr, 'data')]
    expect(String(progress)).toBe(`waiting for ${id} to end; after timeouts.grace fleet kills what is left\n`)
    inLedger(home, (ledger) => {
      for (const request of ledger.pendingRequests())
        ledger.endRequest(request.id, { kind: 'done', at: 1, text: 'stopped by tester; forced' })
    })
    expect(await output).toBe(`${id}: stopped by tester; forced\n`)
    lock.release()
  })

  test('ends the run itself if the supervisor dies first, and leaves no request behind', async () => {
    const home = testHome()
    const id = created(home, 'Left alone')
    started(home, id)
    const lock = supervisorLock(home)
    const running = runBeside(process.execPath, [FLEET, 'kill', id], { env: { FLEET_HOME: home.path } })
    await until(() => inLedger(home, (ledger) => ledger.pendingRequests().length) === 1)
    lock.release()
    // The text depends on milliseconds: the run may be over before the request. The command must answer either way.
    expect(await running).toMatchObject({ code: 0, stdout: expect.stringMatching(new RegExp(`^${id}: .+\n$`)) })
    expect(inLedger(home, (ledger) => ledger.pendingRequests())).toEqual([])
  })

  test('reports tasks that are not running and ends the others; with an unknown id it ends nothing', () => {
    const home = testHome()
    const [running, idle] = [created(home, 'Running'), created(home, 'Idle')]
    started(home, running)
    expect(home.fleet(['kill', idle])).toEqual({
      code: 5,
      stdout: '',
      stderr: `fleet: ${idle} is not running\n  fleet pause ${idle} keeps it from being started\n`,
    })
    expect(home.fleet(['kill', running, 'fleet-nope']).code).toBe(4)
    expect(inLedger(home, (ledger) => ledger.openRunOf(running))).toBeDefined()
    expect(home.bd(['close', idle]).code).toBe(0)
    const open = created(home, 'Open')
    const { code, stdout, stderr } = home.fleet(['kill', running, idle, open])
    expect({ code, stdout }).toEqual({ code: 5, stdout: expect.stringMatching(new RegExp(`^${running}: .+\n$`)) })
    expect(stderr).toContain(`fleet: ${idle} is closed\n  fleet show ${idle} says how it ended\n`)
    expect(stderr).toContain(`fleet: ${open} is not running\n`)
    expect(inLedger(home, (ledger) => ledger.openRunOf(running))).toBeUndefined()
    expect(inLedger(home, (ledger) => ledger.pendingRequests())).toEqual([])
    expect(testHome().fleet(['kill', '--all'])).toEqual({ code: 0, stderr: '', stdout: 'Nothing is running.\n' })
    expect(home.fleet(['kill']).code).toBe(2)
    expect(home.fleet(['kill', running, '--all']).code).toBe(2)
  })
})

test('an invalid configuration does not prevent `fleet pause`', () => {
  const home = testHome()
  writeFileSync(join(home.path, 'runtime.toml'), 'nonsense')
  expect(home.fleet(['pause']).code).toBe(0)
})
