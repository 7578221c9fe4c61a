import type { HomeStore } from '../../app.ts'

export interface ReadyLeft {
  open(): Promise<Pick<HomeStore, 'queue'> & AsyncDisposable>
  print(line: string): void
}

/** Says that `run --once` ended although tasks are ready: they wait for a lane or a person. */
export async function announceReadyLeft({ open, print }: ReadyLeft): Promise<void> {
  try {
    await using store = await open()
    const count = await store.queue.count({ ready: true })
    if (count === 0) return
    print(`! ${count} ready ${count === 1 ? 'task is' : 'tasks are'} left; fleet tasks says what for`)
  } catch {
    // Best effort: the supervisor has reported the problem with the store.
  }
}
