import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * Limits the young generation of V8's heap to four megabytes, for a supervisor that shares the machine with its agents. Left
 * to V8 it grows to sixteen. One megabyte would be enough for an idle supervisor, but a busy one would spend a tenth of its
 * time collecting it. (docs/adr/0016)
 */
export function limitYoungGeneration(): void {
  let grows = true
  setFlagsFromString(GROW)
  new PerformanceObserver(() => {
    if (grows === youngBytes() < LIMIT) return
    grows = !grows
    setFlagsFromString(grows ? GROW : STAY)
  }).observe({ type: 'gc' })
}

const GROW = '--semi-space-growth-factor=4'
const STAY = '--semi-space-growth-factor=1'
/** V8 counts both halves. */
const LIMIT = 2 * 4 * 1024 * 1024

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? LIMIT
}
