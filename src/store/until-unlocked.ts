import { wait } from '../platform/runtime/wait.ts'
import { StoreError } from '../platform/sqlite/store-error.ts'

/** An import of ten thousand tasks holds the store for several seconds. */
const PATIENCE_MS = 60_000
const PAUSE_MS = 100

/** Tries again while another process holds the store. `signal` ends the wait, with the store's error. */
export async function untilUnlocked<T>(work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const isLocked = error instanceof StoreError && error.trouble === 'locked'
      if (!isLocked || signal?.aborted || performance.now() > end) throw error
      await wait(PAUSE_MS)
    }
  }
}
