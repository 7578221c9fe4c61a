import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually, startProgram } from '../support/agents.ts'
import { type Ran, type RunOptions, run, scrubbed, temporaryFolder } from '../support/cli.ts'
import { STUB, type Step, stubAs, stubBlock } from './stub-as.ts'

function stub(steps: readonly Step[], options: RunOptions = {}): Ran {
  const folder = temporaryFolder()
  const script = join(folder, 'steps.json')
  writeFileSync(script, JSON.stringify(steps))
  return run(process.execPath, [STUB], { cwd: folder, ...options, env: { STUB_SCRIPT: script, ...options.env } })
}

const events = ({ stdout }: Ran): unknown[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

describe('the stub prints', () => {
  test('lines, half lines and errors, and exits with the given code', () => {
    const steps = [{ emit: { a: 1 } }, { emit: 'two' }, { stderr: 'oh' }, { raw: '{"half":' }, { exit: 3 }]
    expect(stub(steps)).toEqual({ code: 3, stdout: '{"a":1}\ntwo\n{"half":', stderr: 'oh\n' })
  })

  test('bytes that are not text', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 's'), JSON.stringify([{ bytes: '00ff0a' }]))
    const ran = run('/bin/sh', ['-c', `'${process.execPath}' '${STUB}' s | od -An -tx1`], { cwd: folder })
    expect(ran.stdout.trim()).toBe('00 ff 0a')
  })

  test('long lines and floods', () => {
    const [long] = events(stub([{ line: 3 }])) as [{ text: string }]
    expect(long.text).toHaveLength(3 << 20)
    const ran = stub([{ flood: 1200, size: 100 }])
    expect(events(ran)).toHaveLength(1200)
    expect(ran.stdout).toHaveLength(1200 * 100)
  })

  test('its version', () => {
    const claude = stubAs('claude', [{ exit: 1 }])
    expect(run(join(claude.folder, 'claude'), ['--version'])).toMatchObject({
      code: 0,
      stdout: '2.1.325 (Claude Code)\n',
    })
    expect(claude.starts()).toEqual([])
  })
})

describe('the stub can', () => {
  test('write, append and touch files, with names from the environment', () => {
    const folder = temporaryFolder()
    const steps = [{ write: '$AT/a', text: 'one\n' }, { append: 'a', text: '$AT\n' }, { touch: 'b' }, { waitFor: 'b' }]
    expect(stub(steps, { cwd: folder, env: { AT: folder } }).code).toBe(0)
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe(`one\n${folder}\n`)
    expect(existsSync(join(folder, 'b'))).toBe(true)
  })

  test('commit', () => {
    const folder = temporaryFolder()
    const steps = [
      { git: ['init', '-q'] },
      { write: 'a', text: 'one' },
      { git: ['add', 'a'] },
      { git: ['commit', '-qm', 'one'] },
    ]
    expect(stub(steps, { cwd: folder })).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(run('git', ['log', '--format=%an %s'], { cwd: folder }).stdout).toBe('stub one\n')
  })

  test('run commands, including fleet, and keep their output', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'fleet'), '#!/bin/sh\necho "fleet $*"; exit 5\n')
    chmodSync(join(folder, 'fleet'), 0o755)
    const env = { PATH: `${folder}:${process.env['PATH']}` }
    stub(
      [
        { fleet: ['done', 'all of it'], to: 'answer' },
        { run: ['nothing-such'], to: 'other' },
      ],
      { cwd: folder, env },
    )
    const answer = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
    expect(answer('answer')).toEqual({ code: 5, stdout: 'fleet done all of it\n', stderr: '' })
    expect(answer('other')).toMatchObject({ code: 127 })
  })

  test('read its stdin to the end', () => {
    const folder = temporaryFolder()
    stub([{ stdin: 'heard' }], { cwd: folder, input: 'the prompt' })
    expect(readFileSync(join(folder, 'heard'), 'utf8')).toBe('the prompt')
  })

  test('wait, idle or busy', () => {
    const started = performance.now()
    expect(stub([{ sleep: 30 }, { burn: 30 }, { repeat: 3, do: [{ emit: 'x' }] }]).stdout).toBe('x\nx\nx\n')
    expect(performance.now() - started).toBeGreaterThan(55)
  })

  test('repeat its steps until a file exists', () => {
    const steps = [{ until: 'b', do: [{ emit: 'x' }, { run: ['mv', 'a', 'b'] }, { touch: 'a' }] }]
    expect(stub(steps, { cwd: temporaryFolder() }).stdout).toBe('x\nx\n')
  })

  test('only do steps that it knows', () => {
    expect(stub([{ dance: true }])).toMatchObject({ code: 1, stderr: expect.stringContaining('no such step') })
  })
})

describe('the stub ends', () => {
  test('by a signal to itself', async () => {
    const run = await startProgram(process.execPath, [STUB, '--steps', '[{"kill":"SIGKILL"}]'])
    await run.ended
    expect(run.agents.exitOf(run)).toBe(128 + 9)
  })

  test('on a signal by its own steps, or ignores the signal', async () => {
    const steps = [
      { on: 'SIGTERM', do: [{ emit: 'bye' }, { exit: 4 }] },
      { ignore: ['SIGINT'] },
      { emit: 'up' },
      { hang: true },
    ]
    const run = await startProgram(process.execPath, [STUB, '--steps', JSON.stringify(steps)])
    await eventually(() => run.text('stdout.jsonl') === 'up\n', 'it hangs')
    process.kill(-run.proc.pid, 'SIGINT')
    run.agents.signal(run, 'SIGTERM')
    await run.ended
    expect(run.text('stdout.jsonl')).toBe('up\nbye\n')
    expect(run.agents.exitOf(run)).toBe(4)
  })

  test('normally after it has closed its stdout', async () => {
    const steps = [{ emit: 'last' }, { close: 'stdout' }, { write: 'after' }, { exit: 6 }]
    const run = await startProgram(process.execPath, [STUB, '--steps', JSON.stringify(steps)])
    await run.ended
    expect([run.text('stdout.jsonl'), run.exists('after'), run.agents.exitOf(run)]).toEqual(['last\n', true, 6])
  })

  test.each([
    { what: 'a child in its group', child: {}, group: true },
    { what: 'a child in its own session', child: { setsid: true }, group: false },
    { what: 'a child that holds stdout', child: { setsid: true, hold: true }, group: false },
    { what: 'a grandchild whose parent has ended', child: { setsid: true, fork: true }, group: false },
  ])('leaving behind $what', async ({ child, group }) => {
    const run = await startProgram(process.execPath, [STUB, '--steps', JSON.stringify([{ child }, { exit: 0 }])])
    await run.ended
    const left = () => run.agents.sweep().get(run.run) ?? []
    await eventually(() => left().some(({ command }) => command === 'sleep 600') && left().length === 1, 'it is left')
    expect(run.agents.groupAlive(run)).toBe(group)
  })

  test('after a child with its own steps', () => {
    const folder = temporaryFolder()
    stub([{ child: { do: [{ burn: 5 }, { write: 'made' }], wait: true } }, { waitFor: 'made' }], { cwd: folder })
    expect(existsSync(join(folder, 'made'))).toBe(true)
  })
})

describe('the orders of the stub', () => {
  test('come with the prompt if there is no script', () => {
    const claude = stubAs('claude')
    const input = `# A task\n\n${stubBlock([{ emit: 'as the task says' }])}\nand more\n`
    expect(run(join(claude.folder, 'claude'), ['-p'], { input }).stdout).toBe('as the task says\n')
    const file = join(temporaryFolder(), 'prompt.md')
    writeFileSync(file, input)
    expect(run(join(claude.folder, 'claude'), ['-p', file]).stdout).toBe('as the task says\n')
  })

  test('may differ from one start of a task to the next', () => {
    const claude = stubAs('claude', [[{ emit: 'first' }], [{ emit: 'then' }]])
    const start = (task: string) => run(join(claude.folder, 'claude'), ['-p'], { env: { FLEET_TASK_ID: task } }).stdout
    expect([start('a'), start('b'), start('a'), start('a')]).toEqual(['first\n', 'first\n', 'then\n', 'then\n'])
    expect(claude.starts().map(({ task }) => task)).toEqual(['a', 'b', 'a', 'a'])
    expect(claude.starts()[0]).toMatchObject({ pid: expect.any(Number), argv: ['-p'] })
  })
})

test("as claude, the stub prints claude's format", () => {
  const steps = [
    { claude: 'init' },
    { claude: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'a', do: [{ write: 'a' }] },
    { claude: 'text', text: 'done', usage: { input: 1, cacheWrite: 2, cacheRead: 3, output: 4 } },
    { claude: 'result', text: 'done' },
  ]
  const claude = stubAs('claude', steps)
  const ran = run(join(claude.folder, 'claude'), ['-p', '--session-id', 'S', '--model', 'opus'], {
    cwd: temporaryFolder(),
  })
  const ours = { session_id: 'S', uuid: expect.any(String) }
  expect(events(ran)).toMatchObject([
    { type: 'system', subtype: 'init', model: 'opus', ...ours },
    { type: 'assistant', message: { model: 'opus', content: [{ type: 'tool_use', name: 'Bash' }] }, ...ours },
    { type: 'user', message: { content: [{ type: 'tool_result', content: 'a', is_error: false }] }, ...ours },
    { type: 'assistant', message: { content: [{ type: 'text', text: 'done' }] }, ...ours },
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'done',
      usage: { input_tokens: 13, cache_creation_input_tokens: 102, cache_read_input_tokens: 14_003, output_tokens: 44 },
      ...ours,
    },
  ])
})

test('as claude, the stub can meet limits and errors', () => {
  const limit = stubAs('claude', [{ claude: 'init' }, { claude: 'limit', resetsAt: 1_794_770_283 }, { exit: 1 }])
  expect(events(run(join(limit.folder, 'claude'), ['-p']))).toMatchObject([
    { type: 'system' },
    { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 1_794_770_283 } },
    { type: 'assistant', error: 'rate_limit', api_error_status: 429 },
    { type: 'result', subtype: 'success', is_error: true, api_error_status: 429, usage: { output_tokens: 0 } },
  ])
  const overload = stubAs('claude', [{ claude: 'retry' }, { claude: 'error', status: 529, error: 'overloaded' }])
  expect(events(run(join(overload.folder, 'claude'), ['-p']))).toMatchObject([
    { type: 'system', subtype: 'api_retry', error_status: 529, error: 'overloaded' },
    { type: 'assistant', error: 'overloaded', message: { model: '<synthetic>' } },
    { type: 'result', is_error: true, api_error_status: 529 },
  ])
})

test('the stub is the started process itself, with no shim in between', async () => {
  const claude = stubAs('claude', [{ emit: 'up' }, { hang: true }])
  const child = spawn(join(claude.folder, 'claude'), [], { env: scrubbed(), stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  expect(claude.starts()[0]?.pid).toBe(child.pid)
})
