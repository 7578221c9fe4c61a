import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * For a process that lives long and shares its memory with those it looks after: the young generation of the heap is one
 * megabyte, or four when that is too little, twice as V8 counts. Left at one, a tenth of a busy supervisor's time goes into
 * collecting it; left to V8, it grows to sixteen.
 */
export function beFrugal(): void {
  let grows = true
  setFlagsFromString(GROWS)
  new PerformanceObserver(() => {
    if (grows === youngBytes() < ENOUGH) return
    grows = !grows
    setFlagsFromString(grows ? GROWS : STAYS)
  }).observe({ type: 'gc' })
}

const GROWS = '--semi-space-growth-factor=4'
const STAYS = '--semi-space-growth-factor=1'
const ENOUGH = 8 * 1024 * 1024

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? ENOUGH
}
