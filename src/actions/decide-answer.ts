import { join } from 'node:path'
import { openHomeStore } from '../app.ts'
import { recordedQuestions } from '../store/held-edit.ts'
import { handAnswer, rewriteQuestions } from '../store/questions-file.ts'
import { findTask } from '../views/find-task.ts'
import { type Answered, answerTask } from './answer.ts'
import type { TaskEditDecision } from './decide-task-edit.ts'

export interface DecidedAnswer {
  readonly task: string
  /** The answer in Q&A.md; undefined: there is none any more. */
  readonly text: string | undefined
  /** What became of the task; undefined: nothing. */
  readonly answered: Answered | undefined
  readonly keptAs: string | undefined
}

/** Takes the answer in Q&A.md, which was written while agents ran, for a person's. undefined: none waits for a decision. */
export async function acceptAnswer({ home, task: given, by }: TaskEditDecision): Promise<DecidedAnswer | undefined> {
  const waiting = await waitingAnswer({ home, task: given, by })
  if (waiting === undefined) return undefined
  const { task, text } = waiting
  const answered = text === undefined ? undefined : await answerTask({ home, by }, { task, text, isInFile: true })
  return { task, text, answered, keptAs: undefined }
}

/** Writes Q&A.md as fleet knows it; the question stays open. */
export async function revertAnswer(decision: TaskEditDecision): Promise<DecidedAnswer | undefined> {
  const waiting = await waitingAnswer(decision)
  if (waiting === undefined) return undefined
  const { task, text } = waiting
  await using store = await openHomeStore(decision.home)
  const keptAs = rewriteQuestions(join(decision.home.task(task), 'artifacts'), store.ledger.questionsOf(task))
  store.record.decide(recordedQuestions(task), 'reverted')
  return { task, text, answered: undefined, keptAs }
}

async function waitingAnswer({ home, task: given }: TaskEditDecision) {
  await using store = await openHomeStore(home)
  const { id } = await findTask(store.queue, given)
  const name = recordedQuestions(id)
  if (!store.record.isPending(name)) return undefined
  const text = handAnswer(join(home.task(id), 'artifacts'))
  if (text === undefined) store.record.decide(name, 'withdrawn')
  return { task: id, text }
}
