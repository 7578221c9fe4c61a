import type { HomeStore } from '../../app.ts'

export interface TellingLeft {
  open(): Promise<Pick<HomeStore, 'queue'> & AsyncDisposable>
  print(line: string): void
}

/** What one that ended by itself did not wait for: a lane that is down or paused, or a person. */
export async function tellLeft({ open, print }: TellingLeft): Promise<void> {
  try {
    await using store = await open()
    const count = await store.queue.count({ ready: true })
    if (count === 0) return
    print(`! ${count} ready ${count === 1 ? 'task is' : 'tasks are'} left; fleet tasks says what for`)
  } catch {
    // A bestEffort: what is wrong with the store was the supervisor's to say.
  }
}
