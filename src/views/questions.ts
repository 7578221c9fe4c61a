import { openHomeStore } from '../app.ts'
import { isOpen } from '../domain/fleet/shared-record.ts'
import type { Question } from '../domain/run/run.ts'
import type { Task } from '../domain/task/task.ts'
import type { Home } from '../platform/files/home.ts'
import { findTask } from './find-task.ts'
import { type Asked, awaitedQuestions, knownOf } from './task-knowledge.ts'

/** The questions that tasks wait for, on all machines that share the queue, oldest first. */
export async function openQuestions(home: Home): Promise<readonly Asked[]> {
  await using store = await openHomeStore(home, { readOnly: true })
  return await awaitedQuestions(store)
}

/** A task, and its questions without an answer, oldest first. */
export interface QuestionsOfTask {
  readonly task: Task
  readonly open: readonly Question[]
}

export async function questionsOf(home: Home, text: string): Promise<QuestionsOfTask> {
  await using store = await openHomeStore(home, { readOnly: true })
  const task = await findTask(store.queue, text)
  return { task, open: (await knownOf(store, [task.id]))(task.id).questions.filter(isOpen) }
}
