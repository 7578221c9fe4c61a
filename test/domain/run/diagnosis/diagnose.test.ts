import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diagnose, type SilenceFacts } from '../../../../src/domain/run/diagnosis/diagnose.ts'
import type { Look, ProcessLook } from '../../../../src/domain/run/diagnosis/look.ts'

const MINUTE = 60_000

const AGENT: ProcessLook = { pid: 800, name: 'claude', cpuMs: 900, isTool: false }
const TOOL: ProcessLook = { pid: 812, name: 'node', cpuMs: 400, isTool: true }
const IDLE: Look = { at: 0, cpuMs: 1300, tools: 1, processes: [AGENT, TOOL], connections: 1 }

/** Looks five minutes apart, between which these processes used so much of a processor. */
function looks(shares: Readonly<Record<number, number>> = {}, latest: Partial<Look> = {}) {
  const ms = 5 * MINUTE
  const used = IDLE.processes.map((each) => ({ ...each, cpuMs: each.cpuMs + (shares[each.pid] ?? 0) * ms }))
  const cpuMs = used.reduce((sum, each) => sum + each.cpuMs, 0)
  return { base: IDLE, middle: IDLE, latest: { ...IDLE, at: ms, cpuMs, processes: used, ...latest } }
}

const BASH = { name: 'Bash', kind: 'shell', detail: 'npm test' } as const

/** A shell command that has been open for as long as the run is silent, with processes that rest. */
const HUNG: SilenceFacts = {
  begun: true,
  silentMs: 11 * MINUTE,
  quietMs: 11 * MINUTE,
  limitMs: 10 * MINUTE,
  tools: [{ ...BASH, openMs: 11 * MINUTE }],
  looks: looks(),
  transcriptMs: undefined,
  limit: undefined,
  retrying: undefined,
  unanswered: false,
}
const NO_TOOL: SilenceFacts = { ...HUNG, tools: [], looks: looks({}, { tools: 0, processes: [AGENT] }) }

const asLook = (more: Partial<Look>) => looks({}, { tools: 0, processes: [AGENT], ...more })

test.each<[string, SilenceFacts, string, string]>([
  [
    'a call that does not end, and whose processes rest',
    HUNG,
    'hung-tool',
    'Bash "npm test" open 11m00s, node (pid 812) using 0 % of a core: the tool hangs',
  ],
  [
    'a command that the coder has not told',
    { ...HUNG, tools: [] },
    'hung-tool',
    'no tool open, node (pid 812) using 0 % of a core, 1 connection open: the tool hangs',
  ],
  [
    'a run that has told no event',
    { ...NO_TOOL, begun: false },
    'never-started',
    'no event yet, claude (pid 800) using 0 % of a core, 1 connection open: it never started',
  ],
  [
    'an answer that broke off',
    NO_TOOL,
    'dead-stream',
    'no tool open, claude (pid 800) using 0 % of a core, 1 connection open: its stream is dead',
  ],
  [
    'a request without a first token',
    { ...NO_TOOL, unanswered: true },
    'first-token',
    'no tool open, claude (pid 800) using 0 % of a core, 1 connection open: the model never began to answer',
  ],
  [
    'a request without a connection',
    { ...NO_TOOL, unanswered: true, looks: asLook({ connections: 0 }) },
    'dead-stream',
    'no tool open, claude (pid 800) using 0 % of a core, no connection open: its stream is dead',
  ],
  [
    'a command that reads a terminal',
    { ...HUNG, looks: looks({}, { waits: { pid: 820, name: 'ssh', on: 'terminal' } }) },
    'gate',
    'Bash "npm test" open 11m00s, node (pid 812) using 0 % of a core, ssh (pid 820) reads a terminal: it waits for an answer that nobody gives',
  ],
  [
    'an answer that broke off beside a server that reads its stdin',
    { ...NO_TOOL, looks: asLook({ waits: { pid: 805, name: 'mcp', on: 'stdin' } }) },
    'dead-stream',
    'no tool open, claude (pid 800) using 0 % of a core, mcp (pid 805) reads its stdin, 1 connection open: its stream is dead',
  ],
  [
    'a retry after another trouble than a limit',
    { ...NO_TOOL, unanswered: true, retrying: 'it tried again after: no network' },
    'first-token',
    'no tool open, claude (pid 800) using 0 % of a core, 1 connection open, it tried again after: no network: the model never began to answer',
  ],
  [
    "a coder's own question",
    { ...HUNG, tools: [{ name: 'AskUserQuestion', kind: 'other', detail: undefined, openMs: 11 * MINUTE }] },
    'gate',
    'AskUserQuestion open 11m00s, node (pid 812) using 0 % of a core: it waits for an answer that nobody gives',
  ],
  [
    'a limit that was told before',
    { ...NO_TOOL, limit: 'the provider told a limit (five_hour)' },
    'quota',
    'no tool open, claude (pid 800) using 0 % of a core, 1 connection open, the provider told a limit (five_hour): a limit that looks like a hang',
  ],
])('%s is a stall with its cause', (_, facts, cause, text) => {
  const diagnosis = diagnose(facts)
  expect(diagnosis).toMatchObject({ verdict: 'stalled', stall: { cause }, text })
  expect(`${diagnosis.stall?.evidence.join(', ')}: `).toBe(text.slice(0, text.lastIndexOf(': ') + 2))
})

test.each<[string, SilenceFacts, string, string]>([
  [
    'a compiler that uses the processor',
    { ...HUNG, looks: looks({ 812: 0.98 }) },
    'working',
    'Bash "npm test" open 11m00s, node (pid 812) using 98 % of a core: working',
  ],
  [
    'an agent that computes itself',
    { ...NO_TOOL, looks: looks({ 800: 0.5 }) },
    'working',
    'no tool open, claude (pid 800) using 50 % of a core, 1 connection open: working',
  ],
  [
    'a sub-agent whose transcript grows',
    { ...HUNG, tools: [{ name: 'Agent', kind: 'agent', detail: 'Look', openMs: 11 * MINUTE }], transcriptMs: 3000 },
    'working',
    'Agent "Look" open 11m00s, node (pid 812) using 0 % of a core, its transcript grew 3s ago: working',
  ],
  [
    'a call within its time',
    { ...HUNG, silentMs: 4 * MINUTE, quietMs: 4 * MINUTE },
    'working',
    'Bash "npm test" open 11m00s, node (pid 812) using 0 % of a core: working',
  ],
  [
    'a silence with no tool open',
    { ...NO_TOOL, silentMs: 6 * MINUTE, quietMs: 6 * MINUTE },
    'suspicious',
    'no tool open, claude (pid 800) using 0 % of a core, 1 connection open: suspicious',
  ],
  [
    'a silence of processes that nobody sees',
    { ...NO_TOOL, looks: looks({}, { tools: 0, processes: [] }) },
    'suspicious',
    'no tool open, none of its processes is seen, 1 connection open: suspicious',
  ],
  ['a silence that nobody looked at', { ...NO_TOOL, looks: undefined }, 'suspicious', 'no tool open: suspicious'],
])('%s is no stall', (_, facts, verdict, text) => {
  expect(diagnose(facts)).toEqual({ verdict, text })
})

test('without two channels that agree nothing is a stall, whatever else is known', () => {
  const duration = fc.integer({ min: 0, max: 60 * MINUTE })
  const facts: fc.Arbitrary<SilenceFacts> = fc.record({
    begun: fc.boolean(),
    silentMs: duration,
    quietMs: duration,
    limitMs: fc.integer({ min: 1, max: 60 * MINUTE }),
    tools: fc.array(duration.map((openMs) => ({ ...BASH, openMs }))),
    looks: fc.option(
      fc.double({ min: 0, max: 4, noNaN: true }).map((share) => looks({ 812: share })),
      { nil: undefined },
    ),
    transcriptMs: fc.option(duration, { nil: undefined }),
    limit: fc.option(fc.constant('a limit'), { nil: undefined }),
    retrying: fc.constant(undefined),
    unanswered: fc.boolean(),
  })
  fc.assert(
    fc.property(facts, (each) => {
      const { verdict } = diagnose(each)
      const { looks: seen, quietMs, limitMs } = each
      const isBusy = seen !== undefined && seen.latest.cpuMs - seen.base.cpuMs > 0.05 * 5 * MINUTE
      const mayStall = seen !== undefined && !isBusy && quietMs > limitMs
      expect(verdict === 'stalled' && !mayStall).toBe(false)
    }),
  )
})
