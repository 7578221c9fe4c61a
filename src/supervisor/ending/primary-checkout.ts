import { attributed } from '../../domain/evidence/attribution.ts'
import type { FoundChanges, FoundRef } from '../../domain/evidence/found-changes.ts'
import { EVERYWHERE } from '../../domain/evidence/work.ts'
import type { Worktree } from '../../domain/run/worktree.ts'
import type { Base } from '../../ports/workspace.ts'
import type { HeadMove, Kept } from '../../ports/worktrees.ts'
import { isSystemTrouble } from '../run/fault.ts'
import { tracesOf } from '../run/follow.ts'
import { ownLaunchRecord } from '../run/launch-record.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { PrimaryBefore } from '../run/primary-checkout.ts'
import type { World } from '../world.ts'
import { ofFleet } from './of-fleet.ts'
import { otherWork, workOf } from './other-work.ts'

/** The changes in the primary checkout while a run worked in its worktree. */
export interface InPrimary {
  /** By the run. */
  readonly files: readonly string[]
  /** Branches that got commits of its own; `HEAD`: what is checked out, by whatever name. */
  readonly branches: readonly string[]
  /** Its moves of HEAD, in the words of git's log. */
  readonly moves: readonly string[]
  /** By the run, a person or somebody else: nothing tells. */
  readonly unclear: { readonly files: readonly string[]; readonly moves: readonly string[] }
}

const NOTHING: InPrimary = { files: [], branches: [], moves: [], unclear: { files: [], moves: [] } }

interface Looking {
  readonly worktree: Worktree
  /** A look at all files of the checkout takes as long as keeping the work, and does not wait for it. */
  readonly keeping: Promise<Kept>
  readonly runs: Iterable<LiveRun>
}

/** A checkout that cannot be read is left out. */
export async function lookAtPrimary(world: World, live: LiveRun, looking: Looking): Promise<InPrimary> {
  const { text, trusted } = ownLaunchRecord(world, live)
  try {
    const { base, primary } = JSON.parse(trusted ? text : '{}') as {
      base?: Base | null
      primary?: PrimaryBefore | null
    }
    return await changedSince(world, live, { ...looking, base, primary })
  } catch (error) {
    if (isSystemTrouble(world, error)) throw error
    return NOTHING
  }
}

async function changedSince(
  world: World,
  live: LiveRun,
  {
    worktree,
    keeping,
    runs,
    base,
    primary,
  }: Looking & { base: Base | null | undefined; primary: PrimaryBefore | null | undefined },
): Promise<InPrimary> {
  const { record } = live
  const { cwd, startedAt: since } = record
  const looked = primary?.base && lookAtFiles(world, live, primary.base)
  looked?.catch(() => {}) // awaited below; until then its failure must not end the process
  const kept = await keeping
  const from = base?.kind === 'git' ? base.head : null
  const to = kept.kind === 'failed' ? null : kept.head
  const { named = [] } = tracesOf(live)
  const order = { named, cwd, since, own: { from, to }, before: primary ?? undefined }
  const { files, branches, moves } = await world.worktrees.touched(worktree, order)
  if (primary?.base === undefined || looked === undefined) return { ...NOTHING, files, branches }
  const changed = tracedChanges(world, live, { primary, base: primary.base, looked: await looked, moves, runs })
  const all = [...new Set([...files, ...changed.files])].sort()
  const isNew = (path: string): boolean => !all.includes(path)
  return {
    ...changed,
    files: all,
    branches,
    unclear: { ...changed.unclear, files: changed.unclear.files.filter(isNew) },
  }
}

async function lookAtFiles(world: World, live: LiveRun, base: Base): Promise<FoundChanges> {
  const artifacts = world.attempts.artifacts(live.record.task)
  const since = workOf(world, live, base).life.from
  return await world.workspace.changes(base, { since, artifacts, home: world.home, ofFleet: ofFleet(world, undefined) })
}

/**
 * A person works there at the same time. So a change is the run's only if it happened while one of its commands was open that
 * names the checkout, or at any time if all that can be seen is a script that names it.
 */
function tracedChanges(
  world: World,
  live: LiveRun,
  {
    primary,
    base,
    looked,
    moves,
    runs,
  }: {
    primary: PrimaryBefore
    base: Base
    looked: FoundChanges
    moves: readonly HeadMove[]
    runs: Looking['runs']
  },
): Omit<InPrimary, 'branches'> {
  const { trace, coder } = live
  const showsTools = coder.traits.stream !== 'text'
  const { spans } = trace.visits
  const own = workOf(world, live, base)
  const open = primary.isInScript === true && !showsTools ? [own.life] : spans
  const landed = new Set(ofFleet(world, undefined).landed)
  const refs = moves.filter(({ to }) => !landed.has(to)).map(asRef)
  const { files, commits } = looked
  const found = { files, commits, refs, artifacts: [] }
  const others =
    found.files.length + refs.length === 0 ? [] : otherWork(world, live, { base, runs, since: own.life.from })
  const work = { ...own, open, left: [], reach: EVERYWHERE }
  const changes = attributed(found, { own: [work], others, isApart: false })
  const { untraced = { files: [], refs: [] }, weak = [] } = changes
  // Where its commands can be seen and none of them names the checkout, it was a person.
  const wasThere = !showsTools || spans.length > 0
  return {
    files: [...changes.files, ...weak.map(({ path }) => path)],
    moves: (changes.refs ?? []).map(asTold),
    unclear: wasThere ? { files: untraced.files, moves: untraced.refs.map(asTold) } : NOTHING.unclear,
  }
}

/** In the checkout itself: its HEAD is no other's. The number keeps two of the same words apart. */
function asRef({ what, when }: HeadMove, i: number): FoundRef {
  return { name: `${i} ${what}`, when, origin: 'here' }
}

function asTold(name: string): string {
  return name.slice(name.indexOf(' ') + 1)
}

/** One sentence; undefined: it left the primary checkout alone. */
export function touchedText(
  { repository, branch }: Worktree,
  { files, branches, moves }: InPrimary,
): string | undefined {
  if (files.length + branches.length + moves.length === 0) return undefined
  const what = [
    ...(files.length === 0 ? [] : [`changed ${someOf(files)} there`]),
    ...(moves.length === 0 ? [] : [`moved HEAD there (${someOf(moves, '; ')})`]),
    ...branches.map((each) => `put commits of ${branch} on ${each} itself`),
  ]
  return `it was to leave ${repository} alone, and ${what.join(', and ')}`
}

/** undefined: nothing happened there that might have been the run. */
export function unclearText({ repository }: Worktree, { unclear: { files, moves } }: InPrimary): string | undefined {
  const what = [
    ...(files.length === 0 ? [] : [someOf(files)]),
    ...(moves.length === 0 ? [] : [`HEAD (${someOf(moves, '; ')})`]),
  ]
  if (what.length === 0) return undefined
  const isOne = files.length + Math.min(moves.length, 1) === 1
  return `${what.join(' and ')} changed in ${repository} while it worked: if that was not you, look at ${isOne ? 'it' : 'them'}`
}

const MOST_NAMED = 5

function someOf(names: readonly string[], between = ', '): string {
  const named = names.slice(0, MOST_NAMED).join(between)
  return names.length > MOST_NAMED ? `${named} and ${names.length - MOST_NAMED} more` : named
}
