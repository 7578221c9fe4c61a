import { join } from 'node:path'
import { type HomeStore, openHomeStore } from '../app.ts'
import { isOpen } from '../domain/fleet/shared-record.ts'
import type { Question } from '../domain/run/run.ts'
import type { Task } from '../domain/task/task.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { recordedQuestions } from '../store/held-edit.ts'
import { appendAnswer } from '../store/questions-file.ts'
import { answerQuestion } from '../store/task-record.ts'
import { findTask } from '../views/find-task.ts'
import { awaitedQuestion, knownOf } from '../views/task-knowledge.ts'
import type { ActionContext } from './action-context.ts'

export interface Answer {
  /** An id, an id without its prefix, or the beginning of one. */
  readonly task: string
  readonly text: string
  /** Q&A.md has it already: a person accepted what is there. */
  readonly isInFile?: boolean
}

export type Answered = {
  readonly task: string
  /** Why Q&A.md does not have the answer; the ledger has it. */
  readonly fileProblem?: string
} & (
  | { readonly kind: 'reopened' }
  /** `open`: the questions that are left. */
  | { readonly kind: 'more-questions'; readonly open: number }
  /** The task was closed or claimed in the meantime, and stays so. */
  | { readonly kind: 'left-as-is'; readonly status: string }
)

/** Answers the newest open question of a task, and opens the task when it waits for no other. */
export async function answerTask(
  { home, by }: ActionContext,
  { task: text, text: answer, isInFile = false }: Answer,
): Promise<Answered> {
  await using store = await openHomeStore(home)
  const task = await findTask(store.queue, text)
  const known = (await knownOf(store, [task.id]))(task.id)
  if (!known.questions.some(isOpen)) throw nothingAsked(task)
  if (answer === '') {
    throw new AppError('usage', 'the answer is empty', { hint: `fleet answer ${task.id} "<text>"` })
  }
  const answered = await answerQuestion(store, task.id, { text: answer, by, at: Date.now() })
  if (answered === undefined) throw nothingAsked(task)
  store.record.decide(recordedQuestions(task.id), isInFile ? 'accepted' : 'withdrawn')
  // Another machine writes the file when it starts the next attempt.
  const fileProblem = answered.here && !isInFile ? writeDown(home, answered.question) : undefined
  const about = { task: task.id, ...(fileProblem === undefined ? {} : { fileProblem }) }
  // Its agent did not wait for the answer: whatever else it is blocked for still holds.
  if (awaitedQuestion(task, known) === undefined) return { ...about, kind: 'left-as-is', status: task.status }
  const left = known.awaited.length - 1
  if (left > 0) return { ...about, kind: 'more-questions', open: left }
  return { ...about, ...(await reopened(store, task.id, by)) }
}

export function nothingAsked({ id, status }: Task): AppError {
  return new AppError('conflict', `${id} has no open question`, {
    hint:
      status === 'blocked'
        ? `fleet show ${id} says why it is blocked; fleet retry ${id} starts it again`
        : `it is ${status}; fleet bd comment ${id} "<text>" leaves a comment`,
  })
}

function writeDown(home: Home, { task, answer, answeredAt }: Question): string | undefined {
  try {
    appendAnswer(join(home.task(task), 'artifacts'), { text: answer ?? '', at: answeredAt ?? 0 })
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}

/** Only while it is blocked: a person may have closed or claimed it. The token of the old run becomes invalid. */
async function reopened(
  { queue }: HomeStore,
  id: string,
  by: string,
): Promise<{ kind: 'reopened' } | { kind: 'left-as-is'; status: string }> {
  const change = { status: 'open', assignee: '' }
  const result = await queue.amend(id, { change, expect: { status: 'blocked' }, force: true }, by)
  if (result.kind === 'amended') return { kind: 'reopened' }
  return { kind: 'left-as-is', status: result.kind === 'mismatch' ? result.is : result.kind }
}
