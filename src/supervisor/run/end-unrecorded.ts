import type { Agents } from '../../ports/agents.ts'
import type { World } from '../world.ts'
import { type LiveRun, placeOf } from './live-run.ts'

const LOOK_EVERY_MS = 100
/** After SIGKILL: a process that is still there waits for its disk, and nothing can end it. */
const STUCK_MS = 10_000

/** The key of a sweep for processes that ended runs left behind, where it is not known which. */
const STRAYS = ''

export interface EndUnrecorded {
  readonly graceMs: number
  /** Aborted: without grace. */
  readonly hurry: AbortSignal
}

/**
 * Ends agents and all that they started, and records nothing: the ledger is lost. Returns how many runs may still have a
 * process.
 */
export async function endUnrecorded(
  { agents, clock }: Pick<World, 'agents' | 'clock'>,
  runs: readonly LiveRun[],
  { graceMs, hurry }: EndUnrecorded,
): Promise<number> {
  const began = clock.monotonic()
  const signal = (live: LiveRun, name: 'SIGTERM' | 'SIGKILL'): void => quietly(() => agents.signal(placeOf(live), name))
  for (const live of runs) signal(live, 'SIGTERM')
  let left = runs.filter(({ state }) => state.phase !== 'preparing')
  for (;;) {
    const since = clock.monotonic() - began
    const forced = hurry.aborted || since >= graceMs
    left = left.filter((live) => hasProcess(agents, live, forced))
    if (left.length === 0 || since >= graceMs + STUCK_MS) return left.length
    if (forced) for (const live of left) signal(live, 'SIGKILL')
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}

/** Its group first, and only then the rest of the machine: that takes a look at all processes. */
function hasProcess(agents: Agents, live: LiveRun, forced: boolean): boolean {
  let found = true
  quietly(() => {
    const place = placeOf(live)
    if (place.proc !== null && agents.groupAlive(place)) return
    const marked = agents.sweep()
    const all = [place.run, STRAYS].flatMap((key) => marked.get(key) ?? []).filter(({ reach }) => reach !== 'none')
    // The order to start it may be on its way.
    const isStarting = place.proc === null && live.state.phase === 'starting'
    for (const each of all) if (forced || !isStarting) agents.kill(each)
    found = all.length > 0 || isStarting
  })
  return found
}

/** The process table may be unreadable now; the next look asks again. */
function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // Asked again until the time is over.
  }
}
