import type { HomeStore } from '../../app.ts'
import { every } from '../../platform/runtime/wait.ts'
import { comingRetries } from '../../views/retries.ts'
import { retriesLine } from '../render/run.ts'

const LOOK_MS = 250

export interface RetryAnnouncements {
  open(): Promise<Pick<HomeStore, 'queue' | 'ledger'> & AsyncDisposable>
  print(line: string): void
  /** Whether no agent is running. */
  idle(): boolean
}

/** Prints one line per wait for a retry while no agent is running: without it the silence looks like a hang. */
export function announceRetries({ open, print, idle }: RetryAnnouncements): AsyncDisposable {
  let told = 0
  let looking = false
  let opened: ReturnType<typeof open> | undefined
  const look = async (): Promise<void> => {
    opened ??= open()
    const store = await opened.catch((error: unknown) => {
      opened = undefined
      throw error
    })
    const now = Date.now()
    const retries = await comingRetries(store, now)
    const [next] = retries
    if (next === undefined || next.at === told || !idle()) return
    told = next.at
    print(retriesLine(retries, now) ?? '')
  }
  const looks = every(LOOK_MS, () => {
    if (looking || !idle()) return
    looking = true
    // Best effort: the supervisor reports a problem with the store.
    look()
      .catch(() => {})
      .finally(() => {
        looking = false
      })
  })
  return {
    async [Symbol.asyncDispose]() {
      looks[Symbol.dispose]()
      const store = await opened?.catch(() => undefined)
      await store?.[Symbol.asyncDispose]()
    },
  }
}
