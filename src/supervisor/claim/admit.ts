import { agentsWithin, openFilesFor } from '../../domain/fleet/open-files.ts'
import { namespaceFor } from '../../domain/fleet/pid-namespace.ts'
import { admission, type Running, type Starter } from '../../domain/fleet/schedule.ts'
import type { UnreviewedProject } from '../../domain/fleet/unreviewed.ts'
import { locksOf } from '../../domain/task/lock.ts'
import type { Candidate, ClaimWish } from '../../ports/queue.ts'
import { chosenFor } from '../run/launch.ts'
import type { LiveRun } from '../run/live-run.ts'
import { sandboxNow } from '../run/sandbox.ts'
import type { World } from '../world.ts'
import { isForHere, placing } from './placement.ts'

/** Below this nothing is claimed: agents that cannot write lose their work, and so does the supervisor. */
const LEAST_DISK = 64 * 1024 * 1024
/** Start cost under way at a time, per processor: a coder that takes two seconds to start starts alone on one. */
const START_BUDGET = 2000
/** A run this old no longer counts as starting. */
const START_OVER = 10_000
/** Below this another agent would cost running ones their memory. */
const LEAST_MEMORY = 256 * 1024 * 1024
/** How soon to look again after a shortage: nothing tells when disk or memory is free again. */
const SHORT_AGAIN = 5000
/** The sandbox is tried in the background. */
const SANDBOX_AGAIN = 1000

export interface Wish extends Pick<ClaimWish, 'limit' | 'admits'> {
  /** When time alone would admit more, by the wall clock. Ask after the claim. */
  lookAgainAt(): number
  /** The admission request of each candidate, by task. */
  readonly starters?: ReadonlyMap<string, Starter>
  /** Why nothing is claimed, for people. */
  readonly why?: string
  /** Something that the machine lacks, although tasks are claimed. */
  readonly lacks?: string
  /** A person's pause, if that is why. */
  readonly paused?: { readonly by: string; readonly at: number }
  /** Nothing is claimed until a person or a run's end changes that. */
  readonly forPeople?: boolean
}

const NOTHING = { limit: 0, lookAgainAt: () => Number.POSITIVE_INFINITY, forPeople: true }

interface ClaimingNow {
  readonly runs: readonly LiveRun[]
  readonly starting: readonly Starter[]
  readonly unreviewed: readonly UnreviewedProject[]
}

/** How many tasks may be claimed now, and which. */
export function wishOf(world: World, { runs, starting, unreviewed }: ClaimingNow): Wish {
  const { ledger, clock, machine } = world
  const policy = world.policy()
  const now = clock.now()
  const paused = ledger.paused()
  if (paused !== undefined) return { ...NOTHING, why: `paused by ${paused.by}`, paused }
  if (runs.length + starting.length >= policy.maxConcurrent) return NOTHING
  const most = agentsWithin(machine.openFilesLimit())
  const lacks = most < policy.maxConcurrent ? tooFewFiles(world, most) : undefined
  const short = shortage(world) ?? (most === 0 && lacks !== undefined ? { why: lacks, forPeople: true } : undefined)
  if (short !== undefined) return { limit: 0, lookAgainAt: () => now + SHORT_AGAIN, ...short }
  const { room, admits, lookAgainAt } = admission({
    now,
    maxConcurrent: Math.min(policy.maxConcurrent, most),
    startBudgetMs: machine.processors * START_BUDGET,
    lanes: ledger.lanes(),
    refusedModels: ledger.refusedModels(),
    projectCap: policy.projectCap,
    isHeldForReviews: (cwd) => {
      const limit = policy.maxUnreviewed(cwd)
      const waiting = unreviewed.find(({ project }) => project === limit?.path)?.waiting ?? 0
      return limit !== undefined && waiting >= limit.most
    },
    running: [
      ...runs.map((live) => runningOf(world, live)),
      ...starting.map((each) => ({ ...each, startedAt: now, begun: false })),
    ],
  })
  const starters = new Map<string, Starter>()
  let lacksSandbox = false
  const place = placing(world)
  const ask = ({ id, metadata }: Candidate) => {
    const placed = place(metadata)
    if (!isForHere(world, placed)) return false
    if (sandboxNow(world, placed.settings).kind === 'refused') {
      lacksSandbox = true
      return false
    }
    const { coder, model = '' } = chosenFor(world, placed.settings, ledger.stateOf(id))
    const { cwd } = placed.settings
    const locks = locksOf(metadata)
    const starter = { task: id, lane: coder, model, cwd, locks, startCostMs: world.coders.startCost(coder) }
    starters.set(id, starter)
    return admits(starter)
  }
  const again = () => Math.min(lookAgainAt(), lacksSandbox ? now + SANDBOX_AGAIN : Number.POSITIVE_INFINITY)
  return { limit: room, admits: ask, lookAgainAt: again, starters, ...(lacks === undefined ? {} : { lacks }) }
}

interface Shortage {
  readonly why: string
  readonly forPeople: boolean
}

/** Without a descriptor left, fleet could neither read what its agents print nor settle them. */
function tooFewFiles({ machine, policy }: World, most: number): string {
  const { maxConcurrent } = policy()
  return `the limit of ${machine.openFilesLimit()} open files leaves room for ${most} of ${maxConcurrent} agents: ulimit -n ${openFilesFor(maxConcurrent)} before fleet run, or a lower max_concurrent`
}

/** Used memory comes back by itself; everything else needs a person. */
function shortage({ machine, home, policy }: World): Shortage | undefined {
  const namespace = namespaceFor(policy().pidNamespace, machine)
  if (typeof namespace !== 'boolean') return { why: namespace.lacks, forPeople: true }
  const problem = machine.homeProblem()
  if (problem !== undefined) return { why: problem, forPeople: true }
  if (machine.freeDisk() < LEAST_DISK) {
    return { why: `less than ${LEAST_DISK >> 20} MB are free on the disk of ${home}`, forPeople: true }
  }
  if (machine.freeMemory() < LEAST_MEMORY) {
    return { why: `less than ${LEAST_MEMORY >> 20} MB of memory are free`, forPeople: false }
  }
  return undefined
}

function runningOf(world: World, live: LiveRun): Running {
  const { task, lane, model, project, coder, startedAt } = live.record
  // An adopted run has long started. One that is silent for so long waits for something other than a processor.
  const old = live.exits === 'polled' || world.clock.monotonic() - live.startedAt > START_OVER
  const begun = live.output.firstEventAt !== undefined || old
  const { locks } = live
  const startCostMs = world.coders.startCost(coder)
  return { task, lane, model: model ?? '', cwd: project, locks, startedAt, startCostMs, begun }
}
