import { openLedger } from '../app.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import type { TaskStore } from '../ports/task-store.ts'

/** The tasks with an agent at work in this home that wait for other tasks, with those tasks. */
export async function runningHeldUp(
  home: Home,
  store: Pick<TaskStore, 'blocked'>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const ids = tasksUnderWay(home)
  if (ids.length === 0) return new Map()
  const blocked = await store.blocked({ ids })
  return new Map(blocked.map(({ task, blockedBy }) => [task.id, blockedBy]))
}

/** None in a home whose ledger cannot be read: then no agent of it is known. */
function tasksUnderWay(home: Home): readonly string[] {
  try {
    using ledger = openLedger(home, { readOnly: true })
    return ledger.openRuns().map(({ task }) => task)
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}
