import type { RefusedEdit } from '../domain/agent/refused-edit.ts'
import { settingsOf } from '../domain/task/settings.ts'
import { AppError } from '../errors.ts'
import { agentFileStamp, putAside, whatStands } from '../platform/files/agent-file.ts'
import type { Home } from '../platform/files/home.ts'
import type { TaskStore } from '../ports/task-store.ts'
import { refusedFile } from './refused-edit.ts'
import { type Found, isSame, projectTask, readTaskFile, taskFile } from './task-file.ts'

/**
 * A change of task.json while an agent was at work on the task. The claim took in what a person had changed before, so
 * what differs from the store after the run was changed since. Nothing has to be remembered for that: the next supervisor
 * sees it as well.
 */

/** How task.json stood when the task was claimed, in one look; undefined: too young to be told from what comes next. */
export function standing(home: Home, id: string, now: number): string | undefined {
  const stamp = agentFileStamp(taskFile(home, id))
  return stamp !== undefined && now - stamp.changedAt > COARSE_MS ? stamp.text : undefined
}

/** Far more than the steps in which file systems tell the time. */
const COARSE_MS = 1000

/**
 * undefined: nobody changed it, or it is gone, and then it is written anew. `before`: how it stood when the task was
 * claimed, where that is known, which spares a busy supervisor the reading.
 */
export async function editMeanwhile(
  store: TaskStore,
  { home, id, before }: { home: Home; id: string; before: string | undefined },
): Promise<RefusedEdit | undefined> {
  let found: Found | undefined
  try {
    if (before !== undefined && agentFileStamp(taskFile(home, id))?.text === before) return undefined
    found = readTaskFile(home, id)
  } catch (error) {
    if (error instanceof AppError) return whatStands(taskFile(home, id))
    throw error
  }
  // The store is asked only where the file cannot tell, which is hardly ever.
  if (found === undefined || found.untouched) return undefined
  const task = await store.get(id)
  return task === undefined || isSame(found.settings, settingsOf(task.metadata)) ? undefined : 'file'
}

/** It is kept under another name, and task.json says again what the store says. */
export async function refuseEdit(store: TaskStore, home: Home, id: string): Promise<void> {
  putAside(taskFile(home, id), refusedFile(home, id))
  const task = await store.get(id)
  if (task === undefined) return
  try {
    projectTask(home, task)
  } catch (error) {
    // What is missing is written by the next claim.
    if (!(error instanceof AppError)) throw error
  }
}
