import { ambiguity } from '../domain/task/ambiguous-id.ts'
import { isTaskId } from '../domain/task/id.ts'
import type { Task } from '../domain/task/task.ts'
import { AppError } from '../errors.ts'
import type { TaskStore } from '../ports/task-store.ts'

/** Finds the one task that a whole id, an id without its prefix, or the beginning of one names. */
export async function findTask(store: TaskStore, text: string): Promise<Task> {
  const match = await store.resolve(text)
  if (match.kind === 'ambiguous') throw new AppError('not-found', ambiguity(text, match.ids))
  const task = match.kind === 'found' ? await store.get(match.id) : undefined
  if (task !== undefined) return kept(task)
  const near = match.kind === 'unknown' ? match.near : []
  throw new AppError('not-found', `no task ${JSON.stringify(text)}`, {
    hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'fleet bd list --all shows every task',
  })
}

/** bd accepts ids that are no folder names; fleet never runs such a task. */
function kept(task: Task): Task {
  if (isTaskId(task.id)) return task
  throw new AppError('failed', `fleet keeps nothing of ${JSON.stringify(task.id)}: its id names no folder`, {
    hint: `fleet bd show ${task.id} shows it`,
  })
}

/** Finds all of them before the caller changes one; each task once. */
export async function findTasks(store: TaskStore, texts: readonly string[]): Promise<readonly Task[]> {
  const found = new Map<string, Task>()
  for (const text of texts) {
    const task = await findTask(store, text)
    found.set(task.id, task)
  }
  return [...found.values()]
}
