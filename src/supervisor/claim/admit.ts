import { admission, type Running, type Starter } from '../../domain/fleet/schedule.ts'
import { RULES } from '../../domain/run/outcome.ts'
import type { Candidate, ClaimWish } from '../../ports/queue.ts'
import { chosenFor } from '../run/launch.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'
import { isForHere, placing } from './place.ts'

/** Below this nothing is begun: an agent that cannot write loses its work, and so do we. */
const LEAST_DISK = 64 * 1024 * 1024
/** Of starting at once, for each processor: what takes two seconds to start starts alone on it. */
const START_BUDGET = 2000
const START_OVER = 10_000
/** Below this an agent more would end others. */
const LEAST_MEMORY = 256 * 1024 * 1024
/** Disks and memory are filled and freed by others, who do not tell. */
const SHORT_AGAIN = 5000

export interface Wish extends Pick<ClaimWish, 'limit' | 'admits'> {
  /** When time alone would admit more, by the wall clock; to be asked after the claim. */
  lookAgainAt(): number
  /** What was asked about each that was admitted, where anything was. */
  readonly starters?: ReadonlyMap<string, Starter>
  /** What a person should know of why nothing is claimed. */
  readonly why?: string
  /** Where that is a person's pause: whose, and since when. */
  readonly paused?: { readonly by: string; readonly at: number }
  /** Nothing is claimed, and it takes a person to change that. */
  readonly forPeople?: boolean
}

const NOTHING = { limit: 0, lookAgainAt: () => Number.POSITIVE_INFINITY, forPeople: true }

/** How many tasks may be claimed now, and which. */
export function wishOf(world: World, runs: readonly LiveRun[], starting: readonly Starter[]): Wish {
  const { ledger, clock, machine } = world
  const policy = world.policy()
  const now = clock.now()
  const paused = ledger.paused()
  if (paused !== undefined) return { ...NOTHING, why: `paused by ${paused.by}`, paused }
  if (runs.length + starting.length >= policy.maxConcurrent) return NOTHING
  const short = shortage(world)
  if (short !== undefined) return { limit: 0, lookAgainAt: () => now + SHORT_AGAIN, ...short }
  const { room, admits, lookAgainAt } = admission({
    now,
    maxConcurrent: policy.maxConcurrent,
    startBudgetMs: machine.processors * START_BUDGET,
    lanes: ledger.lanes(),
    projectCap: policy.projectCap,
    running: [
      ...runs.map((live) => runningOf(world, live)),
      ...starting.map((each) => ({ ...each, startedAt: now, begun: false })),
    ],
  })
  const starters = new Map<string, Starter>()
  const place = placing(world)
  const ask = ({ id, metadata }: Candidate) => {
    const placed = place(metadata)
    if (!isForHere(world, placed)) return false
    const { coder } = chosenFor(world, placed.settings, ledger.stateOf(id))
    const starter = { task: id, lane: coder, cwd: placed.settings.cwd, startCostMs: world.startCost(coder) }
    starters.set(id, starter)
    return admits(starter)
  }
  return { limit: room, admits: ask, lookAgainAt, starters }
}

/** Memory that others use comes back by itself. */
function shortage({ machine, home }: World): { why: string; forPeople: boolean } | undefined {
  if (machine.freeDisk() < LEAST_DISK) {
    return { why: `less than ${LEAST_DISK >> 20} MB are free on the disk of ${home}`, forPeople: true }
  }
  if (machine.freeMemory() < LEAST_MEMORY) {
    return { why: `less than ${LEAST_MEMORY >> 20} MB of memory are free`, forPeople: false }
  }
  return undefined
}

function runningOf(world: World, live: LiveRun): Running {
  const { task, lane, cwd, coder, startedAt } = live.record
  // One that is adopted has long begun; one that is silent for so long waits for something else than a processor.
  const old = live.exits === 'polled' || world.clock.monotonic() - live.startedAt > START_OVER
  const begun = live.output.firstEventAt !== undefined || old
  return { task, lane, cwd, startedAt, startCostMs: world.startCost(coder), begun }
}

/** Whether some task waits for its spaced retry, and for nothing that others must do first. */
export function waitsForRetry(world: World, retryAt: number | undefined): boolean {
  if (retryAt === undefined) return false
  return world.ledger
    .waiting(1000)
    .some(
      ({ lastOutcome, waitingUntil }) =>
        lastOutcome !== null && (waitingUntil ?? 0) > world.clock.now() && RULES[lastOutcome.code].fate === 'retry',
    )
}
