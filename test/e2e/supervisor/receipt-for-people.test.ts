import { expect, test } from 'vitest'
import { findProgram } from '../../../src/platform/process/program.ts'
import { FLEET, run } from '../../support/cli.ts'
import { claims, type Fleet, init, result, says, testFleet, tool, writes } from '../../support/supervisor.ts'
import { hasScript } from '../../support/tools.ts'

const script = findProgram('script', process.env)

/** Prints the receipt on a terminal of this width. */
function onTerminal(fleet: Fleet, id: string, { columns, flags = '' }: { columns: number; flags?: string }): string[] {
  const command = `stty cols ${columns} rows 40; '${process.execPath}' '${FLEET}' task ${id} receipt ${flags}`
  const { stdout } = run(script ?? '', ['-qec', command, '/dev/null'], {
    env: { FLEET_HOME: fleet.home.path, NO_COLOR: '1' },
  })
  return stdout.replaceAll('\r\n', '\n').trimEnd().split('\n')
}

const KEY = `sk-ant-api03-${'k'.repeat(40)}`

const STEPS = [
  init,
  writes('made.txt'),
  { claude: 'tool', input: { command: `curl -H 'x-api-key: ${KEY}' \u001b[31mlocalhost` }, error: true },
  { claude: 'subagent', what: 'review the diff', do: [says('looks good to me')], counts: 0 },
  { claude: 'subagent', what: 'run the tests', do: [{ claude: 'tool', input: { command: 'npm test' } }] },
  tool({ fleet: ['ask', 'Tabs or spaces?'] }),
  says(`12/12 tests pass \u001b]0;owned\u0007 ${KEY}`),
  claims('wrote made.txt'),
  result('done'),
]

test('a receipt says what the agent was given and did: its tools, commands, sub-agents and how long each phase took', async () => {
  const fleet = testFleet({ config: ['timeouts.after_result=30s'] })
  const id = fleet.create('Make it', STEPS)
  await fleet.start()
  await fleet.settled(id, 'closed')
  const receipt = fleet.receipt(id)
  const { did, given, phases, lane, warnings } = receipt
  expect({ did, lane, given: { ...given, prompt: Object.keys(given?.prompt ?? {}) } }).toEqual({
    lane: 'claude',
    given: {
      cwd: expect.stringContaining('own-1'),
      prompt: ['title', 'description', 'how you work here'],
      prompt_bytes: expect.any(Number),
      permissions: 'full',
      resumes: null,
    },
    did: {
      tools: [
        { name: 'Bash', calls: 3, failed: 1 },
        { name: 'Agent', calls: 2, failed: 0 },
        { name: 'Write', calls: 1, failed: 0 },
      ],
      commands: 3,
      command_calls: [
        { call: expect.stringContaining('[redacted]'), failed: true },
        { call: 'npm test', failed: false },
        { call: 'Bash', failed: false },
      ],
      subagents: 2,
      subagent_calls: [
        { tool: 'Agent', what: 'review the diff', failed: false, tool_calls: 0 },
        { tool: 'Agent', what: 'run the tests', failed: false, tool_calls: 1 },
      ],
    },
  })
  expect(phases?.map(({ name }) => name)).toEqual(['starting', 'working', 'judging'])
  expect(warnings).toEqual([
    '1 of 2 sub-agents made no tool call: review the diff',
    'it asked a question and did not wait for the answer: Tabs or spaces?',
  ])
  expect(JSON.stringify(receipt)).not.toContain(KEY)
  expect(fleet.fleet('show', id).stdout).toMatch(/^asked: +Tabs or spaces\? \(at .*, not waited for\)$/m)

  if (!hasScript) return
  for (const columns of [80, 120]) {
    const lines = onTerminal(fleet, id, { columns })
    expect(lines).toContain('sub-agents:   0 tool calls: review the diff')
    expect(lines).toContain('asked:        Tabs or spaces?')
    expect(lines).toContain('warning:      1 of 2 sub-agents made no tool call: review the diff')
    expect(lines.at(-1)).toBe('verdict:      done at level evidenced')
    expect(lines.length).toBeLessThan(40)
    expect(lines.filter((line) => line.length > columns || /\p{Cc}/u.test(line) || line.includes(KEY))).toEqual([])
  }
  const raw = onTerminal(fleet, id, { columns: 80, flags: '--raw' })
  expect(JSON.parse(raw.join('\n'))).toEqual(receipt)
  expect(JSON.parse(fleet.fleet('task', id, 'receipt').stdout)).toEqual(receipt)
})
