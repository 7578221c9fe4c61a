import type { Work } from '../../domain/evidence/attribution.ts'
import { spansFrom } from '../../domain/evidence/trace.ts'
import type { Run, Traces } from '../../domain/run/run.ts'
import type { Base } from '../../ports/workspace.ts'
import { follow, tracesOf } from '../run/follow.ts'
import { type LiveRun, placeOf } from '../run/live-run.ts'
import type { World } from '../world.ts'

/** A day of short scripts. Runs that ended before these share no time with a run that is judged now, or hardly any. */
const MOST_RUNS = 2000

/** The work of a run as its own traces tell it. */
export function workOf(world: World, live: LiveRun, base: Base): Work {
  const { record } = live
  // The ledger's time, or the file's own: our clock may have been set meanwhile.
  const began = Math.min(record.startedAt, world.attempts.recordedAt(record.task, record.attempt) ?? record.startedAt)
  return work(world, { run: record, base, traces: tracesOf(live), life: { from: began, to: endOf(world, live) } })
}

/** Now, unless no supervisor saw its end, and nothing of it lived on: then it is as old as its exit file. */
function endOf({ agents }: World, live: LiveRun): number {
  const { witnessed, at = NOW } = agents.exitRecord(placeOf(live))
  return witnessed || live.ending.leftovers.length > 0 ? NOW : at
}

/** Nothing has changed later; our clock may have been set back meanwhile. */
const NOW = Number.MAX_SAFE_INTEGER

/**
 * The work of the other runs that were under way at the same time, on the same tree or beside it: one elsewhere counts for
 * the paths that it names alone.
 */
export function otherWork(
  world: World,
  live: LiveRun,
  { base, runs }: { base: Base; runs: Iterable<LiveRun> },
): Work[] {
  const { ledger, machine } = world
  const alive = new Map([...runs].map((each) => [each.record.id, each]))
  const root = base.kind === 'git' ? base.root : base.cwd
  const meets = (path: string): boolean => machine.contains(root, path) || machine.contains(path, root)
  const others = ledger.runsSince(live.record.startedAt, MOST_RUNS).filter(({ id }) => id !== live.record.id)
  return others.flatMap((run) => {
    const other = alive.get(run.id)
    if (other !== undefined) readNow(world, other)
    const traces = other === undefined || other.trace.root === undefined ? ledger.seen(run.id) : tracesOf(other)
    const isHere = meets(traces.work?.root ?? run.cwd)
    if (!isHere && (traces.named ?? []).length === 0) return []
    const life = isHere ? { from: run.startedAt, to: run.endedAt ?? Number.MAX_SAFE_INTEGER } : NEVER
    return [work(world, { run, base, traces, life })]
  })
}

const NEVER = { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY }

/** Otherwise its last calls are not known yet, as those of one that ends at the same time. One buffer, as ever. */
function readNow(world: World, other: LiveRun): void {
  const isReadable = other.state.phase !== 'preparing' && other.ending.receipt === undefined
  if (isReadable && other.coder.traits.stream !== 'text') follow(world, other)
}

interface Told {
  readonly run: Run
  readonly base: Base
  readonly traces: Traces
  readonly life: Work['life']
}

function work({ workspace }: World, { run, base, traces: { work, named = [] }, life }: Told): Work {
  const isElsewhere = life === NEVER
  return {
    life,
    named: workspace.spelled(base, named, run.cwd),
    open: isElsewhere ? [] : work && spansFrom(work.open),
    // Without tools to see, it may have worked at any time.
    left: isElsewhere ? [] : work === undefined ? [life] : spansFrom(work.left ?? []),
  }
}
