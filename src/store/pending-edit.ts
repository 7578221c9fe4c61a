import type { TaskSettings } from '../domain/task/settings.ts'
import type { Task } from '../domain/task/task.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import type { HomeRecord } from '../platform/sqlite/home-record.ts'
import { isHeldEdit } from './held-edit.ts'
import { handEditOf } from './task-file.ts'

/** An edit of task.json by hand that the store does not have yet. `held`: it was made while agents ran, and waits for a person. */
export type PendingEdit =
  /** The settings that it changes; '' removes one. */
  | { readonly kind: 'valid'; readonly change: TaskSettings; readonly held: boolean }
  /** It will be refused, and this is why. */
  | { readonly kind: 'wrong'; readonly why: string; readonly held: boolean }

/** Only looks; undefined: the file was not edited. */
export async function pendingEdit(home: Home, task: Task, record: HomeRecord): Promise<PendingEdit | undefined> {
  const held = isHeldEdit(home, task.id, record)
  try {
    const change = await handEditOf(home, task)
    return change === undefined ? undefined : { kind: 'valid', change, held }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { kind: 'wrong', why: error.message, held }
  }
}
