import { expect, test } from 'vitest'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { claims, hang, healthy, init, result, says, testFleet, tool, until, writes } from '../../support/supervisor.ts'

/** Only /proc tells for what a process waits. */
const telling = processTable().kind === 'proc' && ['x64', 'arm64'].includes(process.arch)

const TIMERS = ['first_event', 'idle', 'tool', 'tool_mcp', 'tool_agent'].map((name) => `timeouts.${name}=6s`)

const done = [writes('a.txt'), claims(), result()]

test('a silent run is stopped within its timer with its cause, and the next attempt is told', async () => {
  const fleet = testFleet({ config: [...TIMERS, 'max_attempts=1'] })
  const first = { mute: [hang], dead: [init, says('I will look'), hang], hung: [init, tool({ sleep: 600_000 })] }
  const ask = { run: ['sh', '-c', 'mkfifo in; exec 3<>in; setsid -w sh -c "cat <&3; true"'] }
  const mute = fleet.create('Never begins', [first.mute, healthy('a.txt')])
  const dead = fleet.create('Its stream dies', [first.dead, [init, ...done]])
  const hung = fleet.create('Its tool hangs', [first.hung, [init, ...done]])
  const gate = fleet.create('Its command asks', [
    [init, tool(ask)],
    [init, ...done],
  ])
  await fleet.start()
  const causes = { mute: 'never-started', dead: 'dead-stream', hung: 'hung-tool', gate: telling ? 'gate' : 'hung-tool' }
  const tasks = { mute, dead, hung, gate }
  for (const [name, id] of Object.entries(tasks)) {
    const { outcome } = await fleet.ended(id)
    expect(outcome).toMatchObject({ code: 'stalled', stall: { cause: causes[name as keyof typeof causes] } })
    expect(outcome?.text).toMatch(/^silent \d+s: /)
    expect(fleet.receipt(id).outcome).toEqual(outcome)
    expect(fleet.runs(id)[0]?.figures.silence).toBe(null)
    await fleet.settled(id, 'closed')
    // The first stall costs no attempt.
    expect(fleet.ledger.stateOf(id)).toMatchObject({ attempts: 2, failures: 0 })
    expect(fleet.text(id, 'attempts', '2', 'prompt.md')).toContain(outcome?.text)
  }
  expect(fleet.text(hung, 'attempts', '2', 'prompt.md')).toContain('bound it with a timeout')
  expect(fleet.runs(hung)[1]?.resumes).toBe(fleet.runs(hung)[0]?.id)
  expect(fleet.fleet('show', hung).stdout).toMatch(/silent \d+s: .*the tool hangs/)
})

/** Fourteen seconds, more than twice the timers. */
const SECONDS = 14

test('a run that works silently is left alone: its commands compute, its sub-agent writes, its MCP call makes progress', async () => {
  const fleet = testFleet({ config: [...TIMERS, 'max_attempts=1'], env: { HOME: temporaryFolder() } })
  const compute = { child: { setsid: true, wait: true, do: [{ burn: SECONDS * 1000 }] } }
  const note = [
    'd=$HOME/.claude/projects/$(pwd -P | sed "s/[^a-zA-Z0-9]/-/g")/$FLEET_RUN_ID/subagents; mkdir -p $d',
    `for i in $(seq ${SECONDS}); do echo "{}" >> $d/agent-1.jsonl; sleep 1; done`,
  ].join('; ')
  const progress = {
    repeat: SECONDS / 2,
    do: [{ sleep: 2000 }, { emit: { type: 'tool_progress', tool_name: 'wait' } }],
  }
  const compile = fleet.create('Compiles', [init, tool(compute), ...done])
  const told = fleet.create('Has a sub-agent', [
    init,
    { claude: 'subagent', do: [{ run: ['sh', '-c', note] }] },
    ...done,
  ])
  const mcp = fleet.create('Calls a server', [init, { claude: 'tool', name: 'mcp__x__wait', do: [progress] }, ...done])
  await fleet.start()
  const shown = () => fleet.fleet('show', compile).stdout
  await until(
    async () => /^silent for: +\d+s: Bash open \d+s, \S+ \(pid \d+\) using \d+ % of a core: working$/m.test(shown()),
    () => `fleet show says why it is silent: ${shown()}`,
  )
  expect(fleet.fleet('tasks').stdout).toMatch(/silent \d+s: Bash open/)
  for (const id of [compile, told, mcp]) {
    await fleet.settled(id, 'closed')
    expect(fleet.runs(id).map(({ outcome }) => outcome)).toMatchObject([{ code: 'done' }])
  }
})

test('several agents that fall silent together are one incident: their lane pauses with one alert, is tried by one, and no task pays', async () => {
  const fleet = testFleet({ config: [...TIMERS, 'max_attempts=1'] })
  const tasks = Array.from({ length: 4 }, (_, n) =>
    fleet.create(`Falls silent ${n}`, [[init, says('I will look'), hang], healthy(`${n}.txt`)]),
  )
  await fleet.start()
  for (const id of tasks) await fleet.settled(id, 'closed')
  const ends = tasks.flatMap((id) => fleet.runs(id).map(({ outcome }) => outcome))
  const codes = ends.map((outcome) => outcome?.code)
  expect(codes.filter((code) => code === 'stalled')).toHaveLength(2)
  expect(codes.filter((code) => code === 'provider-silent')).toHaveLength(2)
  expect(fleet.log().filter(({ event }) => event === 'lane-paused')).toMatchObject([
    {
      lane: 'claude',
      code: 'provider-silent',
      why: expect.stringContaining('agents of claude at 3 tasks fell silent within two minutes'),
    },
  ])
  expect(fleet.log().filter(({ event }) => event === 'lane-up')).toHaveLength(1)
  for (const id of tasks) expect(fleet.ledger.stateOf(id)).toMatchObject({ attempts: 2, failures: 0 })
})
