import { askedText, meets } from '../../domain/evidence/asked.ts'
import type { ChangedLines } from '../../domain/evidence/changed-lines.ts'
import type { FoundChanges } from '../../domain/evidence/found-changes.ts'
import { endsChain } from '../../domain/run/attempt-chain.ts'
import {
  type Changes,
  type RecordedChanges,
  recordedChanges,
  touchedPaths,
  withEarlierChanges,
} from '../../domain/run/changes.ts'
import type { Review } from '../../domain/run/review.ts'
import type { SetUp } from '../../domain/run/worktree.ts'
import type { ChangedWork } from '../../ports/verifier.ts'
import type { Base, GitBase } from '../../ports/workspace.ts'
import { continuedBy, rejectionOf } from '../run/continued.ts'
import { ownLaunchRecord } from '../run/launch-record.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'
import { baseOf, beganAt, ownBaseOf } from './base-of.ts'
import { firstAsked } from './first-asked.ts'
import { launchFacts } from './launch-facts.ts'
import { ofFleet } from './of-fleet.ts'
import { tracing } from './tracing.ts'
import { unacceptedWork, workInWorktree } from './unaccepted-work.ts'

export interface SeenChanges {
  /** By this attempt and the earlier ones whose work it continues. */
  readonly all: Changes
  /** Those of them that are evidence for its claim: a person has seen the others, and sent them back. Absent: all. */
  readonly counted?: Changes
  /** That decision; absent: there was none before it. */
  readonly rejection?: Review
  /** Files among them that this attempt has put back as they were before the first; absent: none. */
  readonly undone?: ReadonlySet<string>
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
  /** The evidence that the task asks for, whether it is there, and its path ('': it is none); absent: it asks for none in particular. */
  readonly asked?: { readonly text: string; readonly isMet: boolean; readonly at: string }
}

/** undefined: its changes do not matter, because its exit alone decides, or the task was taken away. */
export async function lookAtChanges(
  world: World,
  live: LiveRun,
  runs: Iterable<LiveRun>,
): Promise<SeenChanges | undefined> {
  const { state, coder } = live
  const want = state.phase === 'judging' ? state.want : undefined
  if (want !== undefined && endsChain(want.code)) return undefined
  const isByExit = coder.traits.evidence === 'exit' && ownBaseOf(world, live)?.asked === undefined
  if (isByExit && launchFacts(ownLaunchRecord(world, live)).scope === undefined) return undefined
  const rejection = rejectionOf(world, live.record)
  const { base, ...found } = await changesOf(world, live, { runs, isRejected: rejection !== undefined })
  const lines = found.begun && (await world.workspace.lines(found.begun, found.all))
  const seen = { ...found, ...(rejection && { rejection }), ...(lines && { lines }) }
  if (base?.asked === undefined) return seen
  const { evidence, path } = base.asked
  const [at = ''] = path === undefined ? [] : world.workspace.spelled(base, [path.path], base.cwd)
  const isMet = meets(evidence, seen.counted ?? seen.all, at)
  return { ...seen, asked: { text: askedText(evidence), isMet, at } }
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
  const attempts = continuedBy(world, record).map((run) => ({
    run,
    ...world.ledger.seen(run.id),
    base: run.id === record.id ? ownBaseOf(world, live) : baseOf(world, run),
  }))
  const base = attempts.at(-1)?.base
  if (base === undefined) {
    return {
      all: { files: [], commits: [], artifacts: [], unknown: 'its launch record cannot be read, or was altered' },
      own: undefined,
    }
  }
  const artifacts = world.attempts.artifacts(record.task)
  const byProducts = world.policy().byProducts(record.project)
  const order = { artifacts, byProducts, home: world.home, ofFleet: ofFleet(world, record.task), together: {} }
  const look = async (base: Base, since: number, named: ReadonlySet<string>) =>
    await world.workspace.changes(base, { ...order, since, named })
  const traces = tracing(world, live, { base, runs, attempts })
  const known = attempts.filter(isKnown)
  const asked = firstAsked(
    known.map((each) => each.base),
    beganAt(world, known[0]?.run ?? record),
  )
  const lookSince = async (base: Base, at: number) =>
    await look({ ...base, ...(asked && { asked }) }, at, traces.allNamed)
  const [first] = known
  const setUp = world.ledger.worktreeOf(record.task)?.setUp ?? undefined
  const begunHere =
    base.kind === 'git' && base.own !== undefined
      ? { base: { ...ownBase(base, setUp), ...ignoredBefore(first?.base) }, own: base.own }
      : undefined
  // At once: each is several calls of git beside the one look at all files.
  const [found, foundHere] = await Promise.all([
    look(base, beganAt(world, record), traces.named),
    // Commits that other branches had when its first attempt began are no work of this task.
    begunHere &&
      lookSince({ ...begunHere.base, heads: [begunHere.own.since, ...otherHeads(first?.base)] }, begunHere.own.at),
  ])
  const changes = traces.attributed(found)
  const work = unacceptedWork(world, record, { base, since: beganAt(world, record), changes })
  const seen = { base, own: recordedChanges(changes), touched: touchedPaths(changes), work }
  const earlier = attempts.flatMap(({ changed }) => changed ?? [])
  const withEarlier = (found: FoundChanges, now = traces.attributed(found)): Changes =>
    withEarlierChanges(now, found, [...earlier, ...traces.askedAmong(found)])
  if (begunHere !== undefined && foundHere !== undefined) {
    const { base: begun } = begunHere
    const all = withEarlier(foundHere)
    const inWorktree = { ...seen, all, begun, work: workInWorktree(work, { begun, changes: all }) }
    if (!isRejected || first === undefined) return inWorktree
    const isFirst = first.run.id === record.id
    const counted = isFirst ? changes : withEarlier(await lookSince(first.base, beganAt(world, first.run)))
    return { ...inWorktree, counted }
  }
  // An earlier attempt may have worked where the evidence is asked for by now.
  const begun = known.find(({ changed, run }) => changed !== undefined || (asked !== undefined && run.id !== record.id))
  if (begun === undefined) return { ...seen, all: changes, begun: base }
  const foundSince = await lookSince(begun.base, beganAt(world, begun.run))
  const there = new Set(foundSince.files.map(({ path }) => path))
  const undone = new Set(changes.files.filter((path) => !there.has(path)))
  return { ...seen, all: withEarlier(foundSince, changes), begun: begun.base, undone }
}

function isKnown<T extends { readonly base: Base | undefined }>(attempt: T): attempt is T & { readonly base: Base } {
  return attempt.base !== undefined
}

/** What git ignores stands in no commit. */
function ignoredBefore(first: Base | undefined): Pick<GitBase, 'ignored'> {
  return first?.kind === 'git' && first.ignored !== undefined ? { ignored: first.ignored } : {}
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
