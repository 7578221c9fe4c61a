import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claude } from '../../../src/coders/claude/coder.ts'
import { opencode } from '../../../src/coders/opencode/coder.ts'
import { touchesAny } from '../../../src/domain/evidence/span.ts'
import type { Coder } from '../../../src/ports/coder.ts'
import { otherWork } from '../../../src/supervisor/ending/other-work.ts'
import { liveRun } from '../../../src/supervisor/run/live-run.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { testWorld } from '../../support/world.ts'

/** Two runs in one directory, of which the second prints what the test wants. */
async function beside(coder: Coder) {
  const { world } = await testWorld()
  const cwd = temporaryFolder()
  const [judged, other] = ['fleet-1', 'fleet-2'].map((task) => {
    const record = world.ledger.begin({
      ...{ id: `run of ${task}`, task, claimedBy: 'me', token: 1, coder: coder.name, model: null, lane: coder.name },
      ...{ cwd, title: task, startedAt: world.clock.now() - 60_000, resumes: null },
    })
    world.attempts.make(task, 1)
    const live = liveRun(record, {
      ...{ coder, folder: world.attempts.folder(task, 1), state: { phase: 'running' }, exits: 'reported' },
      ...{ startedAt: world.clock.monotonic() - 60_000, knownUpTo: -1, costBefore: 0 },
    })
    live.trace.root = cwd
    return live
  }) as [ReturnType<typeof liveRun>, ReturnType<typeof liveRun>]
  const base = { kind: 'folder', cwd, files: {}, filesWhole: true } as const
  return {
    prints: (line: object, times = 1) =>
      appendFileSync(join(other.folder, 'stdout.jsonl'), `${JSON.stringify(line)}\n`.repeat(times)),
    /** Whether it may be changing something now. */
    isBusy(): boolean {
      const now = world.clock.now()
      const [work] = otherWork(world, judged, { base, runs: [judged, other], since: judged.record.startedAt })
      return touchesAny(work?.open ?? [], { from: now, to: world.clock.now() })
    },
  }
}

const NOISE = { type: 'system', subtype: 'noise', text: 'x'.repeat(1000) }
const SHELL = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'make' } }
const CALLS = { type: 'assistant', message: { id: 'msg_1', role: 'assistant', content: [SHELL] } }

test('a call that another run has just printed is known, after however much output', async () => {
  const { prints, isBusy } = await beside(claude)
  prints(NOISE)
  expect(isBusy()).toBe(false)
  prints(NOISE, 300)
  prints(CALLS)
  expect(isBusy()).toBe(true)
})

test('a run whose output is not read to its end may have a tool open', async () => {
  const { prints, isBusy } = await beside(claude)
  prints(NOISE, 6000)
  expect(isBusy()).toBe(true)
})

const turn = (type: string, part: object) => ({ type, sessionID: 'ses_1', part: { sessionID: 'ses_1', ...part } })

test('a run whose coder tells a tool only when it has ended may have one open until its turn is over', async () => {
  const { prints, isBusy } = await beside(opencode)
  prints(turn('step_start', { type: 'step-start' }))
  expect(isBusy()).toBe(true)
  prints(turn('step_finish', { type: 'step-finish', id: 'prt_1', reason: 'stop' }))
  expect(isBusy()).toBe(false)
  prints(turn('step_start', { type: 'step-start' }))
  expect(isBusy()).toBe(true)
})
