import { machineOf } from '../domain/claimer.ts'
import { freshState } from '../domain/run.ts'
import { recordedBy, type SharedRecord, stateAt } from '../domain/shared-record.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { TaskRecords } from '../ports/task-records.ts'

/**
 * What is known of tasks beside the tasks: failures, sessions, questions. A home keeps it in its ledger; machines that
 * share a queue keep it with the queue, so there it has to go along.
 */
export interface Knowing {
  readonly tasks: readonly string[]
  readonly ledger: Ledger
  /** Under which name this home claims from a shared queue. */
  readonly claimer: string
}

/** From a queue that machines share: the ledger learns what the others know. */
export async function learnAll(
  { tasks, ledger, claimer }: Knowing,
  records: TaskRecords,
): Promise<readonly SharedRecord[]> {
  const told = await records.of(tasks)
  ledger.together(() => {
    for (const record of told) ledger.learn(stateAt(record, claimer), record.questions)
  })
  return told
}

/** To a queue that machines share: what is recorded there already stays. `learnt`: from the queue that is left. */
export async function tellAll(
  { tasks, ledger, claimer }: Knowing,
  records: TaskRecords,
  learnt: readonly SharedRecord[],
): Promise<void> {
  const before = new Map(learnt.map((record) => [record.task, record]))
  for (const task of tasks) {
    const mine = before.get(task) ?? recordHere(task, { ledger, claimer })
    if (mine !== undefined) await records.change(task, (current) => current ?? recordedBy(undefined, mine))
  }
}

/** undefined: there is nothing to tell. */
function recordHere(task: string, { ledger, claimer }: Omit<Knowing, 'tasks'>): SharedRecord | undefined {
  const state = ledger.stateOf(task)
  const questions = ledger.questionsOf(task)
  const last = ledger.runsOf(task).at(-1)
  const isFresh = JSON.stringify(state) === JSON.stringify(freshState(task))
  if (isFresh && questions.length === 0) return undefined
  const host = last === undefined ? '' : claimer
  return { task, host, machine: machineOf(host) ?? '', state, next: last?.next ?? null, questions }
}
