import { isOpen, mergedRecord, withAnswer } from '../domain/fleet/shared-record.ts'
import type { Question, TaskState } from '../domain/run/run.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { TaskStore } from '../ports/task-store.ts'

/** Writes to what is remembered of a task: this home's ledger and, where machines share the queue, the shared record. */
interface Stores {
  readonly queue: Pick<TaskStore, 'records'>
  readonly ledger: Ledger
}

/**
 * Answers the newest open question of the task, for whichever machine runs its next attempt. `here`: an agent of this
 * home asked it, so its ledger has the answer too. undefined: no question was open.
 */
export async function answerQuestion(
  { queue, ledger }: Stores,
  task: string,
  given: { text: string; by: string; at: number },
): Promise<{ readonly question: Question; readonly here: boolean } | undefined> {
  const record = await queue.records?.change(task, (current) => current && withAnswer(current, given))
  const answered = record?.questions.findLast(
    ({ answeredAt, answer }) => answeredAt === given.at && answer === given.text,
  )
  if (answered === undefined) {
    const question = ledger.answer(task, given)
    return question && { question, here: true }
  }
  const here = ledger.questionsOf(task).findLast(isOpen)?.run === answered.run
  if (here) ledger.answer(task, given)
  return { question: answered, here }
}

/** Changes the state of a task in this ledger and for every machine that may run it. */
export async function changeState(
  { queue, ledger }: Stores,
  task: string,
  change: (before: TaskState) => TaskState,
): Promise<void> {
  const own = ledger.together(() => {
    const state = change(ledger.stateOf(task))
    ledger.saveState(state)
    return state
  })
  await queue.records?.change(task, (current) =>
    current === undefined
      ? mergedRecord(current, {
          task,
          host: '',
          machine: '',
          state: own,
          next: null,
          questions: ledger.questionsOf(task),
        })
      : { ...current, state: change(current.state) },
  )
}
