import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findProgram } from '../../src/platform/process/program.ts'
import { FLEET, run, type TestHome, testHome } from '../support/cli.ts'
import { ended, inLedger, started } from '../support/ledger.ts'
import { created } from '../support/tasks.ts'

function notRunning(home: TestHome, id: string): string | undefined {
  return /^not running: +(.*)$/m.exec(home.fleet(['show', id]).stdout)?.[1]
}

test('`fleet show` tells given settings from defaults', () => {
  const home = testHome()
  const id = created(home, 'Fix the cart', '-d', 'It loses\nthings', '--model', 'opus')
  expect(home.fleet(['show', id])).toEqual({
    code: 0,
    stderr: '',
    stdout: `id:           ${id}
title:        Fix the cart
status:       open
cwd:          ${home.project}
coder:        claude (default)
model:        opus
not running:  no supervisor is running

It loses
things
`,
  })
})

test('another coder gets its own model, never the default of the configured one', () => {
  const home = testHome()
  const id = created(home, 'Fix the cart', '--coder', 'codex')
  const { stdout } = home.fleet(['show', id])
  expect(stdout).toContain('coder:        codex\n')
  expect(stdout).toContain("model:        the coder's own (default)\n")
})

test('defaults come from runtime.toml', () => {
  const home = testHome()
  const id = created(home, 'Fix the cart')
  expect(home.fleet(['config', 'set', 'coder=codex', 'model=gpt-5']).code).toBe(0)
  const { stdout } = home.fleet(['show', id])
  expect(stdout).toContain('coder:        codex (default)\nmodel:        gpt-5 (default)\n')
})

test('an invalid runtime.toml hides only the defaults', () => {
  const home = testHome()
  const [given, not] = [created(home, 'Given', '--coder', 'codex', '--model', 'o9'), created(home, 'Not')]
  const begun = created(home, 'Begun')
  ended(home, started(home, begun), { code: 'error', text: 'exit 1' }, { coder: 'claude', model: 'sonnet' })
  writeFileSync(join(home.path, 'runtime.toml'), 'max_concurrent = 0\n')
  const shown = home.fleet(['show', given])
  expect(shown).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^warning: runtime.toml: line 1: max_concurrent is 0, .*\n$/),
  })
  expect(shown.stdout).toContain('coder:        codex\nmodel:        o9\nnot running:  no supervisor is running\n')
  expect(home.fleet(['show', begun]).stdout).toContain(
    'coder:        claude (default)\nmodel:        sonnet (default)\n',
  )
  const unknown = 'as runtime.toml says, which is wrong (default)'
  expect(home.fleet(['show', not]).stdout).toContain(`coder:        ${unknown}\nmodel:        ${unknown}\n`)
  expect(JSON.parse(home.fleet(['show', not, '--json']).stdout).fleet).toMatchObject({ coder: null, model: null })
})

describe('`fleet show` says why a task is not running', () => {
  test('its blocker, until it closes', () => {
    const home = testHome()
    const first = created(home, 'First')
    const second = created(home, 'Second', '--deps', first)
    expect(notRunning(home, second)).toBe(`blocked by ${first}`)
    home.bd(['close', first])
    expect(notRunning(home, second)).toBe('no supervisor is running')
    expect(home.fleet(['show', first]).stdout).toMatch(/^closed: {7}[\d: -]+, Closed$/m)
  })

  test('a blocked parent', () => {
    const home = testHome()
    const blocker = created(home, 'Blocker')
    const parent = created(home, 'Parent', '-t', 'feature', '--deps', blocker)
    expect(notRunning(home, created(home, 'Child', '--parent', parent))).toBe(`blocked by ${parent}`)
  })

  test("its own deferral or a parent's", () => {
    const home = testHome()
    const parent = created(home, 'Parent', '-t', 'feature', '--defer', '2999-01-01T00:00:00Z')
    expect(notRunning(home, parent)).toBe('deferred until 2999-01-01T00:00:00Z')
    expect(notRunning(home, created(home, 'Child', '--parent', parent))).toBe('it is deferred, or a parent of it is')
  })

  test('no deferral whose date has passed', () => {
    const home = testHome()
    const [due, open] = [created(home, 'Due'), created(home, 'Open')]
    expect(home.bd(['update', due, '--status', 'deferred', '--defer', '2020-01-01T00:00:00Z']).code).toBe(0)
    expect(notRunning(home, due)).toBe(notRunning(home, open))
    const ready = JSON.parse(home.bd(['ready', '--json']).stdout) as { id: string; status: string }[]
    // Tasks of the same second stand by id.
    expect(new Map(ready.map(({ id, status }) => [id, status]))).toEqual(
      new Map([
        [due, 'open'],
        [open, 'open'],
      ]),
    )
  })

  test('the person who claimed it, or to whom it is assigned', () => {
    const home = testHome()
    const id = created(home, 'Mine', '-a', 'bob')
    expect(notRunning(home, id)).toBe('assigned to bob, who has not started it')
    home.bd(['update', id, '--claim', '--actor', 'bob'])
    expect(notRunning(home, id)).toMatch(/^claimed by bob since \d{4}-/)
  })

  test('its own status, and the person it waits for', () => {
    const home = testHome()
    const id = created(home, 'Stuck')
    home.bd(['update', id, '--status', 'blocked', '--add-label', 'needs-review'])
    expect(notRunning(home, id)).toBe('its status is blocked (needs-review)')
  })

  test('an epic, which is not work', () => {
    const home = testHome()
    expect(notRunning(home, created(home, 'All of it', '-t', 'epic'))).toBe(
      'an issue of type epic is not work to start; its children are',
    )
  })
})

test('`fleet show` lists the attempts with outcome, tokens and cost, and the open question', () => {
  const home = testHome()
  const id = created(home, 'Fix the cart')
  const figures = { usage: { input: 12_000, output: 300 }, costUsd: 0.125, estimated: false }
  ended(home, started(home, id, { figures }), { code: 'no-claim', text: 'it never\nsaid so' })
  const run = started(home, id, { figures: { usage: { input: 5 } } })
  ended(home, run, { code: 'question', text: 'it asked' })
  home.bd(['update', id, '--status', 'blocked'])
  inLedger(home, (ledger) =>
    ledger.ask({ task: id, run: run.id, askedAt: 1, text: 'Which?', options: ['a', 'b'], suggestion: 'a' }),
  )
  expect(home.fleet(['show', id]).stdout).toContain(`
not running:  its agent asked a question that nobody has answered
question:     Which?
options:      1) a
              2) b
suggestion:   a
              fleet answer ${id} <number or text>

attempts:
  1  no-claim  1m05s  12.3k tokens          $0.13  it never said so
  2  question  1m05s  5 tokens (estimate)          it asked
     total     2m10s  12.3k tokens         $0.13+  unknown: cost of 1 attempt

(no description)
`)
  const { fleet } = JSON.parse(home.fleet(['show', id, '--json']).stdout)
  expect(fleet).toMatchObject({
    running: null,
    waiting: { kind: 'question', question: 'Which?', text: 'its agent asked a question that nobody has answered' },
    question: { id: 1, asked_at: '1970-01-01T00:00:00Z', text: 'Which?', options: ['a', 'b'], suggestion: 'a' },
    attempts: [
      { attempt: 1, outcome: { code: 'no-claim' }, tokens: 12_300, cost_usd: 0.125 },
      { attempt: 2, outcome: { code: 'question' }, tokens: 5, cost_usd: null },
    ],
  })
})

test('a running task shows its start, attempt and process', () => {
  const home = testHome()
  const id = created(home, 'Fix the cart')
  ended(home, started(home, id), { code: 'lost', text: 'it went' })
  started(home, id)
  const { stdout } = home.fleet(['show', id])
  expect(stdout).toMatch(/^running: {6}since [\d: -]+, attempt 2, pid 4711$/m)
  expect(stdout).not.toContain('not running')
  const { running, waiting } = JSON.parse(home.fleet(['show', id, '--json']).stdout).fleet
  expect({ running, waiting }).toMatchObject({ running: { attempt: 2, pid: 4711, phase: 'running' }, waiting: null })
})

test('a running task shows its open tool, its last words, its context and its silence', () => {
  const home = testHome()
  const id = created(home, 'Fix the cart')
  const now = Date.now()
  const run = started(home, id, {
    startedAt: now - 600_000,
    figures: {
      openTool: 'Bash: npm test',
      contextPeak: 90_000,
      contextWindow: 200_000,
      lastEventAt: now - 125_000,
      session: 's',
    },
  })
  const said = (text: string, of: string) => JSON.stringify({ v: 1, attempt: 1, run: of, kind: 'text', text })
  mkdirSync(join(home.path, 'tasks', id), { recursive: true })
  const events = [said('I look', run.id), said('The test \u001b[31mfails.\nWhy?', run.id), said('not mine', 'other')]
  writeFileSync(join(home.path, 'tasks', id, 'events.jsonl'), `${events.join('\n')}\n`)
  const shown = home.fleet(['show', id]).stdout
  expect(shown).toMatch(
    /^tool: {9}Bash: npm test\nsaid: {9}The test fails\.\ncontext: {6}90k 45%\nsilent for: {3}2m\d\ds$/m,
  )
  const { running } = JSON.parse(home.fleet(['show', id, '--json']).stdout).fleet
  expect(running).toMatchObject({ open_tool: 'Bash: npm test', last_text: 'The test \u001b[31mfails.\nWhy?' })
})

describe('an edit of task.json by hand that fleet has not taken in', () => {
  function edited(home: TestHome, id: string, change: object): void {
    const file = join(home.path, 'tasks', id, 'task.json')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...change }))
  }

  test('is shown as pending, and nothing is changed by looking', () => {
    const home = testHome()
    const id = created(home, 'Fix the cart', '--model', 'opus')
    edited(home, id, { coder: 'codex', model: '' })
    const { stdout } = home.fleet(['show', id])
    expect(stdout).toContain('task.json:    edited by hand: coder codex, no model (applied before the next attempt)\n')
    expect(stdout).toContain('coder:        claude (default)\nmodel:        opus\n')
    expect(JSON.parse(home.fleet(['show', id, '--json']).stdout).fleet.pending_edit).toEqual({
      kind: 'valid',
      change: { coder: 'codex', model: '' },
      held: false,
    })
  })

  test('is shown with what is wrong with it', () => {
    const home = testHome()
    const id = created(home, 'Fix the cart')
    edited(home, id, { coder: 'cobol' })
    expect(home.fleet(['show', id]).stdout).toMatch(/^task\.json: {4}edited by hand, and wrong: .*cobol/m)
  })

  test('will be set aside while an agent is at work', () => {
    const home = testHome()
    const id = created(home, 'Fix the cart')
    started(home, id)
    edited(home, id, { model: 'opus' })
    expect(home.fleet(['show', id]).stdout).toMatch(/^task\.json: {4}edited by hand: model opus \(set aside when/m)
  })
})

describe('on a terminal `fleet show`', () => {
  const script = findProgram('script', process.env)

  function onTerminal(home: TestHome, id: string, env: NodeJS.ProcessEnv = {}): string {
    const command = `stty cols 50; '${process.execPath}' '${FLEET}' show ${id}`
    const { stdout } = run(script ?? '', ['-qec', command, '/dev/null'], {
      env: { FLEET_HOME: home.path, TERM: 'xterm', ...env },
    })
    return stdout.replaceAll('\r', '')
  }

  test.skipIf(script === undefined)('has colours, and wraps at words within the width', () => {
    const home = testHome()
    const id = created(home, 'Fix the cart', '-d', 'It loses things at night, when nobody looks, and finds them again.')
    ended(home, started(home, id), {
      code: 'error',
      text: 'the tests of the cart failed, all of them, again and again',
    })
    const text = onTerminal(home, id)
    expect(text).toContain('\u001b[1mFix the cart\u001b[0m')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours
    const lines = text.replace(/\u001b\[\d+m/g, '').split('\n')
    expect(lines.filter((line) => line.length > 50)).toEqual([])
    expect(lines).toContain('It loses things at night, when nobody looks, and')
    expect(onTerminal(home, id, { NO_COLOR: '1' })).not.toContain('\u001b')
  })
})

test('--json is the envelope of `bd show` plus a fleet object', () => {
  const home = testHome()
  const id = created(home, 'Fix the cart', '--coder', 'codex')
  const enveloped = JSON.parse(home.bd(['show', id, '--json'], { env: { BD_JSON_ENVELOPE: '1' } }).stdout)
  expect(JSON.parse(home.fleet(['show', id, '--json']).stdout)).toEqual({
    ...enveloped,
    fleet: {
      cwd: home.project,
      coder: 'codex',
      model: null,
      command: null,
      verify: null,
      close_at: null,
      evidence: null,
      scope: null,
      read_only: null,
      on: null,
      isolation: null,
      target: null,
      locks: [],
      sandbox: 'off',
      worktree: null,
      defaults: ['model'],
      running: null,
      waiting: { kind: 'no-supervisor', text: 'no supervisor is running' },
      question: null,
      refused_edit: null,
      pending_edit: null,
      attempts: [],
      total: { duration_ms: 0, tokens: null, usage: {}, cost_usd: null, tokens_missing: 0, cost_missing: 0 },
      notes: [],
    },
  })
})

describe('an id that names no single task', () => {
  test('an unknown id exits 4 and lists the nearest ones', () => {
    const home = testHome()
    home.bd(['create', 'One', '--id', 'fleet-a1b'])
    expect(home.fleet(['show', 'fleet-a1c'])).toEqual({
      code: 4,
      stdout: '',
      stderr: 'fleet: no task "fleet-a1c"\n  did you mean fleet-a1b?\n',
    })
  })

  test('an ambiguous id exits 4 and lists its matches', () => {
    const home = testHome()
    for (const id of ['fleet-a1b', 'fleet-a1c']) home.bd(['create', 'One', '--id', id])
    const { code, stdout, stderr } = home.fleet(['show', 'a1', '--json'])
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toContain('[fleet-a1b fleet-a1c]')
  })

  test('no id, or two, is a usage error', () => {
    const home = testHome()
    expect(home.fleet(['show']).code).toBe(2)
    expect(home.fleet(['show', 'a', 'b']).code).toBe(2)
  })
})

test('escapes in a task never reach the terminal', () => {
  const home = testHome()
  const id = created(home, 'red \u001b[31malert', '-d', 'and \u001b]0;owned\u0007 here')
  const text = home.fleet(['show', id]).stdout + home.fleet(['show', id, '--json']).stdout
  expect(text).toContain('alert')
  expect(['\u001b', '\u0007'].filter((char) => text.includes(char))).toEqual([])
})
