import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stubBlock } from '../../stub-agent/stub-as.ts'
import {
  claims,
  type Fleet,
  healthy,
  init,
  result,
  says,
  testFleet,
  tool,
  until,
  writes,
} from '../../support/supervisor.ts'

const read = (fleet: Fleet, name: string): string => readFileSync(join(fleet.home.project, name), 'utf8')
const answered = (fleet: Fleet, name: string): { code: number; stdout: string; stderr: string } =>
  JSON.parse(read(fleet, name))

test('an agent gets its prompt on stdin, fleet on PATH and its own environment, and no withheld secrets', async () => {
  const fleet = testFleet({
    config: ['env_pass=["OPENAI_API_KEY"]'],
    env: { ANTHROPIC_API_KEY: 'sk-ant-surrounding', OPENAI_API_KEY: 'sk-passed', CLAUDECODE: '1', PLAIN: 'plain' },
  })
  const id = fleet.create('Looks around', [
    init,
    tool({ run: ['env', '-0'], to: '../env.json' }),
    tool({ stdin: '../stdin.md' }),
    tool({ fleet: ['bd', 'show', '$FLEET_TASK_ID', '--json'], to: '../show.json' }),
    ...healthy('x.txt').slice(1),
  ])
  await fleet.start()
  await fleet.settled(id, 'closed')
  const env = Object.fromEntries(
    answered(fleet, 'env.json')
      .stdout.split('\0')
      .map((line) => [line.split('=')[0] ?? '', line.slice(line.indexOf('=') + 1)]),
  )
  const folder = join(fleet.home.path, 'tasks', id)
  expect(env).toMatchObject({
    FLEET_HOME: fleet.home.path,
    FLEET_TASK_ID: id,
    FLEET_TASK_DIR: folder,
    FLEET_ARTIFACT_DIR: join(folder, 'artifacts'),
    FLEET_RUN_ID: fleet.runs(id)[0]?.id,
    FLEET_RUN_KEY: expect.stringMatching(/^fleet-key-[\w-]{86}$/),
    OPENAI_API_KEY: 'sk-passed',
    PLAIN: 'plain',
  })
  expect(env).not.toHaveProperty('ANTHROPIC_API_KEY')
  expect(env).not.toHaveProperty('CLAUDECODE')
  expect(answered(fleet, 'show.json').code).toBe(0)
  const prompt = fleet.text(id, 'attempts', '1', 'prompt.md')
  expect(prompt).toContain(`# Task ${id}: Looks around\n`)
  expect(fleet.fleet('task', id, 'prompt').stdout).toBe(prompt)
  expect(read(fleet, 'stdin.md')).toBe(prompt)
  expect(fleet.starts(id)[0]?.argv.join(' ')).not.toContain('Looks around')
})

test('inside a run, `fleet bd` claims to be done and creates discovered tasks, but settles no other task', async () => {
  const fleet = testFleet()
  const other = fleet.create('Of somebody else', 'true')
  fleet.fleet('bd', 'update', other, '--status', 'deferred')
  const id = fleet.create('Uses bd', [
    init,
    tool({ fleet: ['bd', 'close', other], to: '../refused.json' }),
    tool({
      fleet: ['bd', 'create', 'Found by the way', '--json', '-d', stubBlock(healthy('found.txt'))],
      to: '../created.json',
    }),
    writes('x.txt'),
    tool({ fleet: ['bd', 'close', '$FLEET_TASK_ID', '--reason', 'Closed it'], to: '../closed.json' }),
    result(),
  ])
  await fleet.start()
  expect((await fleet.settled(id, 'closed')).close_reason).toBe('Closed it')
  expect(answered(fleet, 'refused.json').code).not.toBe(0)
  expect((await fleet.task(other)).status).toBe('deferred')
  expect(answered(fleet, 'closed.json')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('you say it is done'),
  })
  expect(answered(fleet, 'created.json')).toMatchObject({ code: 0, stderr: '' })
  const found = JSON.parse(answered(fleet, 'created.json').stdout).data.id
  await fleet.settled(found, 'closed')
  expect(fleet.runs(found)[0]?.cwd).toBe(fleet.runs(id)[0]?.cwd)
  const [shown] = JSON.parse(fleet.fleet('bd', 'show', found, '--json').stdout)
  expect(shown.dependencies).toEqual([expect.objectContaining({ id, dependency_type: 'discovered-from' })])
})

test('usage figures come from the stream, during the run and on the receipt', async () => {
  const fleet = testFleet()
  const usage = { input: 10, cacheWrite: 200, cacheRead: 3000, output: 40 }
  const id = fleet.create(
    'Counted',
    [
      { claude: 'init', model: 'claude-haiku-9' },
      { claude: 'text', text: 'one', usage },
      { claude: 'tool', usage, do: [{ waitFor: join(fleet.home.project, 'go') }] },
      writes('x.txt'),
      claims(),
      result(),
    ],
    '--model',
    'opus',
  )
  await fleet.start()
  const running = () => JSON.parse(fleet.fleet('tasks', '--json').stdout).running[0]
  await until(
    async () => running()?.tool_calls === 1,
    () => 'its tool is open',
  )
  expect(running()).toMatchObject({
    id,
    coder: 'claude',
    model: 'opus',
    served_model: 'claude-haiku-9',
    context_peak: 3210,
    context_window: 200_000,
    usage: { input: 20, cacheRead: 6000, cacheWrite: 400 },
    estimated: true,
    warnings: ['asked for opus, answered by claude-haiku-9'],
    open_tool: expect.stringMatching(/^Bash/),
  })
  expect(fleet.fleet('tasks').stdout).toContain('claude-haiku-9, not opus')
  expect(fleet.fleet('show', id).stdout).toContain('! asked for opus, answered by claude-haiku-9')
  fleet.touch('go')
  await fleet.settled(id, 'closed')
  // Two messages with the usage above, and two of the stub's usual size: 12, 100, 14,000 and 40.
  const counted = { input: 44, output: 160, cacheRead: 34_000, cacheWrite: 600 }
  const cost_usd = (44 * 3 + 600 * 3.75 + 34_000 * 0.3 + 160 * 15) / 1e6
  expect(fleet.receipt(id)).toMatchObject({
    model: 'opus',
    served_model: 'claude-haiku-9',
    coder_version: '2.1.325',
    warnings: ['asked for opus, answered by claude-haiku-9'],
    usage: { ...counted, cost_usd, estimated: false },
    context_peak: 14_112,
    context_window: 200_000,
    evidence: { tool_calls: 2 },
  })
  const [ended] = JSON.parse(fleet.fleet('tasks', '--all', '--json').stdout).ended
  expect(ended).toMatchObject({ id, usage: counted, cost_usd, estimated: false, tool_calls: 2, tokens: 34_804 })
})

test('a nearly full context is handed over to a fresh session, and costs no attempt', async () => {
  const fleet = testFleet({ config: ['max_attempts=1'] })
  const full = { input: 1000, cacheWrite: 0, cacheRead: 185_000, output: 10 }
  const filled = fleet.create('Fills up', [
    [
      init,
      { claude: 'text', text: 'much to read', usage: full },
      { claude: 'tool', usage: full, do: [{ sleep: 30_000 }] },
    ],
    healthy('x.txt'),
  ])
  const roomy = fleet.create('Has room', [
    init,
    { claude: 'text', text: 'less to read', usage: { ...full, cacheRead: 170_000 } },
    says('more'),
    ...healthy('y.txt').slice(1),
  ])
  await fleet.start()
  await fleet.settled(filled, 'closed')
  expect(fleet.runs(filled).map((run) => run.outcome)).toEqual([
    { code: 'context-full', text: 'its context was 93 % full' },
    { code: 'done', text: 'all done' },
  ])
  expect(fleet.starts(filled)[1]?.argv.join(' ')).not.toContain('--resume')
  expect(fleet.text(filled, 'attempts', '2', 'prompt.md')).toContain('its context was 93 % full')
  expect(fleet.ledger.stateOf(filled)).toMatchObject({ failures: 0, handOvers: 1 })
  await fleet.settled(roomy, 'closed')
  expect(fleet.starts(roomy)).toHaveLength(1)
})

test('a context window that a model reported in one run applies to the next from its first answer', async () => {
  const fleet = testFleet({ config: ['max_concurrent=1'] })
  const usage = { input: 1000, cacheWrite: 0, cacheRead: 185_000, output: 10 }
  const told = result('done', { modelUsage: { 'claude-sonnet-5-5': { contextWindow: 1_000_000 } } })
  const first = fleet.create('Tells it', [...healthy('x.txt').slice(0, -1), told], '--model', 'claude-sonnet-5-5')
  const second = fleet.create(
    'Reads much',
    [init, { claude: 'text', text: 'much to read', usage }, ...healthy('y.txt').slice(1, -1), told],
    '--model',
    'claude-sonnet-5-5',
  )
  await fleet.start()
  for (const id of [first, second]) await fleet.settled(id, 'closed')
  expect(fleet.runs(second).map((run) => run.outcome?.code)).toEqual(['done'])
  expect(fleet.runs(second)[0]?.figures).toMatchObject({ contextPeak: 186_000, contextWindow: 1_000_000 })
})
