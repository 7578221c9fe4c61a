import { AppError } from '../errors.ts'
import type { ListedTask, TaskQuery, TaskStore } from '../ports/task-store.ts'
import { type HandEdits, takeInHandEdit } from '../store/task-file.ts'

export type TakenNext =
  | { readonly kind: 'taken'; readonly task: ListedTask }
  | { readonly kind: 'none' }
  /** Its task.json has an edit that cannot be applied; nothing was claimed. */
  | { readonly kind: 'bad-edit'; readonly id: string; readonly why: AppError }

/** Each failed try is a task that another claimer got, so in practice this is never reached. */
const TRIES = 100

/**
 * Claims the first ready task that fits for a person. A hand edit of its file is applied first, so that no claim
 * overrides it; if another claimer is faster, the next task is tried.
 */
export async function takeNextReady(edits: HandEdits, query: TaskQuery): Promise<TakenNext> {
  const { store, by } = edits
  for (let tries = 0; tries < TRIES; tries++) {
    const id = await firstReady(store, query)
    if (id === undefined) return { kind: 'none' }
    try {
      await takeInHandEdit(edits, id)
    } catch (why) {
      if (why instanceof AppError && why.code !== 'queue') return { kind: 'bad-edit', id, why }
      throw why
    }
    const task = await store.takeNext({ ...query, ids: [id] }, by)
    if (task !== undefined) return { kind: 'taken', task }
  }
  throw new AppError('conflict', `others were faster ${TRIES} times`, { hint: 'nothing was claimed; run it again' })
}

async function firstReady(store: TaskStore, query: TaskQuery): Promise<string | undefined> {
  for await (const { id } of store.find({ ...query, ready: true, assignee: '', limit: 1 })) return id
  return undefined
}
