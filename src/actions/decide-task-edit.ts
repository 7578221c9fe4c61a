import { openHomeStore } from '../app.ts'
import { type TaskSettings, withSettings } from '../domain/task/settings.ts'
import { AppError } from '../errors.ts'
import { entryKind, putAside } from '../platform/files/agent-file.ts'
import { remove } from '../platform/files/folder.ts'
import type { Home } from '../platform/files/home.ts'
import { recordedName } from '../store/held-edit.ts'
import { refusedFile } from '../store/refused-edit.ts'
import { handEditOf, projectTask, taskFile } from '../store/task-file.ts'
import { findTask } from '../views/find-task.ts'

export interface TaskEditDecision {
  readonly home: Home
  /** Its id, or the end of one. */
  readonly task: string
  readonly by: string
}

export interface DecidedEdit {
  readonly task: string
  /** The settings of the edit; '' removes one. undefined: there was none, or none that can be read. */
  readonly change: TaskSettings | undefined
  /** Where the edited file is now; undefined: nowhere, because it was taken in, or there was none. */
  readonly keptAs: string | undefined
}

/** Takes in the edit of its task.json: the one in the file, or else the last one that was set aside. */
export async function acceptTaskEdit({ home, task: text, by }: TaskEditDecision): Promise<DecidedEdit> {
  await using store = await openHomeStore(home)
  const task = await findTask(store.queue, text)
  const aside = refusedFile(home, task.id)
  let change = await handEditOf(home, task)
  if (change === undefined && entryKind(aside) === 'file') change = await handEditOf(home, task, aside)
  if (change === undefined) throw nothingWaits(task.id)
  const taken = change
  const updated = await store.queue.update(task.id, { metadata: (metadata) => withSettings(metadata, taken) }, by)
  store.record.decide(recordedName(task.id), 'accepted')
  projectTask(home, updated ?? task)
  remove(aside)
  return { task: task.id, change, keptAs: undefined }
}

/** Writes task.json as the store has it, and keeps the edited file aside. */
export async function revertTaskEdit({ home, task: text }: TaskEditDecision): Promise<DecidedEdit> {
  await using store = await openHomeStore(home)
  const task = await findTask(store.queue, text)
  const aside = refusedFile(home, task.id)
  const change = await readableEdit(home, task)
  const isWaiting = store.record.isPending(recordedName(task.id))
  if (change.kind === 'none' && !isWaiting) throw nothingWaits(task.id)
  if (change.kind !== 'none') putAside(taskFile(home, task.id), aside)
  projectTask(home, task)
  store.record.decide(recordedName(task.id), 'reverted')
  const keptAs = entryKind(aside) === 'file' ? aside : undefined
  return { task: task.id, change: change.kind === 'valid' ? change.settings : undefined, keptAs }
}

type Edit = { readonly kind: 'none' | 'wrong' } | { readonly kind: 'valid'; readonly settings: TaskSettings }

async function readableEdit(home: Home, task: Parameters<typeof handEditOf>[1]): Promise<Edit> {
  try {
    const settings = await handEditOf(home, task)
    return settings === undefined ? { kind: 'none' } : { kind: 'valid', settings }
  } catch (error) {
    if (error instanceof AppError) return { kind: 'wrong' }
    throw error
  }
}

function nothingWaits(id: string): AppError {
  return new AppError('not-found', `${id}: its task.json has no edit that waits for a decision`, {
    hint: `fleet show ${id} shows its settings; fleet bd update ${id} changes them`,
  })
}
