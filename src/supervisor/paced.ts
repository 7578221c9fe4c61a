/**
 * For what costs nearly the same for one as for many: called at once where the last time is long enough ago, and else once
 * for all that ask until then. One is never kept waiting; a crowd shares its turns.
 */
export function paced(everyMs: number, work: () => void): () => void {
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

/** Some agents end within it when a supervisor is at its limit. */
export const CROWD_MS = 5
