import { expect, test } from 'vitest'
import { retriesLine } from '../../src/cli/render/run.ts'
import { freshState, type TaskState, type WaitKind } from '../../src/domain/run/run.ts'
import { BLANK_TASK } from '../../src/domain/task/task.ts'
import { comingRetries } from '../../src/views/retries.ts'

const NOW = 1_000_000

function waits(task: string, waitingUntil: number | null, waitingKind: WaitKind = 'retry'): TaskState {
  return { ...freshState(task), waiting: 'a reason', waitingKind, waitingUntil }
}

test('a retry is coming for an open task that failed, and not for one that waits for anything else', async () => {
  const states = [
    waits('past', NOW),
    waits('soon', NOW + 4100),
    waits('closed', NOW + 4200),
    waits('gone', NOW + 4300),
    waits('limit', NOW + 4400, 'lane'),
    waits('never-ran', NOW + 4500, 'refused'),
    waits('later', NOW + 30_000),
    waits('lane', null),
  ]
  const status: Record<string, string> = { closed: 'closed' }
  const retries = await comingRetries(
    {
      ledger: { waiting: () => states },
      queue: { get: async (id) => (id === 'gone' ? undefined : { ...BLANK_TASK, id, status: status[id] ?? 'open' }) },
    },
    NOW,
  )
  expect(retries).toEqual([
    { task: 'soon', at: NOW + 4100 },
    { task: 'later', at: NOW + 30_000 },
  ])
})

test('a wait is told in whole seconds, rounded up', () => {
  const [one, two] = [
    { task: 'fleet-a', at: NOW + 4100 },
    { task: 'fleet-b', at: NOW + 130_000 },
  ]
  expect(retriesLine([], NOW)).toBeUndefined()
  expect(retriesLine([one], NOW)).toBe('waiting for a retry of fleet-a in 5s')
  expect(retriesLine([one, two], NOW)).toBe('waiting for a retry of fleet-a in 5s, and later of 1 more')
  expect(retriesLine([two], NOW)).toBe('waiting for a retry of fleet-b in 2m10s')
})
