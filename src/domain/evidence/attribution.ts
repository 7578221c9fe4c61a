import type { Changes } from '../run/changes.ts'
import type { FoundChanges, FoundCommit, FoundFile, FoundRef } from './found-changes.ts'
import { type Span, touches, touchesAny, widened } from './span.ts'

/** What is known of the work of one run on a tree. */
export interface Work {
  /** From its beginning to its end. */
  readonly life: Span
  /** The paths that its tools name as written, spelled as those of changes are. */
  readonly named: ReadonlySet<string>
  /** When tools that can change something were open; undefined: its coder shows no tools. */
  readonly open: readonly Span[] | undefined
  /** When it may have changed something without an open tool: processes that its tools had left behind were alive. */
  readonly left: readonly Span[]
}

/** A file system's clock lags by up to a tick of the kernel's timer. */
const TICK_MS = 20

/** In a worktree of its own all changes are the task's. */
export function ofOneTask({ files, commits, refs, artifacts, unknown }: FoundChanges): Changes {
  return {
    ...weighedApart(files),
    commits: commits.map(({ id }) => id),
    artifacts,
    ...(refs !== undefined && { refs: refs.map(({ name }) => name) }),
    ...(unknown !== undefined && { unknown }),
  }
}

function weighedApart(files: readonly FoundFile[]): Pick<Changes, 'files' | 'weak'> {
  const weak = files.flatMap(({ path, weak }) => (weak === undefined ? [] : [{ path, why: weak }]))
  const strong = files.filter((file) => file.weak === undefined).map(({ path }) => path)
  return { files: strong, ...(weak.length > 0 && { weak }) }
}

/** The changes that are traced to a run, and those that nothing traces to any run. `others`: the other runs on its tree. */
export function attributed(found: FoundChanges, own: Work, others: readonly Work[]): Changes {
  const runs = [own, ...others]
  const ownerOf = (isOwn: (work: Work, rest: readonly Work[]) => boolean): 'own' | 'other' | undefined => {
    if (isOwn(own, others)) return 'own'
    return others.some((other) => isOwn(other, without(runs, other))) ? 'other' : undefined
  }
  const commits = found.commits.map((commit) => ({
    commit,
    owner: ownerOf((work, rest) => isOwnCommit(commit, work, rest)),
  }))
  const committed = (owner: string | undefined) =>
    new Set(commits.filter((each) => each.owner === owner).flatMap(({ commit }) => commit.paths))
  const [ownPaths, otherPaths] = [committed('own'), committed('other')]
  /** A merge tells no paths: what it brought is its maker's. */
  const ofCommits = (path: string): 'own' | 'other' | undefined => {
    if (ownPaths.has(path) || (commits.length > 0 && commits.every(({ owner }) => owner === 'own'))) return 'own'
    return otherPaths.has(path) ? 'other' : undefined
  }
  const files = found.files.map((file) => ({
    file,
    owner:
      ownerOf((work, rest) => isOwnFile(file, work, rest)) ??
      (file.when === undefined ? ofCommits(file.path) : undefined),
  }))
  const isOwnRef = ({ when }: FoundRef): boolean => isOwnByTime(when, own, others)
  const untraced = {
    files: files.filter(({ owner }) => owner === undefined).map(({ file }) => file.path),
    commits: commits.filter(({ owner }) => owner === undefined).map(({ commit }) => commit.id),
  }
  return {
    ...weighedApart(files.filter(({ owner }) => owner === 'own').map(({ file }) => file)),
    commits: commits.filter(({ owner }) => owner === 'own').map(({ commit }) => commit.id),
    artifacts: found.artifacts,
    ...(found.refs !== undefined && { refs: found.refs.filter(isOwnRef).map(({ name }) => name) }),
    ...(untraced.files.length + untraced.commits.length > 0 && { untraced }),
    ...(found.unknown !== undefined && { unknown: found.unknown }),
  }
}

function without(runs: readonly Work[], one: Work): readonly Work[] {
  return runs.filter((each) => each !== one)
}

/**
 * Whether a change to a file is traced to a run. The stream names the path; or it happened while a tool of the run was open
 * and no other run on the tree had one open or names it; or a process that a tool had left behind was alive, and no other run
 * was on the tree. So a change belongs to two runs only if both name it.
 */
export function isOwnFile({ path, when }: FoundFile, own: Work, others: readonly Work[]): boolean {
  if (own.named.has(path)) return true
  return !others.some(({ named }) => named.has(path)) && isOwnByTime(when, own, others)
}

/** The same for a commit. A name decides only after the time, because one agent may commit what another has written. */
export function isOwnCommit({ paths, when }: FoundCommit, own: Work, others: readonly Work[]): boolean {
  if (isOwnByTime(when, own, others)) return true
  if (others.some((other) => isOwnByTime(when, other, [own, ...without(others, other)]))) return false
  const isNamedBy = ({ named }: Work): boolean => paths.some((path) => named.has(path))
  return isNamedBy(own) && !others.some(isNamedBy)
}

function isOwnByTime(when: Span | undefined, own: Work, others: readonly Work[]): boolean {
  if (when === undefined) return false
  const moment = widened(when, TICK_MS)
  if (!touches(own.life, moment)) return false
  // A change before its life or after it was somebody else's.
  const within = {
    from: Math.max(moment.from, own.life.from - TICK_MS),
    to: Math.min(moment.to, own.life.to + TICK_MS),
  }
  if (touchesAny(own.open ?? [], within) && !others.some((other) => touchesAny(busy(other), within))) return true
  return touchesAny(own.left, within) && !others.some(({ life }) => touches(life, within))
}

/** When it may have changed something. */
function busy({ open, life }: Work): readonly Span[] {
  return open ?? [life]
}
