import type { TaskSettings } from '../domain/task/settings.ts'
import type { Task } from '../domain/task/task.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { handEditOf } from './task-file.ts'

/** An edit of task.json by hand that the store does not have yet. */
export type PendingEdit =
  /** The settings that it changes; '' removes one. */
  | { readonly kind: 'valid'; readonly change: TaskSettings }
  /** It will be refused, and this is why. */
  | { readonly kind: 'wrong'; readonly why: string }

/** Only looks; undefined: the file was not edited. */
export async function pendingEdit(home: Home, task: Task): Promise<PendingEdit | undefined> {
  try {
    const change = await handEditOf(home, task)
    return change === undefined ? undefined : { kind: 'valid', change }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { kind: 'wrong', why: error.message }
  }
}
