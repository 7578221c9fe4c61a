import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * For a process that lives long and shares the machine with those it looks after.
 *
 * Memory: the young generation of the heap is one megabyte, or four when that is too little, twice as V8 counts. Left at
 * one, a tenth of a busy supervisor's time goes into collecting it; left to V8, it grows to sixteen.
 *
 * Time: a supervisor that has just begun has agents to start, and compiling what is hot would take a sixth of its time. That
 * pays after some ten thousand of them, so it is put off.
 */
export function beFrugal(): void {
  setFlagsFromString('--no-opt')
  setTimeout(() => setFlagsFromString('--opt'), COMPILE_AFTER).unref()
  let grows = true
  setFlagsFromString(GROWS)
  new PerformanceObserver(() => {
    if (grows === youngBytes() < ENOUGH) return
    grows = !grows
    setFlagsFromString(grows ? GROWS : STAYS)
  }).observe({ type: 'gc' })
}

const COMPILE_AFTER = 30_000
const GROWS = '--semi-space-growth-factor=4'
const STAYS = '--semi-space-growth-factor=1'
const ENOUGH = 8 * 1024 * 1024

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? ENOUGH
}
