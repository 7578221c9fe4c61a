import { RULES } from '../domain/outcome.ts'
import { admission, type Starter } from '../domain/schedule.ts'
import { settingsOf } from '../domain/settings.ts'
import type { Candidate, ClaimWish } from '../ports/queue.ts'
import { hasProvenItsLane } from './lanes.ts'
import { chosenFor } from './launch.ts'
import type { LiveRun } from './live-run.ts'
import type { World } from './world.ts'

/** Below this nothing is begun: an agent that cannot write loses its work, and so do we. */
const LEAST_DISK = 64 * 1024 * 1024
/** Disks are filled and freed by others, who do not tell. */
const DISK_AGAIN = 5000

export interface Wish extends Pick<ClaimWish, 'limit' | 'admits'> {
  /** When time alone would admit more, by the wall clock. */
  readonly lookAgainAt: number
  /** What was asked about each that was admitted, where anything was. */
  readonly starters?: ReadonlyMap<string, Starter>
  /** What a person should know of why nothing is claimed. */
  readonly why?: string
}

const NOTHING = { limit: 0, lookAgainAt: Number.POSITIVE_INFINITY }

/** How many tasks may be claimed now, and which. */
export function wishOf(world: World, runs: readonly LiveRun[], starting: readonly Starter[]): Wish {
  const { ledger, clock, machine } = world
  const policy = world.policy()
  const now = clock.now()
  if (runs.length + starting.length >= policy.maxConcurrent || ledger.paused() !== undefined) return NOTHING
  if (machine.freeDisk() < LEAST_DISK) {
    const why = `less than ${LEAST_DISK >> 20} MB are free on the disk of ${world.home}`
    return { limit: 0, lookAgainAt: now + DISK_AGAIN, why }
  }
  const lanes = ledger.lanes()
  // Nothing to ask about: every task may start, and claiming costs least.
  if (!policy.hasProjectCaps && lanes.every((lane) => lane.state === 'up')) {
    return { limit: policy.maxConcurrent - runs.length - starting.length, lookAgainAt: Number.POSITIVE_INFINITY }
  }
  const { room, admits, lookAgainAt } = admission({
    now,
    maxConcurrent: policy.maxConcurrent,
    lanes,
    projectCap: policy.projectCap,
    running: [
      ...runs.map((live) => ({ ...live.record, proven: hasProvenItsLane(live) })),
      ...starting.map((each) => ({ ...each, startedAt: now, proven: false })),
    ],
  })
  const starters = new Map<string, Starter>()
  const ask = ({ id, metadata }: Candidate) => {
    const { coder } = chosenFor(world, { metadata }, ledger.stateOf(id))
    const starter = { task: id, lane: coder, cwd: settingsOf(metadata).cwd }
    starters.set(id, starter)
    return admits(starter)
  }
  return { limit: room, admits: ask, lookAgainAt, starters }
}

/** Whether some task waits for its spaced retry, and for nothing that others must do first. */
export function waitsForRetry(world: World, retryAt: number | undefined): boolean {
  if (retryAt === undefined) return false
  return world.ledger
    .waiting(1000)
    .some(
      ({ lastOutcome, waitingUntil }) =>
        lastOutcome !== null && (waitingUntil ?? 0) > world.clock.now() && RULES[lastOutcome.code].fate === 'again',
    )
}
