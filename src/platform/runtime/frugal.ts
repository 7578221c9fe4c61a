import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

export interface Frugal {
  /** Something is being done that others wait for. */
  busy(): void
}

/** For a process that lives long and shares the machine with those it looks after. */
export function beFrugal(): Frugal {
  keepYoungSmall()
  return compileLater()
}

/**
 * The young generation of the heap is one megabyte, or four when that is too little, twice as V8 counts. Left at one, a tenth
 * of a busy supervisor's time goes into collecting it; left to V8, it grows to sixteen.
 */
function keepYoungSmall(): void {
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

/**
 * Compiling what is hot takes a sixth of the time of a supervisor that has just begun and has a crowd of agents to start. It
 * pays after some ten thousand of them, or when it listens to those it has; so it waits until they are started.
 */
function compileLater(): Frugal {
  const begun = performance.now()
  let busyAt = begun
  setFlagsFromString('--no-opt')
  const timer = setInterval(() => {
    const now = performance.now()
    if (now - busyAt < QUIET_MS && now - begun < LATEST_MS) return
    clearInterval(timer)
    setFlagsFromString('--opt')
  }, QUIET_MS / 2)
  timer.unref()
  return {
    busy() {
      busyAt = performance.now()
    },
  }
}

const QUIET_MS = 500
const LATEST_MS = 30_000
