import type { Home } from '../../../platform/files/home.ts'
import type { TaskStore } from '../../../ports/task-store.ts'
import { runningHeldUp } from '../../../views/running-held-up.ts'

export interface Watched {
  readonly home: Home
  readonly store: Pick<TaskStore, 'blocked'>
  /** Nothing but errors is said. */
  readonly quiet?: boolean
  warn(line: string): void
}

/** Does the work, and then says which running tasks it holds up: bd takes the edge, and their agents go on all the same. */
export async function warningOfRunning<T>({ home, store, quiet, warn }: Watched, work: () => Promise<T>): Promise<T> {
  if (quiet === true) return await work()
  const before = await runningHeldUp(home, store)
  const done = await work()
  for (const [id, by] of await runningHeldUp(home, store)) {
    if (before.has(id)) continue
    warn(
      `warning: ${id} is running: its agent goes on, and ${by.join(', ')} counts from its next attempt (fleet kill ${id} ends this one)`,
    )
  }
  return done
}
