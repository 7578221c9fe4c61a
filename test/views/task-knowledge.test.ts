import { expect, test } from 'vitest'
import { freshState } from '../../src/domain/run/run.ts'
import type { TaskStore } from '../../src/ports/task-store.ts'
import { knownOf } from '../../src/views/task-knowledge.ts'
import { newRun, testLedger } from '../support/test-ledger.ts'

const [DESK, FORGE] = ['fleet-a1b2c3@desk', 'fleet-d4e5f6@forge']

test('the machine of the last attempt is named where that was another one, also after an earlier attempt here', async () => {
  const { ledger } = testLedger()
  for (const task of ['here', 'moved']) ledger.begin(newRun(`run-${task}`, { task, claimedBy: DESK }))
  const outcome = { code: 'needs-landing', text: 'done' } as const
  const record = (task: string, host: string, machine: string) => ({
    ...{ task, host, machine, next: null, questions: [] },
    state: { ...freshState(task), lastOutcome: outcome },
  })
  const of = async () => [
    record('here', DESK, 'desk'),
    record('moved', FORGE, 'forge'),
    record('there', FORGE, 'forge'),
  ]
  const queue = { records: { of } as Partial<TaskStore['records']> } as Pick<TaskStore, 'records'>
  const known = await knownOf({ queue, ledger }, ['here', 'moved', 'there'])
  expect(['here', 'moved', 'there'].map((task) => known(task).last)).toEqual([
    { outcome, next: null },
    { outcome, next: null, machine: 'forge' },
    { outcome, next: null, machine: 'forge' },
  ])
})
