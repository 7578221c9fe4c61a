import { expect, test } from 'vitest'
import { emptyDigest, fold } from '../../../src/domain/run/digest.ts'
import type { CoderEvent } from '../../../src/domain/run/event.ts'
import { idleSubagentsWarning, type SubagentTraits, workDone } from '../../../src/domain/run/work-done.ts'

const TOLD: SubagentTraits = { startedBy: ['Agent'], calls: 'told' }

type Call = Extract<CoderEvent, { type: 'tool-started' }>

function call(id: string, name: string, more: Partial<Call> = {}): Call {
  return { type: 'tool-started', id, name, kind: name === 'Bash' ? 'shell' : 'other', ...more }
}

function agent(id: string, detail: string): Call {
  return call(id, 'Agent', { kind: 'agent', detail })
}

function doneBy(events: readonly CoderEvent[], traits: SubagentTraits | undefined = TOLD) {
  const digest = emptyDigest()
  for (const event of events) fold(digest, event, 0)
  return workDone(digest.work, traits)
}

test('tools are counted by name with their failures, and a call that is reported twice counts once', () => {
  expect(
    doneBy([
      call('1', 'Read'),
      call('2', 'Bash', { detail: 'npm test' }),
      call('2', 'Bash', { detail: 'npm test' }),
      { type: 'tool-ended', id: '2', failed: true },
      call('3', 'Bash', { detail: 'npm run lint' }),
      { type: 'tool-ended', id: '3', failed: false },
      { type: 'tool-ended', id: 'unknown', failed: true },
    ]),
  ).toEqual({
    tools: [
      { name: 'Bash', calls: 2, failed: 1 },
      { name: 'Read', calls: 1, failed: 0 },
    ],
    commands: 2,
    command_calls: [
      { call: 'npm test', failed: true },
      { call: 'npm run lint', failed: false },
    ],
    subagents: 0,
    subagent_calls: [],
  })
})

test('a stream of any length leaves a bounded record with true counts', () => {
  const events = Array.from({ length: 5000 }, (_, i) => call(`${i}`, `tool-${i}`, { kind: 'shell', detail: `do ${i}` }))
  const agents = Array.from({ length: 500 }, (_, i) => agent(`a${i}`, `job ${i}`))
  const done = doneBy([...events, ...agents])
  expect(done.tools).toHaveLength(41)
  expect(done.tools[0]).toEqual({ name: '(others)', calls: 5460, failed: 0 })
  expect(done.commands).toBe(5000)
  expect(done.command_calls.map((each) => each.call)).toEqual([
    ...Array.from({ length: 10 }, (_, i) => `do ${i}`),
    ...Array.from({ length: 10 }, (_, i) => `do ${4990 + i}`),
  ])
  expect(done.subagent_calls).toHaveLength(30)
})

test('a sub-agent has the tool calls that the stream shows of it, or as many as the coder counts', () => {
  const done = doneBy([
    agent('a', 'review the diff'),
    call('1', 'Bash', { parent: 'a', subagent: true }),
    call('2', 'Bash', { parent: 'a', subagent: true }),
    { type: 'tool-ended', id: 'a', failed: false },
    agent('b', 'run the tests'),
    { type: 'subagent', call: 'b', toolCalls: 7 },
    agent('c', 'look at the logs'),
    agent('d', 'was refused'),
    { type: 'tool-ended', id: 'd', failed: true },
  ])
  expect(done.subagent_calls).toEqual([
    { tool: 'Agent', what: 'review the diff', failed: false, tool_calls: 2 },
    { tool: 'Agent', what: 'run the tests', failed: false, tool_calls: 7 },
    { tool: 'Agent', what: 'look at the logs', failed: false, tool_calls: 0 },
    { tool: 'Agent', what: 'was refused', failed: true, tool_calls: 0 },
  ])
  expect(idleSubagentsWarning(done)).toBe('1 of 4 sub-agents made no tool call: look at the logs')
})

test('sub-agents of a coder that does not tell their calls are no reason for a warning', () => {
  const done = doneBy(
    [
      call('a', 'spawn_agent', { kind: 'agent', detail: 'review' }),
      call('w', 'wait', { kind: 'agent' }),
      call('c', 'close_agent', { kind: 'agent' }),
    ],
    { startedBy: ['spawn_agent'], calls: 'untold' },
  )
  expect(done.subagents).toBe(1)
  expect(done.subagent_calls).toEqual([{ tool: 'spawn_agent', what: 'review', failed: false, tool_calls: null }])
  expect(idleSubagentsWarning(done)).toBeUndefined()
})
