import { machineOf } from '../domain/fleet/claimer.ts'
import { type SharedRecord, stateAt } from '../domain/fleet/shared-record.ts'
import { freshState } from '../domain/run/run.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { TaskRecords } from '../ports/task-records.ts'

/**
 * Failures, sessions and questions are not part of a task. A home keeps them in its ledger. Machines that share a queue
 * keep them in the queue, as task records, so a migration has to carry them along.
 */
export interface LedgerScope {
  readonly tasks: readonly string[]
  readonly ledger: Ledger
  /** The name under which this home claims from a shared queue. */
  readonly claimer: string
}

/** When leaving a shared queue: copies its task records into the ledger. */
export async function learnRecords(
  { tasks, ledger, claimer }: LedgerScope,
  records: TaskRecords,
): Promise<readonly SharedRecord[]> {
  const shared = await records.of(tasks)
  ledger.together(() => {
    for (const record of shared) ledger.learn(stateAt(record, claimer), record.questions)
  })
  return shared
}

/** The task records for a shared queue. `learnt`: those of the queue being left, which come first. */
export function recordsToCarry(
  { tasks, ...here }: LedgerScope,
  learnt: readonly SharedRecord[],
): readonly SharedRecord[] {
  const before = new Map(learnt.map((record) => [record.task, record]))
  return tasks.flatMap((task) => before.get(task) ?? ledgerRecord(task, here) ?? [])
}

/** undefined: the ledger knows nothing about the task. */
function ledgerRecord(task: string, { ledger, claimer }: Omit<LedgerScope, 'tasks'>): SharedRecord | undefined {
  const state = ledger.stateOf(task)
  const questions = ledger.questionsOf(task)
  const last = ledger.runsOf(task).at(-1)
  const isFresh = JSON.stringify(state) === JSON.stringify(freshState(task))
  if (isFresh && questions.length === 0) return undefined
  const host = last === undefined ? '' : claimer
  return { task, host, machine: machineOf(host) ?? '', state, next: last?.next ?? null, questions }
}
