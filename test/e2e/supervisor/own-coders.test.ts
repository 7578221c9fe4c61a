import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claims, type Fleet, init, result, testFleet, until, writes } from '../../support/supervisor.ts'

const BLOCK = [
  'coder=mine',
  'coders.mine.command=["my-agent", "--session-id", "{session}", "--model", "{model}", "{prompt_file}"]',
  'coders.mine.resume=["my-agent", "--resume={session}", "--model", "{model}"]',
  'coders.mine.format=claude',
  'coders.mine.model=m-1',
  'coders.mine.context_window=50000',
  'coders.mine.env.GREETING=hello',
]

test('a coder from runtime.toml completes a task and resumes its session', async () => {
  const fleet = testFleet({ coder: 'my-agent', config: BLOCK })
  const steps = [
    [init, result('not yet')],
    [init, writes('x.txt', '$GREETING'), claims(), result()],
  ]
  const id = fleet.create('Mine', steps, '--model', 'm-2')
  await fleet.start()
  await fleet.settled(id, 'closed')
  const [first, second] = fleet.runs(id)
  const prompt = join(fleet.home.path, 'tasks', id, 'attempts', '1', 'prompt.md')
  expect(fleet.starts(id).map(({ argv }) => argv)).toEqual([
    ['--session-id', first?.id, '--model', 'm-2', prompt],
    [`--resume=${first?.id}`, '--model', 'm-2'],
  ])
  expect(second).toMatchObject({ coder: 'mine', lane: 'mine', model: 'm-2', resumes: first?.id })
  expect(fleet.receipt(id, 2)).toMatchObject({ coder: 'mine', level: 'evidenced', outcome: { code: 'done' } })
  expect(readFileSync(join(fleet.starts(id)[1]?.cwd ?? '', 'x.txt'), 'utf8')).toBe('hello')
})

test('a coder that prints text and claims by its exit code closes its task with close_at=claimed', async () => {
  const fleet = testFleet({
    coder: 'my-agent',
    config: [
      'coder=mine',
      'coders.mine.command=["my-agent", "{prompt_file}"]',
      'coders.mine.claim=exit',
      'close_at=claimed',
    ],
  })
  const good = fleet.create('Good', [{ emit: 'working' }, { emit: 'all is well' }])
  const bad = fleet.create('Bad', [{ stderr: 'no luck' }, { exit: 4 }])
  await fleet.start()
  expect(await fleet.settled(good, 'closed')).toMatchObject({ close_reason: 'all is well' })
  expect((await fleet.ended(bad)).outcome).toEqual({ code: 'error', text: 'exit 4: no luck' })
})

test('a coder removed from runtime.toml during a run is followed to its end by the next supervisor, and can be killed', async () => {
  const fleet = testFleet({ coder: 'my-agent', config: [...BLOCK, 'max_concurrent=2'] })
  const go = join(fleet.home.project, 'go')
  const steps = [init, writes('y.txt'), { waitFor: go }, writes('x.txt'), claims(), result()]
  const [ends, hangs] = [fleet.create('Ends', steps), fleet.create('Hangs', [init, { hang: true }])]
  await fleet.start()
  for (const id of [ends, hangs]) await fleet.started(id)
  const figures = () => fleet.runs(ends)[0]?.figures
  await until(
    async () => figures()?.toolCalls === 1,
    () => 'what it did so far is in the ledger',
  )
  const known = figures()
  await fleet.end('SIGKILL')
  writeFileSync(join(fleet.home.path, 'runtime.toml'), 'coder = "shell"\nmax_concurrent = 2\n')
  expect(fleet.fleet('config', 'accept')).toMatchObject({ code: 0 })
  await fleet.start()
  // Until it holds the home, `kill` does the work itself and holds the home meanwhile.
  await until(
    async () => fleet.log().filter(({ event }) => event === 'supervisor-started').length === 2,
    () => 'the next supervisor has started',
  )
  expect(fleet.fleet('kill', hangs)).toMatchObject({ code: 0, stdout: expect.stringContaining('SIGTERM') })
  expect((await fleet.ended(hangs)).outcome).toMatchObject({ code: 'killed' })
  fleet.touch('go')
  await fleet.settled(ends, 'closed')
  expect(fleet.runs(ends)).toMatchObject([{ coder: 'mine', outcome: { code: 'done' } }])
  // Its figures stay, although its output can no longer be parsed.
  expect(figures()).toEqual(known)
})

test('a coder that claims by its exit code still does after it is removed from runtime.toml', async () => {
  const block = ['coder=mine', 'coders.mine.command=["my-agent", "{prompt_file}"]', 'coders.mine.claim=exit']
  const fleet = testFleet({ coder: 'my-agent', config: block })
  const id = fleet.create('Mine', [{ waitFor: join(fleet.home.project, 'go') }, { write: 'x.txt', text: 'x' }])
  await fleet.start()
  await fleet.started(id)
  await fleet.end('SIGKILL')
  writeFileSync(join(fleet.home.path, 'runtime.toml'), 'coder = "shell"\n')
  expect(fleet.fleet('config', 'accept')).toMatchObject({ code: 0 })
  await fleet.start()
  fleet.touch('go')
  await fleet.settled(id, 'closed')
})

/** An invented output format, with one word for each kind of event. */
const MODULE = `
const KINDS = {
  start: (told) => ({ type: 'session', id: told.id }),
  call: (told) => ({ type: 'tool-started', id: told.id, name: told.name, kind: 'edit' }),
  answer: (told) => ({ type: 'tool-ended', id: told.id, failed: false }),
  end: (told) => ({ type: 'result', ok: told.ok }),
}

export default {
  name: 'theirs',
  binary: 'my-agent',
  traits: { claim: 'explicit', evidence: 'work', resume: true, stream: 'json', contextWindow: 32_000 },
  launch: ({ session, promptFile }) => ({
    args: session === undefined ? ['new', promptFile] : ['go-on', session],
    stdin: 'closed',
    env: { GREETING: 'hi' },
  }),
  parse: (line) => [KINDS[JSON.parse(line).kind](JSON.parse(line))],
  verdict: (exit, digest) =>
    digest.result?.ok ? { kind: 'finished' } : { kind: 'failed', outcome: { code: 'lost', text: 'no end' } },
}
`

function putModule(fleet: Fleet, name: string, text: string): string {
  const folder = join(fleet.home.path, 'coders')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, text, { mode: 0o600 })
  return file
}

const START = { emit: { kind: 'start', id: 's-1' } }
const END = { emit: { kind: 'end', ok: true } }
const WORK = [
  START,
  { emit: 'this is not JSON, and its parser throws' },
  { emit: { kind: 'call', id: 'c1', name: 'Write' } },
  { write: 'x.txt', text: '$GREETING' },
  { fleet: ['done', 'written'] },
  { emit: { kind: 'answer', id: 'c1' } },
  END,
]

test('a coder from a module file completes a task, resumes its session, and survives errors in its parser', async () => {
  const fleet = testFleet({ coder: 'my-agent' })
  putModule(fleet, 'theirs', MODULE)
  expect(fleet.fleet('config', 'set', 'coder=theirs')).toMatchObject({ code: 0 })
  const id = fleet.create('Theirs', [[START, END], WORK])
  await fleet.start()
  await fleet.settled(id, 'closed')
  const [first, second] = fleet.runs(id)
  expect(fleet.starts(id).map(({ argv }) => argv[0])).toEqual(['new', 'go-on'])
  expect(fleet.starts(id)[1]?.argv).toEqual(['go-on', 's-1'])
  expect([first?.outcome?.code, second?.outcome?.code]).toEqual(['no-claim', 'done'])
  expect(second).toMatchObject({
    coder: 'theirs',
    figures: { session: 's-1', toolCalls: 1, contextWindow: 32_000, events: 5 },
  })
  const events = fleet.text(id, 'events.jsonl')
  expect(events).toContain('theirs.mjs: parse failed (')
})

test('fleet reads the sidecar file of a custom coder, for the version of its program', async () => {
  const fleet = testFleet({ coder: 'my-agent' })
  const sidecar = `{
    place: ({ session, env }) => ({ folders: [env.FLEET_ARTIFACT_DIR], nameEnd: session + '.told' }),
    reader: () => (line) => [{ type: 'total', covers: 'session', usage: JSON.parse(line) }],
  }`
  const more = `\n  forVersion: (version) => ({ ...coder, traits: { ...coder.traits, contextWindow: 64_000 } }),\n  sidecar: ${sidecar},\n}`
  const text = MODULE.replace('export default {', 'const coder = {').replace(
    /\n}\n$/,
    `${more}\nexport default coder\n`,
  )
  putModule(fleet, 'theirs', text)
  const told = { write: '$FLEET_ARTIFACT_DIR/s-1.told', text: '{"input":700,"output":9}\n' }
  const id = fleet.create('Theirs', [START, told, ...WORK.slice(1)], '--coder', 'theirs')
  await fleet.start()
  await fleet.settled(id, 'closed')
  expect(fleet.runs(id)).toMatchObject([
    { figures: { usage: { input: 700, output: 9 }, contextWindow: 64_000, estimated: false } },
  ])
})

test('an invalid module file takes its lane down once, with the reason; once fixed, it runs without a restart', async () => {
  const fleet = testFleet({ coder: 'my-agent', config: ['coder=shell'] })
  const file = putModule(fleet, 'theirs', MODULE.replace('launch:', 'lunch:'))
  const id = fleet.create('Theirs', WORK, '--coder', 'theirs')
  await fleet.start()
  const told = () => fleet.log().filter(({ event }) => event === 'lane-down')
  await until(
    async () => told().length > 0,
    () => 'the lane is down',
  )
  expect(told()).toEqual([
    expect.objectContaining({ lane: 'theirs', why: `${file} has no launch, expected a function of an order` }),
  ])
  const checks: { name: string; found: string }[] = JSON.parse(fleet.fleet('doctor', '--json').stdout).checks
  expect(checks.find(({ name }) => name === 'coder theirs')).toEqual({
    name: 'coder theirs',
    state: 'warn',
    found: `${file} has no launch, expected a function of an order`,
    todo: 'fix it, or do without the coder theirs',
  })
  expect(fleet.fleet('tasks').stdout).toContain(`${file} has no launch`)
  expect(fleet.starts(id)).toEqual([])
  putModule(fleet, 'theirs', MODULE)
  await fleet.settled(id, 'closed')
  expect(told()).toHaveLength(1)
})

test('a verdict that throws fails only its own task', async () => {
  const fleet = testFleet({ coder: 'my-agent', config: ['max_attempts=1'] })
  putModule(fleet, 'theirs', MODULE.replace('digest.result?.ok', 'digest.nothing.at.all'))
  const id = fleet.create('Theirs', WORK, '--coder', 'theirs')
  await fleet.start()
  expect((await fleet.ended(id)).outcome).toMatchObject({
    code: 'error',
    text: expect.stringContaining('theirs.mjs: verdict failed ('),
  })
})

test('a module file that others may write to is not loaded', async () => {
  const fleet = testFleet({ coder: 'my-agent' })
  const file = putModule(fleet, 'theirs', `throw new Error('it was run')`)
  chmodSync(file, 0o622)
  const found = () => {
    const checks: { name: string; found: string }[] = JSON.parse(fleet.fleet('doctor', '--json').stdout).checks
    return checks.find(({ name }) => name === 'coder theirs')?.found
  }
  expect(found()).toBe(`${file} is not run: it can be written by others`)
  chmodSync(file, 0o600)
  chmodSync(join(fleet.home.path, 'coders'), 0o770)
  expect(found()).toBe(`${file} is not run: ${join(fleet.home.path, 'coders')} can be written by others`)
  chmodSync(join(fleet.home.path, 'coders'), 0o700)
  expect(found()).toBe(`${file} cannot be loaded: it was run`)
  rmSync(file)
  symlinkSync('/nowhere/theirs.mjs', file)
  expect(found()).toContain(`${file} is a link to nothing`)
})

test('custom coders are accepted wherever a coder is named', async () => {
  const fleet = testFleet({ coder: 'my-agent', config: BLOCK })
  putModule(fleet, 'theirs', MODULE)
  putModule(fleet, 'claude', MODULE)
  const names = 'claude, codex, agy, opencode, gemini, shell, mine, theirs'
  expect(fleet.fleet('bd', 'create', 'x', '--coder', 'theires').stderr).toBe(
    `Error: unknown coder "theires"; known coders: ${names}\nHint: did you mean theirs?\n`,
  )
  expect(fleet.fleet('run', '--coder', 'nobody').stderr).toContain(`known coders: ${names}`)
  expect(fleet.fleet('config', 'set', 'coder=nobody').stderr).toContain(`expected one of ${names}`)
  expect(fleet.fleet('config', 'set', 'coder=theirs').stdout).toContain('fleet has no default for theirs')
  expect(fleet.fleet('config', 'set', 'coder=mine').stdout).toContain('model: m-1, the default of mine')
  const checks: { name: string; found: string }[] = JSON.parse(fleet.fleet('doctor', '--json').stdout).checks
  const own = checks.filter(({ name }) => /mine|theirs|coder file/.test(name))
  const program = join(fleet.stub.folder, 'my-agent')
  expect(own).toEqual([
    {
      name: 'coder file claude',
      state: 'warn',
      found: `${join(fleet.home.path, 'coders', 'claude.mjs')} is not used: fleet has a coder claude of its own`,
      todo: 'give it another name',
    },
    { name: 'coder mine', state: 'ok', found: `${program} (by runtime.toml)` },
    { name: 'coder theirs', state: 'ok', found: `${program} (by a file of your own)` },
  ])
  const ids = ['mine', 'theirs'].map((name) => fleet.create(name, [{ hang: true }], '--coder', name))
  await fleet.start()
  for (const id of ids) await fleet.started(id)
  const help = fleet.fleet('task', '--help').stdout
  expect(help).toContain(`${ids[0]}  [mine/m-1]`)
  expect(help).toContain(`${ids[1]}  [theirs]`)
})
