import { machineOf } from '../domain/fleet/claimer.ts'
import { type SharedRecord, stateAt } from '../domain/fleet/shared-record.ts'
import { freshState } from '../domain/run/run.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { TaskRecords } from '../ports/task-records.ts'

/**
 * What is known of tasks beside the tasks: failures, sessions, questions. A home keeps it in its ledger; machines that
 * share a queue keep it with the queue, so there it has to go along.
 */
export interface LedgerScope {
  readonly tasks: readonly string[]
  readonly ledger: Ledger
  /** Under which name this home claims from a shared queue. */
  readonly claimer: string
}

/** From a queue that machines share: the ledger learns what the others know. */
export async function learnRecords(
  { tasks, ledger, claimer }: LedgerScope,
  records: TaskRecords,
): Promise<readonly SharedRecord[]> {
  const told = await records.of(tasks)
  ledger.together(() => {
    for (const record of told) ledger.learn(stateAt(record, claimer), record.questions)
  })
  return told
}

/** To a queue that machines share. `learnt`: from the queue that is left. */
export function recordsToCarry(
  { tasks, ...here }: LedgerScope,
  learnt: readonly SharedRecord[],
): readonly SharedRecord[] {
  const before = new Map(learnt.map((record) => [record.task, record]))
  return tasks.flatMap((task) => before.get(task) ?? ledgerRecord(task, here) ?? [])
}

/** undefined: there is nothing to tell. */
function ledgerRecord(task: string, { ledger, claimer }: Omit<LedgerScope, 'tasks'>): SharedRecord | undefined {
  const state = ledger.stateOf(task)
  const questions = ledger.questionsOf(task)
  const last = ledger.runsOf(task).at(-1)
  const isFresh = JSON.stringify(state) === JSON.stringify(freshState(task))
  if (isFresh && questions.length === 0) return undefined
  const host = last === undefined ? '' : claimer
  return { task, host, machine: machineOf(host) ?? '', state, next: last?.next ?? null, questions }
}
