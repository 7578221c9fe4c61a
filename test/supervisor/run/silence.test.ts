import { appendFileSync, mkdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claude } from '../../../src/coders/claude/coder.ts'
import { gemini } from '../../../src/coders/gemini/coder.ts'
import { fold } from '../../../src/domain/run/digest.ts'
import type { Run } from '../../../src/domain/run/run.ts'
import type { RunInput } from '../../../src/domain/run/run-machine.ts'
import { follow } from '../../../src/supervisor/run/follow.ts'
import { type LiveRun, liveRun } from '../../../src/supervisor/run/live-run.ts'
import { awaitSidecar, followSidecar } from '../../../src/supervisor/run/sidecar.ts'
import { weighComplaints, whySilent } from '../../../src/supervisor/run/silence.ts'
import type { World } from '../../../src/supervisor/world.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { testWorld } from '../../support/world.ts'

const SESSION = 'ef0c0b7c-c812-423b-93f4-beaab40d45a5'
const BEGAN = `{"type":"init","timestamp":"2026-11-16T18:39:43.307Z","session_id":"${SESSION}","model":"auto"}\n`
const PRINTED = '{"type":"tool_result","timestamp":"2026-11-16T18:39:43.630Z","tool_id":"write","status":"success"}\n'
const COMPLAINT = 'Attempt 1 failed with status 503. Retrying with backoff... Error: The model is overloaded.\n'
const WROTE = '{"id":"m1","timestamp":"2026-11-16T18:39:43.631Z","type":"gemini","content":""}\n'
/** Nobody has looked at its processes: without a trouble of its lane it is not stopped. */
const NO_STOP = undefined
const STALLED: RunInput = { kind: 'stop', want: { code: 'stalled', text: 'silent for 10m' } }

/** An agent of gemini that has printed its first line, which was read. */
async function agent() {
  const home = temporaryFolder()
  const { world } = await testWorld(undefined, ({ environment }) => ({
    environment: { ...environment, of: () => ({ HOME: home }) },
  }))
  const record = {
    id: 'r',
    task: 'fleet-1',
    attempt: 1,
    claimedBy: 'me',
    token: 1,
    coder: 'gemini',
    cwd: home,
    startedAt: 0,
  }
  world.attempts.make('fleet-1', 1)
  const folder = world.attempts.folder('fleet-1', 1)
  const live = liveRun(record as Run, {
    coder: gemini,
    folder,
    state: { phase: 'running' },
    exits: 'reported',
    startedAt: world.clock.monotonic(),
    knownUpTo: -1,
    costBefore: 0,
  })
  const chats = join(home, '.gemini', 'tmp', 'project', 'chats')
  mkdirSync(chats, { recursive: true })
  // Dates of files have steps, of milliseconds here and of seconds elsewhere.
  let at = 1_700_000_000
  const write = (path: string, text: string, later = 10) => {
    appendFileSync(path, text)
    at += later
    utimesSync(path, at, at)
  }
  const prints = (text = PRINTED, later = 10) => write(join(folder, 'stdout.jsonl'), text, later)
  const complains = (text = COMPLAINT, later = 10) => write(join(folder, 'stderr.log'), text, later)
  const notes = () => write(join(chats, `session-2026-11-16T18-39-${SESSION.slice(0, 8)}.jsonl`), WROTE)
  const reads = () => {
    while (follow(world, live) || followSidecar(world, live));
  }
  const look = () => {
    awaitSidecar(world, live)
    weighComplaints(world, live)
  }
  const why = () => whySilent(world, live, STALLED)
  prints(BEGAN)
  reads()
  return { prints, complains, notes, reads, look, why }
}

const WAITS = { want: { code: 'overload', text: 'silent for 10m: with status 503. Error: The model is overloaded.' } }

test('output printed before a complaint is older than it, whenever and in however many parts it is read', async () => {
  for (const lines of [1, 6000]) {
    const { prints, complains, reads, look, why } = await agent()
    expect(why()).toBe(NO_STOP)
    prints(PRINTED.repeat(lines))
    complains()
    look()
    reads()
    expect(why()).toMatchObject(WAITS)
  }
})

test('the content of a sidecar at the time it is found is no sign of life', async () => {
  const { notes, complains, reads, look, why } = await agent()
  notes()
  complains()
  look()
  reads()
  expect(why()).toMatchObject(WAITS)
})

test('output or a sidecar entry after a complaint settles it, also between two looks', async () => {
  for (const sign of ['prints', 'notes'] as const) {
    const { complains, reads, look, why, ...does } = await agent()
    does.notes()
    look()
    reads()
    complains()
    does[sign]()
    look()
    reads()
    expect(why()).toBe(NO_STOP)
  }
})

test('a settled complaint stays settled, however much else the agent writes to stderr while it works', async () => {
  const { prints, complains, reads, look, why } = await agent()
  complains()
  for (let n = 0; n < 6; n++) {
    look()
    prints(PRINTED, 2)
    complains('Loaded cached credentials.\n', 1)
    reads()
  }
  expect(why()).toBe(NO_STOP)
})

test('a settled complaint does not come back with a line about something else', async () => {
  const { prints, complains, reads, look, why } = await agent()
  complains()
  for (let second = 0; second < 2; second++) look()
  prints()
  reads()
  complains('Warning: 256-color support not detected.\n')
  look()
  expect(why()).toBe(NO_STOP)
  complains()
  look()
  expect(why()).toMatchObject(WAITS)
})

test.each([1, 2, 3])(
  'output printed within moments of a complaint does not settle it, even if it is read %i seconds later',
  async (looks) => {
    const { prints, complains, reads, look, why } = await agent()
    complains()
    prints(PRINTED, 4)
    for (let second = 0; second < looks; second++) look()
    reads()
    expect(why()).toMatchObject(WAITS)
  },
)

test('a silence after a limit or a retry that the coder has told is trouble of its lane, with its evidence', async () => {
  const { world } = await testWorld()
  const stop: RunInput = { kind: 'stop', want: { code: 'stalled', text: 'silent for 10m' } }
  const limit = { status: 'rejected', resetsAt: 1_795_000_000, rateLimitType: 'five_hour' }
  const told: Readonly<Record<string, object>> = {
    'usage-limit': { type: 'rate_limit_event', rate_limit_info: limit },
    overload: { type: 'system', subtype: 'api_retry', attempt: 1, error_status: 529, error: 'overloaded' },
  }
  for (const [code, event] of Object.entries(told)) {
    const live = silentClaude(world)
    for (const each of claude.parse(JSON.stringify(event))) fold(live.digest, each, 0)
    const input = whySilent(world, live, stop)
    expect(input).toMatchObject({ kind: 'stop', want: { code, stall: { cause: 'quota' } } })
    expect(input).toMatchObject({ want: { text: expect.stringMatching(/^silent for 10m: /) } })
  }
  const { world: other } = await testWorld()
  const cut = silentClaude(other)
  const retry = { type: 'system', subtype: 'api_retry', attempt: 1, error_status: null, error: 'unknown' }
  for (const each of claude.parse(JSON.stringify(retry))) fold(cut.digest, each, 0)
  expect(whySilent(other, cut, stop)).toMatchObject({ want: { code: 'network', stall: { cause: 'first-token' } } })
  expect(whySilent(world, silentClaude(world), stop)).toMatchObject({
    want: { code: 'stalled', stall: { cause: 'first-token' } },
  })
})

const AGENT = { pid: 800, name: 'claude', cpuMs: 0, isTool: false }

/** It was asked an hour ago, and its processes have rested since. */
function silentClaude(world: World): LiveRun {
  world.attempts.make('fleet-1', 1)
  const now = world.clock.monotonic()
  const live = liveRun(
    { id: 'r', task: 'fleet-1', attempt: 1, claimedBy: 'me', token: 1, cwd: '/', startedAt: 0 } as Run,
    {
      coder: claude,
      folder: world.attempts.folder('fleet-1', 1),
      state: { phase: 'running' },
      exits: 'reported',
      startedAt: now - 3_600_000,
      knownUpTo: -1,
      costBefore: 0,
    },
  )
  live.output.firstEventAt = now - 3_600_000
  const look = { at: now - 600_000, cpuMs: 0, tools: 0, processes: [AGENT], connections: 1 }
  live.activity.looks = { base: look, middle: look, latest: { ...look, at: now } }
  return live
}
