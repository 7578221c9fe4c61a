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

/** When a supervisor is at its limit, several agents end within this time. */
export const CROWD_MS = 5
