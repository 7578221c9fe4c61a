import { execFileSync, spawn } from 'node:child_process'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { localAgents } from '../../../src/platform/process/agents.ts'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { eventually, hasNamespace, launcher, place, startProgram, startScript } from '../../support/agents.ts'

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8)

describe.each([
  { where: 'without a namespace', namespace: false, by: {} },
  { where: 'in a pid namespace', namespace: true, by: {} },
  { where: 'by the launcher', namespace: false, by: { launcher } },
  { where: 'by the launcher in a pid namespace', namespace: true, by: { launcher } },
])('$where', ({ namespace, by }) => {
  const testHere = test.skipIf((namespace && !hasNamespace) || ('launcher' in by && launcher === undefined))

  testHere('output goes into files and the exit status is recorded, for the owner alone', async () => {
    const run = await startScript('echo out; echo err >&2; umask; exit 7', { namespace, ...by })
    await run.ended
    expect(run.text('stdout.jsonl')).toBe(`out\n${process.umask().toString(8).padStart(4, '0')}\n`)
    expect(run.text('stderr.log')).toBe('err\n')
    expect(run.text('exit.json')).toBe('{"code":7}\n')
    expect(run.agents.look(run)).toEqual({ kind: 'gone', exit: { kind: 'code', code: 7 } })
    expect(run.agents.exitOf(run)).toBe(7)
    expect(
      ['stdout.jsonl', 'stderr.log', 'exit.json', 'exit.json.pid'].map((name) => mode(join(run.folder, name))),
    ).toEqual(['600', '600', '600', '600'])
  })

  testHere('a pipe that another agent put in place of its output or its prompt does not hold up a start', async () => {
    const { agents, run, folder } = place(by)
    const [output, prompt] = [join(folder, 'stdout.jsonl'), join(folder, 'prompt.md')]
    execFileSync('mkfifo', [output, prompt])
    const env = { PATH: process.env['PATH'] ?? '' }
    const order = { run, folder, program: '/bin/cat', args: [], cwd: folder, env, stdin: prompt, namespace }
    await expect(agents.start(order, () => {})).rejects.toThrow('no agent could be started')
    rmSync(output)
    await expect(agents.start(order, () => {})).rejects.toThrow('no agent could be started')
    rmSync(prompt)
    execFileSync('mkfifo', [output])
    writeFileSync(prompt, 'do it')
    await expect(agents.start(order, () => {})).rejects.toThrow('no agent could be started')
    rmSync(output)
    await new Promise<void>((ended) => void agents.start(order, ended))
    expect(agents.exitOf({ run, folder, proc: null })).toBe(0)
  })

  testHere('an agent at work is alive, with its leader', async () => {
    const run = await startScript('echo up; exec sleep 60', { namespace, ...by })
    await eventually(() => run.text('stdout.jsonl') !== '', 'the agent works')
    expect(run.agents.look(run)).toEqual({ kind: 'alive', proc: run.proc, pids: [run.proc.pid] })
    expect(run.agents.groupAlive(run)).toBe(true)
    expect(run.agents.exitOf(run)).toBeUndefined()
    run.agents.signal(run, 'SIGKILL')
    await run.ended
    await eventually(() => !run.agents.groupAlive(run), 'the group has gone')
    expect(run.agents.look(run)).toEqual({ kind: 'gone', exit: { kind: 'unknown' } })
  })

  testHere('a process whose parent has ended was left behind, one below the agent was not', async () => {
    const parts = '(sh -c "while [ ! -e over ]; do sleep 0.05; done" & echo up >left); sleep 60 & echo up; wait'
    const run = await startScript(`while [ ! -e go ]; do sleep 0.05; done; ${parts}`, { namespace, ...by })
    expect(run.agents.leftBehind([run])).toEqual(new Map())
    writeFileSync(join(run.folder, 'go'), '')
    await eventually(() => run.exists('left') && run.text('stdout.jsonl') !== '', 'both have begun')
    const leftNow = () => run.agents.leftBehind([run]).get(run.run)
    await eventually(() => leftNow() !== undefined, 'one is left behind')
    expect(leftNow()).toBeLessThan(60_000)
    writeFileSync(join(run.folder, 'over'), '')
    await eventually(() => leftNow() === undefined, 'it has ended')
    run.agents.signal(run, 'SIGKILL')
    await run.ended
  })

  testHere('SIGTERM lets the agent finish in its own way, and that is recorded', async () => {
    const run = await startScript('trap "echo bye; exit 3" TERM; echo up; while :; do sleep 0.02; done', {
      namespace,
      ...by,
    })
    await eventually(() => run.text('stdout.jsonl') !== '', 'the agent works')
    run.agents.signal(run, 'SIGTERM')
    await run.ended
    expect(run.text('stdout.jsonl')).toBe('up\nbye\n')
    expect(run.agents.look(run)).toEqual({ kind: 'gone', exit: { kind: 'code', code: 3 } })
  })

  testHere('an agent that dies of SIGTERM is recorded as such', async () => {
    const run = await startScript('echo up; exec sleep 60', { namespace, ...by })
    await eventually(() => run.text('stdout.jsonl') !== '', 'the agent works')
    run.agents.signal(run, 'SIGTERM')
    await run.ended
    expect(run.agents.exitOf(run)).toBe(128 + 15)
  })

  testHere('a run whose process was not recorded is found again by its marker, with its leader', async () => {
    const run = await startScript('echo up; exec sleep 60', { namespace, ...by })
    await eventually(() => run.text('stdout.jsonl') !== '', 'the agent works')
    const sighting = run.agents.look({ ...run, proc: null })
    expect(sighting).toMatchObject({ kind: 'alive', proc: run.proc })
    expect(run.agents.forbidStart(run)).toBe(false)
  })

  testHere('an agent gets its arguments as they are, its stdin and its marker', async () => {
    const { folder } = place(by)
    const stdin = join(folder, 'prompt.md')
    writeFileSync(stdin, 'do it\n')
    const args = [
      '-c',
      'printf "%s\\n" "$@"; cat; echo "$FLEET_RUN_ID"',
      'sh',
      '$(id)',
      "a'b",
      '"; exit 1',
      '',
      'ü\n$0',
    ]
    const run = await startProgram('/bin/sh', args, { stdin, namespace, ...by })
    await run.ended
    expect(run.text('stdout.jsonl')).toBe(`${args.slice(3).join('\n')}\ndo it\n${run.run}\n`)
  })

  testHere('a program that is not there is an exit status, not a crash', async () => {
    const run = await startProgram('/nowhere/agent', [], { namespace, ...by })
    await run.ended
    expect(run.agents.exitOf(run)).toBe(127)
  })

  testHere('a directory that is not there is named, and nothing is started', async () => {
    const { agents, run, folder } = place(by)
    const order = { run, folder, program: '/bin/true', args: [], env: {}, stdin: undefined, namespace }
    await expect(agents.start({ ...order, cwd: '/nowhere/project' }, () => {})).rejects.toThrow(
      '/nowhere/project is not a directory, so no agent can be started in it',
    )
    expect(agents.look({ run, folder, proc: null })).toEqual({ kind: 'never-started' })
  })
})

test('an argument that is too long is refused with the reason', async () => {
  await expect(startProgram('/bin/true', ['x'.repeat(1 << 20)])).rejects.toThrow(/no agent could be started .*E2BIG/)
})

test.skipIf(launcher === undefined)('an argument too long for the launcher ends the run with the reason', async () => {
  const run = await startProgram('/bin/true', ['x'.repeat(1 << 20)], { launcher })
  await run.ended
  expect(run.agents.look(run)).toEqual({ kind: 'gone', exit: { kind: 'code', code: 126 } })
  expect(run.text('stderr.log')).toBe('no agent could be started (/bin/sh): Argument list too long\n')
})

test('a group killed by SIGKILL is gone with an unknown exit', async () => {
  const run = await startScript('sleep 60 & sleep 60')
  await eventually(() => run.exists('exit.json.pid'), 'the wrapper has begun')
  run.agents.signal(run, 'SIGKILL')
  await run.ended
  await eventually(() => !run.agents.groupAlive(run), 'the group has gone')
  expect(run.agents.look(run)).toEqual({ kind: 'gone', exit: { kind: 'unknown' } })
})

test('when only the wrapper is killed the run lives on while its agent does, and its exit stays unknown', async () => {
  const run = await startScript('echo up; while [ ! -e go ]; do sleep 0.02; done')
  await eventually(() => run.text('stdout.jsonl') !== '', 'the agent works')
  process.kill(run.proc.pid, 'SIGKILL')
  await run.ended
  expect(run.agents.look(run)).toMatchObject({ kind: 'alive', proc: null })
  expect(run.agents.groupAlive(run)).toBe(true)
  writeFileSync(join(run.folder, 'go'), '')
  await eventually(() => !run.agents.groupAlive(run), 'the agent has gone')
  await eventually(() => run.agents.look(run).kind === 'gone', 'and its children')
  expect(run.agents.look(run)).toEqual({ kind: 'gone', exit: { kind: 'unknown' } })
})

test('a child that left the group and holds stdout keeps the run alive, but the end of the leader is reported at once', async () => {
  const run = await startScript('setsid sleep 60 & echo out; exit 0')
  await run.ended
  expect(run.agents.exitOf(run)).toBe(0)
  await eventually(
    () => (run.agents.sweep().get(run.run) ?? []).some((each) => each.command === 'sleep 60'),
    'it is found',
  )
  expect(run.agents.groupAlive(run)).toBe(false)
  expect(run.agents.look(run)).toMatchObject({ kind: 'alive', proc: null })
})

test.each(['a pid file', 'an empty pid file'])(
  'an agent whose wrapper wrote %s just after a look is not taken for gone',
  async (what) => {
    const table = processTable()
    const { ids, renew } = table
    let hidden = true
    const run = place()
    // As a launcher does that carries out the last order of a supervisor that was killed: the pass that is under way shows
    // nothing of it, and every later one does.
    const late = spawn('/bin/sleep', ['60'], { env: { FLEET_RUN_ID: run.run }, detached: true, stdio: 'ignore' })
    onTestFinished(() => void late.kill('SIGKILL'))
    vi.spyOn(table, 'ids').mockImplementation(() => ids.call(table).filter((pid) => !hidden || pid !== late.pid))
    vi.spyOn(table, 'renew').mockImplementation((maxAgeMs) => {
      if (maxAgeMs === 0) hidden = false
      renew.call(table, maxAgeMs)
    })
    onTestFinished(() => void vi.restoreAllMocks())
    writeFileSync(join(run.folder, 'exit.json.pid'), what === 'a pid file' ? `${late.pid}\n` : '')
    const found = run.agents.look({ ...run, boot: run.agents.bootId() })
    expect(found).toEqual({ kind: 'alive', proc: null, pids: [late.pid] })
    expect(run.agents.look(run)).toEqual(found)
  },
)

test('an exit file without its line end, or with other text in it, records no exit', () => {
  const run = place()
  const write = (text: string): number | undefined => {
    writeFileSync(join(run.folder, 'exit.json'), text)
    return run.agents.exitOf(run)
  }
  expect(['{"code":0}', '{"code":', '', 'code 0\n', '{"code":-1}\n', '{"code":0}\n{"code":1}\n'].map(write)).toEqual(
    Array(6).fill(undefined),
  )
  expect(write('{"code":0}\n')).toBe(0)
})

test('a pipe in place of the exit file blocks no reader', async () => {
  const run = await startScript('rm -f exit.json; mkfifo exit.json; kill -9 $PPID; exit 0')
  await run.ended
  await eventually(() => !run.agents.groupAlive(run), 'the agent has gone')
  expect(run.agents.look(run)).toEqual({ kind: 'gone', exit: { kind: 'unknown' } })
})

test('an agent that removes the folder of its attempt counts as started', async () => {
  const run = await startScript('rm -rf "$PWD"')
  await run.ended
  expect(run.agents.look(run)).toEqual({ kind: 'gone', exit: { kind: 'code', code: 0 } })
  expect(localAgents().look(run)).toEqual({ kind: 'gone', exit: { kind: 'unknown' } })
})

test('an exit file without a key counts only for a run that an older fleet started', () => {
  const { agents: _, ...run } = place()
  writeFileSync(join(run.folder, 'exit.json'), '{"code":0}\n')
  const agents = localAgents({ keysOf: () => ({ zero: 'a', other: 'b' }) })
  expect([agents.exitOf(run), agents.exitOf({ ...run, unkeyed: true })]).toEqual([undefined, 0])
  expect(agents.exitRecord(run)).toEqual({ witnessed: false, altered: true })
  const record = { witnessed: false, altered: false, at: expect.any(Number) }
  expect(agents.exitRecord({ ...run, unkeyed: true })).toEqual(record)
})
