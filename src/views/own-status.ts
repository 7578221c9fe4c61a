import { CUSTOM_STATUSES, parseStatuses } from '../domain/queue/bd-configuration.ts'
import { STATUSES } from '../domain/task/task.ts'
import type { TaskStore } from '../ports/task-store.ts'

/** The statuses with which a task waits for nothing but people: all but bd's own, and but those that mean done. */
export interface OwnStatuses {
  /** Those that are not among them. */
  readonly others: readonly string[]
  includes(status: string): boolean
}

/** undefined: no task has a status that people named themselves, as is usual. */
export async function ownStatusesIn(store: TaskStore): Promise<OwnStatuses | undefined> {
  if ((await store.count({ notStatuses: STATUSES })) === 0) return undefined
  const read = parseStatuses((await store.values.get(CUSTOM_STATUSES)) ?? '')
  const done = typeof read === 'string' ? [] : read.filter(({ category }) => category === 'done')
  const others = [...STATUSES, ...done.map(({ name }) => name)]
  return { others, includes: (status) => !others.includes(status) }
}
