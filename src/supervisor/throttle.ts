/**
 * For work that costs nearly the same for one caller as for many. It runs immediately if the last run was long enough ago;
 * otherwise once for everyone who asks until then. A single caller never waits, and a crowd shares its turns.
 */
export function throttled(everyMs: number, work: () => void): () => void {
  let due = Number.NEGATIVE_INFINITY
  let asked = false
  const go = (): void => {
    asked = false
    due = performance.now() + everyMs
    work()
  }
  return () => {
    if (asked) return
    asked = true
    const early = due - performance.now()
    if (early > 0) setTimeout(go, early)
    else setImmediate(go)
  }
}

/** The same for callers that wait: each gets the end of a turn that began after it asked. */
export function sharedTurns(everyMs: number, work: () => void): () => Promise<void> {
  const waiting: { resolve(): void; reject(error: unknown): void }[] = []
  const turn = throttled(everyMs, () => {
    const asked = waiting.splice(0)
    try {
      work()
      for (const each of asked) each.resolve()
    } catch (error) {
      for (const each of asked) each.reject(error)
    }
  })
  return () =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
      turn()
    })
}

/** When a supervisor is at its limit, several agents end within this time. */
export const CROWD_MS = 5
