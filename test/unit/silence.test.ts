import { expect, test } from 'vitest'
import { gemini } from '../../src/coders/gemini.ts'
import type { Run } from '../../src/domain/run.ts'
import type { RunInput } from '../../src/domain/run-machine.ts'
import { liveRun } from '../../src/supervisor/live-run.ts'
import { whySilent } from '../../src/supervisor/silence.ts'
import type { World } from '../../src/supervisor/world.ts'

const COMPLAINT = 'Attempt 1 failed with status 503. Retrying with backoff... Error: Overloaded'
const STALLED: RunInput = { kind: 'stop', want: { code: 'stalled', text: 'silent for 10m' } }

/** A run whose last output came at 1000. */
function judged(complainedAt: number | undefined) {
  const world = { attempts: { stderrTail: () => COMPLAINT }, redact: (text: string) => text } as unknown as World
  const record = { task: 'fleet-1', attempt: 1, claimedBy: 'me', token: 1 } as unknown as Run
  const made = { coder: gemini, folder: '/f', state: { phase: 'running' }, adopted: false, startedAt: 0, knownUpTo: -1 }
  const live = liveRun(record, made as Parameters<typeof liveRun>[1])
  return whySilent(world, Object.assign(live, { lastOutputAt: 1000, complainedAt }), STALLED)
}

test('a run that complained of its provider after its last output waits for it; what came before, it has got over', () => {
  expect(judged(2000)).toMatchObject({
    want: { code: 'overload', text: 'silent for 10m: with status 503. Error: Overloaded' },
  })
  expect(judged(500)).toBe(STALLED)
  expect(judged(undefined)).toBe(STALLED)
})
