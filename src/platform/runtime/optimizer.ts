import { setFlagsFromString } from 'node:v8'

export interface Optimizer {
  /** Puts the optimizer off for another moment. */
  postpone(): void
}

/**
 * Turns V8's optimizing compiler off until no agent has started for QUIET_MS. A supervisor that has just started and starts
 * a crowd of short tasks would spend a fifth of its CPU time on optimizing code; that pays off only later. (docs/adr/0016)
 */
export function delayOptimizer(): Optimizer {
  const began = performance.now()
  let postponedAt = began
  setFlagsFromString('--no-opt')
  const timer = setInterval(() => {
    const now = performance.now()
    if (now - postponedAt < QUIET_MS && now - began < LATEST_MS) return
    clearInterval(timer)
    setFlagsFromString('--opt')
  }, QUIET_MS / 2)
  timer.unref()
  return {
    postpone() {
      postponedAt = performance.now()
    },
  }
}

const QUIET_MS = 500
const LATEST_MS = 30_000
