import { askedText, meets } from '../../domain/evidence/asked.ts'
import { attributed, needsTraces } from '../../domain/evidence/attribution.ts'
import type { ChangedLines } from '../../domain/evidence/changed-lines.ts'
import type { FoundChanges } from '../../domain/evidence/found-changes.ts'
import type { Work } from '../../domain/evidence/work.ts'
import { endsChain } from '../../domain/run/attempt-chain.ts'
import { type Changes, type RecordedChanges, recordedChanges, withEarlierChanges } from '../../domain/run/changes.ts'
import type { Review } from '../../domain/run/review.ts'
import type { Run } from '../../domain/run/run.ts'
import type { SetUp } from '../../domain/run/worktree.ts'
import type { ChangedWork } from '../../ports/verifier.ts'
import type { Base, GitBase } from '../../ports/workspace.ts'
import { continuedBy, rejectionOf } from '../run/continued.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'
import { baseOf } from './base-of.ts'
import { ofFleet } from './of-fleet.ts'
import { otherWork, workOf } from './other-work.ts'
import { touchedPaths, unacceptedWork, workInWorktree } from './unaccepted-work.ts'

export interface SeenChanges {
  /** By this attempt and the earlier ones whose work it continues. */
  readonly all: Changes
  /** Those of them that are evidence for its claim: a person has seen the others, and sent them back. Absent: all. */
  readonly counted?: Changes
  /** That decision; absent: there was none before it. */
  readonly rejection?: Review
  /** By this attempt alone; undefined: nothing, or that cannot be known. */
  readonly own: RecordedChanges | undefined
  /** The lines that they add and remove; absent: that is not known. */
  readonly lines?: ChangedLines
  /** The state before the first of all these changes; undefined: it is not known. */
  readonly begun?: Base
  /** The work that is verified; undefined: it is not known. */
  readonly work?: ChangedWork
  /** In this attempt alone, weak and untraced changes included. */
  readonly touched?: readonly string[]
  /** The evidence that the task asks for, and whether it is there; absent: it asks for none in particular. */
  readonly asked?: { readonly text: string; readonly isMet: boolean }
}

/** undefined: its changes do not matter, because its exit alone decides, or the task was taken away. */
export async function lookAtChanges(
  world: World,
  live: LiveRun,
  runs: Iterable<LiveRun>,
): Promise<SeenChanges | undefined> {
  const { state, coder } = live
  const want = state.phase === 'judging' ? state.want : undefined
  if (coder.traits.evidence === 'exit' || (want !== undefined && endsChain(want.code))) return undefined
  const rejection = rejectionOf(world, live.record)
  const { base, ...found } = await changesOf(world, live, { runs, isRejected: rejection !== undefined })
  const lines = found.begun && (await world.workspace.lines(found.begun, found.all))
  const seen = { ...found, ...(rejection && { rejection }), ...(lines && { lines }) }
  if (base?.asked === undefined) return seen
  const { evidence, path } = base.asked
  const [at = ''] = path === undefined ? [] : world.workspace.spelled(base, [path.path], base.cwd)
  return { ...seen, asked: { text: askedText(evidence), isMet: meets(evidence, seen.counted ?? seen.all, at) } }
}

interface Looking {
  readonly runs: Iterable<LiveRun>
  /** The work that it continues began with some that was sent back. */
  readonly isRejected: boolean
}

async function changesOf(
  world: World,
  live: LiveRun,
  { runs, isRejected }: Looking,
): Promise<SeenChanges & { base?: Base }> {
  const { record } = live
  const { workspace, home } = world
  const artifacts = world.attempts.artifacts(record.task)
  const looks = continuedBy(world, record).map((run) => ({
    run,
    ...world.ledger.seen(run.id),
    base: baseOf(world, run),
  }))
  const base = looks.at(-1)?.base
  if (base === undefined) {
    return {
      all: { files: [], commits: [], artifacts: [], unknown: 'its launch record cannot be read, or was altered' },
      own: undefined,
    }
  }
  const named = workspace.spelled(base, live.trace.named, record.cwd)
  const order = { artifacts, home, named, ofFleet: ofFleet(world, record.task) }
  const since = (base: Base, run: Run) => workspace.changes(base, { ...order, since: beganAt(world, run) })
  const traced = tracing(world, live, { base, runs })
  const found = await since(base, record)
  const changes = traced(found)
  const work = unacceptedWork(world, record, {
    seen: { base, since: beganAt(world, record), changes },
    beganAt: (run) => beganAt(world, run),
  })
  const seen = { base, own: recordedChanges(changes), touched: touchedPaths(changes), work }
  if (base.kind === 'git' && base.own !== undefined) {
    const begun = ownBase(base, world.ledger.worktreeOf(record.task)?.setUp ?? undefined)
    // What other branches had when its first attempt began is no work of this task.
    const heads = [base.own.since, ...otherHeads(looks[0]?.base)]
    const all = traced(await workspace.changes({ ...begun, heads }, { ...order, since: base.own.at }))
    const first = looks.find(({ base }) => base !== undefined)
    const inWorktree = { ...seen, all, begun, work: workInWorktree(work, { begun, changes: all }) }
    if (!isRejected || first?.base === undefined) return inWorktree
    const counted = first.run.id === record.id ? changes : traced(await since(first.base, first.run))
    return { ...inWorktree, counted }
  }
  const begun = looks.find(({ changed, base }) => changed !== undefined && base !== undefined)
  if (begun?.base === undefined) return { ...seen, all: changes, begun: base }
  const earlier = looks.flatMap(({ changed }) => changed ?? [])
  const all = withEarlierChanges(changes, await since(begun.base, begun.run), earlier)
  return { ...seen, all, begun: begun.base }
}

/** Tells the changes of a run from those of others, whose traces are read only where they matter. */
function tracing(
  world: World,
  live: LiveRun,
  { base, runs }: { base: Base; runs: Iterable<LiveRun> },
): (found: FoundChanges) => Changes {
  const own = workOf(world, live, base)
  const isApart = base.kind === 'git' && base.own !== undefined
  let known: readonly Work[] | undefined
  return (found) => {
    if (isApart && !needsTraces(found)) return attributed(found, { own, others: [], isApart })
    known ??= otherWork(world, live, { base, runs })
    return attributed(found, { own, others: known, isApart })
  }
}

/** Without its own branch, on which work of its earlier attempts may be. */
function otherHeads(first: Base | undefined): readonly string[] {
  return first?.kind === 'git' ? first.heads.filter((head) => head !== first.head) : []
}

/** The worktree as its setup left it. */
function ownBase(base: GitBase, { files, whole }: SetUp = { files: {}, whole: true }): GitBase {
  const since = base.own?.since ?? base.head ?? ''
  return { ...base, head: since, heads: [since], trees: [], dirty: files, dirtyWhole: whole }
}

/** The file's own time where that is earlier: our clock may have been set meanwhile. */
function beganAt({ attempts }: World, { task, attempt, startedAt }: Run): number {
  return Math.min(startedAt, attempts.recordedAt(task, attempt) ?? startedAt)
}
