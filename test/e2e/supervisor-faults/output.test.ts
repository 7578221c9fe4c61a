import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Step, stubAs, stubBlock } from '../../stub-agent/stub-as.ts'
import { hasNamespace } from '../../support/agents.ts'
import { eventually, type FleetHome, fleetHome, type Supervised } from '../../support/home-run.ts'
import { inLedger } from '../../support/ledger.ts'

// They work in one directory at the same time: a change is an agent's own because its tool names the file.
const DONE: readonly Step[] = [
  {
    claude: 'tool',
    name: 'Write',
    input: { file_path: 'work.txt' },
    do: [{ append: 'work.txt', text: 'work\n' }],
  },
  { fleet: ['done', 'wrote it'] },
  { claude: 'result', text: 'wrote it' },
]

/** In megabytes. */
function peakMemory({ pid }: Supervised): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

function events(fleet: FleetHome, id: string): Record<string, unknown>[] {
  return fleet.lines(join(fleet.path, 'tasks', id, 'events.jsonl')).map((line) => JSON.parse(line))
}

test('a line of 300 MB, from an agent or a script, is one event and takes bounded memory', async () => {
  const stub = stubAs('claude')
  const fleet = await fleetHome()
  const supervisor = await fleet.supervise({ env: { PATH: stub.path } })
  const agent = await fleet.script(stubBlock([{ claude: 'init' }, { line: 300 }, ...DONE]), { coder: 'claude' })
  const script = await fleet.script("head -c 300000000 /dev/zero | tr '\\0' x; echo; echo the end")
  for (const id of [agent, script]) await fleet.becomes(id, 'closed')
  expect(events(fleet, agent).filter(({ kind }) => kind === 'unknown')).toHaveLength(1)
  expect((await fleet.task(script))?.close_reason).toBe('the end')
  expect(peakMemory(supervisor)).toBeLessThan(200)
  await fleet.expectNoAgents()
})

test('an agent is settled while the floods of output from ten others are still unread', async () => {
  const stub = stubAs('claude')
  const fleet = await fleetHome(['max_concurrent=11', 'timeouts.first_event=2m', 'timeouts.idle=2m'])
  const supervisor = await fleet.supervise({ env: { PATH: stub.path } })
  const flood = stubBlock([
    { claude: 'init' },
    { waitFor: 'print' },
    { flood: FLOOD_LINES },
    { append: 'printed', text: 'x\n' },
    { until: 'go', do: [{ flood: 50 }, { sleep: 100 }] },
    ...DONE,
  ])
  const floods = await fleet.scripts(Array(10).fill(flood), { coder: 'claude' })
  await eventually(() => floods.every((id) => readOf(fleet, id) > 0), 'they have begun')
  // The supervisor is frozen, so that all their output is unread.
  supervisor.kill('SIGSTOP')
  fleet.touch('print')
  await eventually(() => fleet.lines('printed').length === 10, 'they have printed')
  supervisor.kill('SIGCONT')
  const healthy = await fleet.script(stubBlock([{ claude: 'init' }, { claude: 'text', text: 'at work' }, ...DONE]), {
    coder: 'claude',
  })
  await fleet.becomes(healthy, 'closed')
  // The ledger shows progress once a second. A supervisor that had read the floods to their end would have little left.
  const readThen = floods.map((id) => readOf(fleet, id))
  await eventually(() => floods.every((id, at) => readOf(fleet, id) > (readThen[at] ?? 0)), 'the ledger shows progress')
  const unread = floods.map((id) => statSync(stdoutOf(fleet, id)).size - readOf(fleet, id))
  expect(Math.min(...unread)).toBeGreaterThan(FLOOD_BYTES / 10)
  expect(events(fleet, healthy)).toContainEqual(expect.objectContaining({ kind: 'text', text: 'at work' }))
  for (const id of floods) expect(await fleet.status(id)).toBe('in_progress')
  fleet.touch('go')
  for (const id of floods) await fleet.becomes(id, 'closed')
  for (const id of [healthy, ...floods]) expect(fleet.stateOf(id)).toMatchObject({ attempts: 1, failures: 0 })
  expect(peakMemory(supervisor)).toBeLessThan(200)
  await fleet.expectNoAgents()
}, 120_000)

const FLOOD_LINES = 100_000
const FLOOD_BYTES = FLOOD_LINES * 200

const stdoutOf = (fleet: FleetHome, id: string): string => join(fleet.path, 'tasks', id, 'attempts/1/stdout.jsonl')

/** How many bytes of the agent's output the supervisor has read; updated once a second. */
function readOf(fleet: FleetHome, id: string): number {
  const [run] = fleet.runsOf(id)
  return run === undefined ? 0 : (inLedger(fleet, (ledger) => ledger.seen(run.id).stdout?.bytes) ?? 0)
}

test('invalid UTF-8, NUL bytes and an unfinished last line neither stop a run nor damage its records', async () => {
  const stub = stubAs('claude')
  const fleet = await fleetHome()
  await fleet.supervise({ env: { PATH: stub.path } })
  const noise: readonly Step[] = [
    { bytes: 'fffe00c3280a' },
    { raw: '\u0000\u0000{"type":"assistant"' },
    { bytes: '0a00000a' },
    { raw: '\u2028\u2029\n' },
    { raw: '[[[[\n' },
  ]
  const agent = await fleet.script(stubBlock([{ claude: 'init' }, ...noise, ...DONE, { raw: '{"type":"half' }]), {
    coder: 'claude',
  })
  const script = await fleet.script("printf 'a\\000b\\377\\376\\n\\000\\000\\nhalf \\303'")
  for (const id of [agent, script]) await fleet.becomes(id, 'closed')
  expect(fleet.stateOf(agent)).toMatchObject({ attempts: 1, lastOutcome: { code: 'done', text: 'wrote it' } })
  expect(events(fleet, agent).filter(({ kind }) => kind === 'unknown').length).toBeGreaterThan(3)
  expect((await fleet.task(script))?.close_reason).toContain('half')
  for (const id of [agent, script]) expect(fleet.fleet(['show', id, '--json'])).toMatchObject({ code: 0, stderr: '' })
  await fleet.expectNoAgents()
})

test('an agent that closes its stdout is followed to its end', async () => {
  const stub = stubAs('claude')
  const fleet = await fleetHome(['max_attempts=1'])
  await fleet.supervise({ env: { PATH: stub.path } })
  const script = await fleet.script('echo before; exec >&- 2>&-; while [ ! -e go ]; do sleep 0.1; done; exit 0')
  const agent = await fleet.script(
    stubBlock([{ claude: 'init' }, { close: 'stdout' }, { waitFor: 'go' }, { exit: 0 }]),
    { coder: 'claude' },
  )
  await fleet.logged('run-started')
  fleet.touch('go')
  await fleet.becomes(script, 'closed')
  // The exit status proves nothing: without a result the run is lost.
  await fleet.becomes(agent, 'blocked')
  expect(fleet.stateOf(agent).lastOutcome).toMatchObject({
    code: 'lost',
    text: expect.stringContaining('no result, exit 0'),
  })
  await fleet.expectNoAgents()
})

test('an agent that writes 300 MB to stderr is judged by the end of it', async () => {
  const fleet = await fleetHome(['max_attempts=1'])
  const supervisor = await fleet.supervise()
  const id = await fleet.script("head -c 300000000 /dev/zero | tr '\\0' e >&2; echo the reason >&2; exit 7")
  await fleet.becomes(id, 'blocked')
  const { text } = fleet.stateOf(id).lastOutcome as { text: string }
  expect(text).toMatch(/^exit 7: …e+the reason$/)
  expect(text.length).toBeLessThan(400)
  expect(peakMemory(supervisor)).toBeLessThan(200)
  await fleet.expectNoAgents()
})

test.each(hasNamespace ? ['on', 'off'] : ['off'])(
  'processes that an agent leaves behind by double forks end with it and are listed on its receipt (pid namespace %s)',
  async (namespace) => {
    const fleet = await fleetHome([`pid_namespace=${namespace}`])
    await fleet.supervise()
    const leave = '(setsid sh -c "sleep 1000 & sleep 1000 & wait" </dev/null >/dev/null 2>&1 &)'
    const id = await fleet.script(`${leave}; (setsid sleep 1000 &); echo left`)
    await fleet.becomes(id, 'closed')
    await fleet.expectNoAgents()
    expect(fleet.runsOf(id)).toMatchObject([{ outcome: { code: 'done' } }])
    const file = join(fleet.path, 'tasks', id, 'attempts/1/receipt.json')
    const leftovers = (): unknown[] => JSON.parse(readFileSync(file, 'utf8')).leftovers
    if (namespace === 'on') expect(leftovers()).toEqual([])
    // Processes killed after the receipt was written are added to it later.
    else await eventually(() => leftovers().length > 0, 'the receipt names what was left')
  },
)
