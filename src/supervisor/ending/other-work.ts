import type { AskedEvidence } from '../../domain/evidence/asked.ts'
import type { Span } from '../../domain/evidence/span.ts'
import { spansFrom } from '../../domain/evidence/trace.ts'
import { EVERYWHERE, type Reach, type Work } from '../../domain/evidence/work.ts'
import type { Run, Traces } from '../../domain/run/run.ts'
import type { Base } from '../../ports/workspace.ts'
import { follow, tracesOf } from '../run/follow.ts'
import { type LiveRun, placeOf } from '../run/live-run.ts'
import type { World } from '../world.ts'
import { baseOf, beganAt } from './base-of.ts'

/** A day of short scripts. Runs that ended before these share no time with a run that is judged now, or hardly any. */
const MOST_RUNS = 2000

/** The work of a run as its own traces tell it. */
export function workOf(world: World, live: LiveRun, base: Base): Work {
  const { record } = live
  const life = { from: beganAt(world, record), to: endOf(world, live) }
  return work(world, { run: record, base, traces: tracesOf(live), life, reach: EVERYWHERE })
}

/** The same of an attempt whose work it continues. */
export function earlierWork(world: World, { run, ...traces }: Traces & { readonly run: Run }, base: Base): Work {
  const life = { from: beganAt(world, run), to: run.endedAt ?? NOW }
  return work(world, { run, base, traces, life, reach: EVERYWHERE })
}

/** Now, unless no supervisor saw its end, and nothing of it lived on: then it is as old as its exit file. */
function endOf({ agents }: World, live: LiveRun): number {
  const { witnessed, at = NOW } = agents.exitRecord(placeOf(live))
  return witnessed || live.ending.leftovers.length > 0 ? NOW : at
}

/** Nothing has changed later; our clock may have been set back meanwhile. */
const NOW = Number.MAX_SAFE_INTEGER

/** The work of the runs of other tasks that were under way since, and share a place with it or name files. */
export function otherWork(
  world: World,
  live: LiveRun,
  { base, runs, since }: { base: Base; runs: Iterable<LiveRun>; since: number },
): Work[] {
  const { ledger } = world
  const alive = new Map([...runs].map((each) => [each.record.id, each]))
  const reachOf = reaching(world, base)
  const others = ledger.runsSince(since, MOST_RUNS).filter(({ task }) => task !== live.record.task)
  return others.flatMap((run) => {
    const other = alive.get(run.id)
    const isUnread = other !== undefined && readNow(world, other)
    const told = other === undefined || other.trace.root === undefined ? ledger.seen(run.id) : tracesOf(other)
    const traces = isUnread ? unsureSince(told, world.clock.now()) : told
    const reach = reachOf(run, traces.work?.root ?? run.cwd)
    const isNear = reach.tree || reach.repository || reach.elsewhere.length > 0
    if (!isNear && (traces.named ?? []).length === 0) return []
    const life = { from: run.startedAt, to: run.endedAt ?? NOW }
    const found = work(world, { run, base, traces, life, reach })
    const verified = reach.tree && found.open !== undefined ? verifiedIn(world, run) : []
    return [verified.length === 0 ? found : { ...found, open: [...(found.open ?? []), ...verified] }]
  })
}

/** When the commands of its project ran in its tree: what they write there is no other run's work. */
function verifiedIn({ ledger, machine }: World, { id, cwd }: Run): readonly Span[] {
  const meets = (path: string): boolean => machine.contains(path, cwd) || machine.contains(cwd, path)
  return ledger.verify
    .of(id)
    .filter((each) => meets(each.cwd))
    .map(({ startedAt, done }) => ({ from: startedAt, to: done === null ? NOW : startedAt + done.ms }))
}

/** The places that another run, which works in `root`, shares with the judged one. */
function reaching(world: World, base: Base): (run: Run, root: string) => Reach {
  const { workspace, machine } = world
  const known = new Map<string, string | undefined>()
  const repositoryOf = (folder: string): string | undefined => {
    if (!known.has(folder)) known.set(folder, workspace.repositoryOf(folder))
    return known.get(folder)
  }
  const own = base.kind === 'git' ? base.root : base.cwd
  const ownRepository = repositoryOf(own)
  const asked = askedOutside(base, own)
  const meets = (one: string, other: string): boolean => machine.contains(one, other) || machine.contains(other, one)
  const elsewhereOf = (run: Run, root: string, isOfRepository: boolean): readonly string[] => {
    if (asked === undefined) return []
    const theirs = baseOf(world, run)?.asked
    // Its work will be in a place of its own, as a person said.
    if (isOfRepository && !isPath(theirs?.evidence)) return ['/']
    return [root, ...(theirs?.path === undefined ? [] : [theirs.path.path])].filter((path) => meets(path, asked))
  }
  return (run, root) => {
    // A worktree that is removed by now belonged to the repository of its task's directory.
    const repository = repositoryOf(root) ?? repositoryOf(run.project)
    const isOfRepository = repository !== undefined && repository === ownRepository
    const elsewhere = elsewhereOf(run, root, isOfRepository)
    return { tree: meets(own, root), repository: isOfRepository, elsewhere }
  }
}

/** Where the work of its task will be, if that is outside of its tree. */
function askedOutside({ asked }: Base, root: string): string | undefined {
  const path = asked?.path?.path
  return path === undefined || path === root || path.startsWith(`${root}/`) ? undefined : path
}

function isPath(asked: AskedEvidence | undefined): boolean {
  return asked?.kind === 'path'
}

/** Buffers: a flood must not hold up the judgement. */
const MOST_READS = 16

/**
 * Otherwise its last calls are not known yet, as those of one that ends at the same time. True: there is more, which may
 * tell of calls.
 */
function readNow(world: World, other: LiveRun): boolean {
  const isReadable = other.state.phase !== 'preparing' && other.ending.receipt === undefined
  if (!isReadable || other.coder.traits.stream === 'text') return false
  for (let read = 0; read < MOST_READS; read++) if (!follow(world, other)) return false
  return true
}

function unsureSince({ work, ...more }: Traces, now: number): Traces {
  return { ...more, ...(work && { work: { ...work, unsure: [...(work.unsure ?? []), work.at, now] } }) }
}

interface Told extends Pick<Work, 'life' | 'reach'> {
  readonly run: Run
  readonly base: Base
  readonly traces: Traces
}

function work({ workspace }: World, { run, base, traces: { work, named = [] }, life, reach }: Told): Work {
  return {
    life,
    named: workspace.spelled(base, named, run.cwd),
    open: work && [...spansFrom(work.open), ...spansFrom(work.unsure ?? [])],
    // Without tools to see, it may have worked at any time.
    left: work === undefined ? [life] : spansFrom(work.left ?? []),
    reach,
  }
}
