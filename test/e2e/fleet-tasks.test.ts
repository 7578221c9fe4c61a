import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findProgram } from '../../src/platform/process/program.ts'
import { FLEET, run, scrubbed, type TestHome, testHome } from '../support/cli.ts'
import { ended, inLedger, started } from '../support/ledger.ts'
import { created } from '../support/tasks.ts'
import { hasScript } from '../support/tools.ts'

function block(home: TestHome, id: string): void {
  expect(home.bd(['update', id, '--status', 'blocked']).code).toBe(0)
}

const NO_SUPERVISOR = { kind: 'supervisor', running: 0 }

test('in an empty home, `fleet tasks` says that nothing runs, and why', () => {
  expect(testHome().fleet(['tasks'])).toEqual({
    code: 0,
    stderr: '',
    stdout: `Needs you
What\tWhich\tWhy\tWhat to do
stopped\t\tno supervisor is running\tfleet run

Nothing is running.
`,
  })
})

test('--json lists running tasks as one document, and tells given settings from defaults', () => {
  const home = testHome()
  const id = created(home, 'Fix the cart', '--coder', 'claude')
  const run = started(home, id, {
    title: 'Fix the cart',
    startedAt: Date.parse('2026-11-15T14:00:00Z'),
    figures: { usage: { input: 10, output: 5 }, contextPeak: 90, contextWindow: 200, events: 3, session: 's' },
  })
  expect(JSON.parse(home.fleet(['tasks', '--json']).stdout)).toEqual({
    schema_version: 1,
    supervisor: null,
    attention: [{ ...NO_SUPERVISOR, running: 1 }],
    running: [
      {
        id,
        title: 'Fix the cart',
        run: run.id,
        attempt: 1,
        phase: 'running',
        review_waits: null,
        pid: 4711,
        started_at: '2026-11-15T14:00:00Z',
        ended_at: null,
        last_event_at: null,
        coder: 'claude',
        model: 'sonnet',
        served_model: null,
        lane: 'claude',
        cwd: home.project,
        project: home.project,
        session: 's',
        outcome: null,
        context_peak: 90,
        context_window: 200,
        context_pct: 45,
        tokens: 15,
        usage: { input: 10, output: 5 },
        cost_usd: null,
        estimated: true,
        verifying: null,
        warnings: [],
        events: 3,
        tool_calls: 0,
        open_tool: null,
        silence: null,
        suspicious: true,
        defaults: ['model'],
      },
    ],
  })
})

test('`fleet tasks` lists what needs a person: a pause, the configuration, lanes, questions, and blocked tasks', () => {
  const home = testHome()
  const [asked, failed, byHand] = [created(home, 'Asked'), created(home, 'Failed'), created(home, 'By hand')]
  const run = started(home, asked)
  ended(home, run, { code: 'question', text: 'Which?' })
  ended(
    home,
    started(home, failed),
    { code: 'error', text: 'exit 1' },
    { next: { to: 'blocked', notes: '3 attempts failed' } },
  )
  for (const id of [asked, failed, byHand]) block(home, id)
  inLedger(home, (ledger) => {
    ledger.ask({
      task: asked,
      run: run.id,
      askedAt: Date.parse('2026-11-15T14:00:00Z'),
      text: 'Which?',
      options: ['a', 'b'],
      suggestion: null,
    })
    ledger.saveLane({ name: 'codex', state: 'down', until: null, code: 'login', reason: 'not logged in', since: 0 })
    ledger.pause('tester', Date.parse('2026-11-15T14:01:00Z'))
  })
  writeFileSync(join(home.path, 'runtime.toml'), 'max_concurrent = 0\n')
  const { attention, running } = JSON.parse(home.fleet(['tasks', '--json']).stdout)
  expect({ attention, running }).toEqual({
    attention: [
      NO_SUPERVISOR,
      { kind: 'paused', by: 'tester', at: '2026-11-15T14:01:00Z' },
      { kind: 'configuration', text: expect.stringContaining('runtime.toml: line 1: max_concurrent is 0') },
      { kind: 'lane', lane: 'codex', state: 'down', reason: 'not logged in', until: null },
      {
        kind: 'question',
        task: asked,
        text: 'Which?',
        options: ['a', 'b'],
        suggestion: null,
        asked_at: '2026-11-15T14:00:00Z',
      },
      { kind: 'blocked', task: failed, title: 'Failed', reason: '3 attempts failed', way: 'retry' },
    ],
    running: [],
  })
})

describe('--all', () => {
  const all = (home: TestHome) => JSON.parse(home.fleet(['tasks', '--all', '--json']).stdout)

  test('adds queued tasks, in claim order, with the coder and model they will get', () => {
    const home = testHome()
    const [low, high] = [created(home, 'Low', '-p', '3'), created(home, 'High', '-p', '0', '--coder', 'shell')]
    const later = created(home, 'Later')
    ended(
      home,
      started(home, later, { coder: 'codex', model: 'o9' }),
      { code: 'stopped', text: 'stopped' },
      {
        coder: 'codex',
        model: 'o9',
      },
    )
    const row = { cwd: home.project, priority: 2, model: 'sonnet' }
    expect(all(home).queued).toEqual([
      { ...row, id: high, title: 'High', priority: 0, coder: 'shell', model: null, defaults: ['model'] },
      { ...row, id: later, title: 'Later', coder: 'codex', model: 'o9', defaults: ['coder', 'model'] },
      { ...row, id: low, title: 'Low', priority: 3, coder: 'claude', defaults: ['coder', 'model'] },
    ])
  })

  test('adds waiting tasks, soonest first, with the reason: a retry, a date, another task', () => {
    const home = testHome()
    const [later, down] = [created(home, 'Later'), created(home, 'Down')]
    const after = created(home, 'After', '--deps', later)
    const epic = created(home, 'Big', '-t', 'epic')
    const part = created(home, 'Part', '--parent', epic)
    const [someDay, tomorrow] = [created(home, 'Some day'), created(home, 'Tomorrow', '--defer', '2100-01-02')]
    expect(home.bd(['update', someDay, '--status', 'deferred']).code).toBe(0)
    expect(home.bd(['update', epic, '--defer', '2100-01-01']).code).toBe(0)
    const failed = { code: 'no-claim', text: 'it never said so' } as const
    const until = Date.parse('2099-12-31T00:00:00Z')
    ended(home, started(home, later), failed, { waiting: 'retry 2 of 3: no claim', waitingUntil: until })
    ended(home, started(home, down), failed, { waiting: 'not logged in' })
    const deferredUntil = (id: string) => JSON.parse(home.bd(['show', id, '--json']).stdout)[0].defer_until
    const { queued, waiting } = all(home)
    expect(queued).toEqual([])
    expect(waiting).toEqual([
      {
        id: later,
        title: 'Later',
        kind: 'later',
        reason: 'retry 2 of 3: no claim',
        until: '2099-12-31T00:00:00Z',
        blocked_by: [],
      },
      {
        id: part,
        title: 'Part',
        kind: 'deferred',
        reason: `part of ${epic}, which is deferred`,
        until: deferredUntil(epic),
        blocked_by: [],
      },
      {
        id: tomorrow,
        title: 'Tomorrow',
        kind: 'deferred',
        reason: 'deferred',
        until: deferredUntil(tomorrow),
        blocked_by: [],
      },
      { id: after, title: 'After', kind: 'blocked', reason: `blocked by ${later}`, until: null, blocked_by: [later] },
      { id: someDay, title: 'Some day', kind: 'deferred', reason: 'deferred', until: null, blocked_by: [] },
      { id: down, title: 'Down', kind: 'later', reason: 'not logged in', until: null, blocked_by: [] },
    ])
  })

  test('adds tasks with a status of your own as waiting, unless it means done', () => {
    const home = testHome()
    expect(home.bd(['config', 'set', 'status.custom', 'in_review:wip,plain,shipped:done']).code).toBe(0)
    const [review, plain, shipped] = [created(home, 'Review'), created(home, 'Plain'), created(home, 'Shipped')]
    const failed = { code: 'error', text: 'exit 1' } as const
    for (const id of [review, shipped]) ended(home, started(home, id), failed)
    for (const [id, status] of [
      [review, 'in_review'],
      [plain, 'plain'],
      [shipped, 'shipped'],
    ] as const)
      expect(home.bd(['update', id, '--status', status]).code).toBe(0)
    const { queued, waiting, ended: past } = all(home)
    const row = { kind: 'status', until: null, blocked_by: [] }
    expect(queued).toEqual([])
    expect(waiting.sort((a: { title: string }, b: { title: string }) => (a.title < b.title ? -1 : 1))).toEqual([
      { ...row, id: plain, title: 'Plain', reason: 'its status is plain' },
      { ...row, id: review, title: 'Review', reason: 'its status is in_review' },
    ])
    expect(past).toMatchObject([{ id: shipped, status: 'shipped' }])
    expect(home.fleet(['tasks', '--all']).stdout).toContain('its status is in_review')
  })

  test('adds the tasks that ended last: each once, with its last outcome and its number of attempts', () => {
    const home = testHome()
    const [twice, once, goesOn] = [created(home, 'Twice'), created(home, 'Once'), created(home, 'Goes on')]
    const failed = { code: 'error', text: 'exit 1' } as const
    for (const id of [twice, twice, once, goesOn]) ended(home, started(home, id, { title: id }), failed)
    block(home, twice)
    expect(home.bd(['close', once]).code).toBe(0)
    const rows = all(home).ended.map(({ id, attempts, outcome, status }: Record<string, unknown>) => {
      return { id, attempts, outcome, status }
    })
    const outcome = { ...failed, by: null, resets_at: null }
    expect(rows).toEqual([
      { id: once, attempts: 1, outcome, status: 'closed' },
      { id: twice, attempts: 2, outcome, status: 'blocked' },
    ])
  })

  test('adds the total time and cost of all attempts of an ended task, beside the figures of the last', () => {
    const home = testHome()
    const [thrice, untold] = [created(home, 'Thrice'), created(home, 'Untold')]
    const failed = { code: 'error', text: 'exit 1' } as const
    for (const figures of [
      { usage: { input: 1000, output: 200 }, costUsd: 0.5 },
      { session: 's' },
      { usage: { input: 30, cacheRead: 4 }, costUsd: 0.25 },
    ])
      ended(home, started(home, thrice, { figures }), failed)
    ended(home, started(home, untold), failed)
    for (const id of [thrice, untold]) block(home, id)
    const rows = all(home).ended.map(({ id, tokens, cost_usd, total }: Record<string, unknown>) => {
      return { id, tokens, cost_usd, total }
    })
    expect(rows).toEqual([
      {
        id: untold,
        tokens: null,
        cost_usd: null,
        total: { duration_ms: 65_000, tokens: null, usage: {}, cost_usd: null, tokens_missing: 0, cost_missing: 0 },
      },
      {
        id: thrice,
        tokens: 34,
        cost_usd: 0.25,
        total: {
          duration_ms: 195_000,
          tokens: 1234,
          usage: { input: 1030, output: 200, cacheRead: 4 },
          cost_usd: 0.75,
          tokens_missing: 1,
          cost_missing: 1,
        },
      },
    ])
    expect(home.fleet(['tasks', '--all']).stdout).toMatch(/\t3m15s\t3\terror\tblocked\t1.2k\+\t\$0.75\+\t/)
  })

  test('counts each task once against --limit, however many attempts it had', () => {
    const home = testHome()
    const ids = ['A', 'B', 'C'].map((title) => created(home, title))
    for (const id of ids) {
      for (let i = 0; i < 3; i++) ended(home, started(home, id), { code: 'error', text: 'exit 1' })
      block(home, id)
    }
    const two = JSON.parse(home.fleet(['tasks', '--all', '--json', '--limit', '2']).stdout)
    expect(two.ended.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[1]])
  })
})

test('--limit bounds each part, and says that there is more', () => {
  const home = testHome()
  for (const title of ['One', 'Two', 'Three']) started(home, created(home, title), { title })
  const { stdout } = home.fleet(['tasks', '--limit', '2'])
  expect(stdout).toContain('\tTwo\t')
  expect(stdout).not.toContain('\tThree\t')
  expect(stdout).toContain('… and more; --limit shows them')
  expect(home.fleet(['tasks', '--limit', '0']).code).toBe(2)
})

test("an agent's text cannot control the terminal", () => {
  const home = testHome()
  started(home, created(home, 'Plain'), { title: 'red \u001b[31malert\u0007\nmore', cwd: '/a\tb' })
  const { stdout } = home.fleet(['tasks'])
  expect(stdout).toContain('\tred alert more\t/a b\n')
})

describe('on a terminal', () => {
  const script = findProgram('script', process.env)

  function onTerminal(home: TestHome, columns: number, env: NodeJS.ProcessEnv = {}): string {
    const command = `stty cols ${columns} rows 30; '${process.execPath}' '${FLEET}' tasks`
    const argv = ['-qec', command, '/dev/null']
    return run(script ?? '', argv, { env: { FLEET_HOME: home.path, TERM: 'xterm', ...env } }).stdout
  }

  test.skipIf(!hasScript)('the output has colours, and fits the width', () => {
    const home = testHome()
    started(home, created(home, 'x'.repeat(200), '--coder', 'claude'), { title: 'x'.repeat(200) })
    const text = onTerminal(home, 60)
    expect(text).toContain('\u001b[1mRunning\u001b[0m')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours
    const lines = text.replace(/\u001b\[\d+m/g, '').split(/\r?\n/)
    expect(lines.filter((line) => line.length > 60)).toEqual([])
    expect(lines.some((line) => line.endsWith('xxx…'))).toBe(true)
  })

  test.skipIf(!hasScript)('NO_COLOR turns the colours off', () => {
    const home = testHome()
    expect(onTerminal(home, 80, { NO_COLOR: '1' })).not.toContain('\u001b')
  })
})

test('--watch prints again after a change, and ends on a signal', async () => {
  const home = testHome()
  const id = created(home, 'Watched')
  const child = spawn(process.execPath, [FLEET, 'tasks', '--watch', '--json'], {
    env: { ...scrubbed(), FLEET_HOME: home.path },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value).running.map((run: { id: string }) => run.id)
  expect(await next()).toEqual([])
  started(home, id)
  expect(await next()).toEqual([id])
  const end = new Promise((resolve) => child.on('exit', (_code, signal) => resolve(signal)))
  child.kill('SIGINT')
  expect(await end).toBe('SIGINT')
})
