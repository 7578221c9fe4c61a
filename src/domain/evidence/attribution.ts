import type { Changes } from '../run/changes.ts'
import type { FoundChanges, FoundCommit, FoundFile, FoundRef } from './found-changes.ts'
import { type Span, touches, touchesAny, widened } from './span.ts'
import { type Place, placeOf, placeOfFile, reaches, type Work } from './work.ts'

/** A file system's clock lags by up to a tick of the kernel's timer. */
const TICK_MS = 20

/** The attempts whose changes these may be, among the other runs that share something with them. */
export interface Runs {
  /** Of one task, one after the other. */
  readonly own: readonly Work[]
  readonly others: readonly Work[]
  /** It works in a worktree of its task: what changes there is its own, without a trace. */
  readonly isApart: boolean
}

type Owner = 'own' | 'other' | undefined

/** The changes that are traced to a run, and those that nothing traces to any run. */
export function attributed(found: FoundChanges, runs: Runs): Changes {
  const commits = found.commits.map((commit) => ({ commit, owner: ownerOfCommit(commit, runs) }))
  const ofCommits = ownersByCommit(commits)
  const files = found.files.map((file) => ({ file, owner: ownerOfFile(file, runs, ofCommits) }))
  const refs = found.refs?.map((ref) => ({ ref, owner: ownerOfRef(ref, runs) })) ?? []
  const ofOthers = files.filter(({ owner }) => owner === 'other').map(({ file }) => file.path)
  const untraced = {
    files: files.filter(isNobodys).map(({ file }) => file.path),
    commits: commits.filter(isNobodys).map(({ commit }) => commit.id),
    refs: refs.filter(isNobodys).map(({ ref }) => ref.name),
  }
  return {
    ...weighedApart(files.filter(isOwn).map(({ file }) => file)),
    commits: commits.filter(isOwn).map(({ commit }) => commit.id),
    artifacts: found.artifacts,
    ...(found.refs !== undefined && { refs: refs.filter(isOwn).map(({ ref }) => ref.name) }),
    ...(untraced.files.length + untraced.commits.length + untraced.refs.length > 0 && { untraced }),
    ...(ofOthers.length > 0 && { ofOthers }),
    ...(found.unknown !== undefined && { unknown: found.unknown }),
  }
}

/** Whether other runs matter: nobody else can have made what changed in a worktree of the task itself. */
export function needsTraces({ files, commits, refs = [] }: FoundChanges): boolean {
  const isShared = ({ origin }: FoundCommit | FoundRef): boolean => origin === undefined
  return commits.some(isShared) || refs.some(isShared) || files.some((file) => placeOfFile(file).in === 'elsewhere')
}

function isOwn({ owner }: { owner: Owner }): boolean {
  return owner === 'own'
}

function isNobodys({ owner }: { owner: Owner }): boolean {
  return owner === undefined
}

function weighedApart(files: readonly FoundFile[]): Pick<Changes, 'files' | 'weak'> {
  const weak = files.flatMap(({ path, weak }) => (weak === undefined ? [] : [{ path, why: weak }]))
  const strong = files.filter((file) => file.weak === undefined).map(({ path }) => path)
  return { files: strong, ...(weak.length > 0 && { weak }) }
}

/** The run to which `isOf` traces a change. */
function ownerOf({ own, others }: Runs, isOf: (work: Work, rest: readonly Work[]) => boolean): Owner {
  if (own.some((each) => isOf(each, others))) return 'own'
  const all = [...own, ...others]
  return others.some((other) => isOf(other, without(all, other))) ? 'other' : undefined
}

function ownerOfCommit(commit: FoundCommit, runs: Runs): Owner {
  if (commit.origin === 'by fleet') return 'other'
  if (runs.isApart && commit.origin === 'here') return 'own'
  return ownerOf(runs, (work, rest) => isOwnCommit(commit, work, rest))
}

function ownerOfRef(ref: FoundRef, runs: Runs): Owner {
  if (ref.origin === 'by fleet') return 'other'
  if (runs.isApart && ref.origin === 'here') return 'own'
  return ownerOf(runs, (work, rest) => isOwnByTime({ when: ref.when, place: placeOf(ref, work) }, work, rest))
}

/** A file that a commit brought belongs to the one who made the commit. */
function ownerOfFile(file: FoundFile, runs: Runs, ofCommits: (path: string) => Owner): Owner {
  const byCommit = file.when === undefined ? ofCommits(file.path) : undefined
  if (runs.isApart && placeOfFile(file).in === 'tree') return byCommit ?? 'own'
  return ownerOf(runs, (work, rest) => isOwnFile(file, work, rest)) ?? byCommit
}

/** A merge tells no paths: what it brought is its maker's. */
function ownersByCommit(commits: readonly { commit: FoundCommit; owner: Owner }[]): (path: string) => Owner {
  const paths = (wanted: Owner) =>
    new Set(commits.filter(({ owner }) => owner === wanted).flatMap(({ commit }) => commit.paths))
  const [own, other] = [paths('own'), paths('other')]
  const areAllOwn = commits.length > 0 && commits.every(isOwn)
  return (path) => (own.has(path) || areAllOwn ? 'own' : other.has(path) ? 'other' : undefined)
}

function without(runs: readonly Work[], one: Work): readonly Work[] {
  return runs.filter((each) => each !== one)
}

/**
 * Whether a change to a file is traced to a run. The stream names the path; or it happened while a tool of the run was open
 * and no other run that reaches it had one open or names it; or a process that a tool had left behind was alive, and no other
 * run was there. So a change belongs to two runs only if both name it.
 */
function isOwnFile(file: FoundFile, own: Work, others: readonly Work[]): boolean {
  if (own.named.has(file.path)) return true
  if (others.some(({ named }) => named.has(file.path))) return false
  return isOwnByTime({ when: file.when, place: placeOfFile(file) }, own, others)
}

/**
 * The same for a commit. A name decides only after the time, because one agent may commit what another has written, and only
 * in the checkout where it was made: the same path in another checkout is another file.
 */
function isOwnCommit(commit: FoundCommit, own: Work, others: readonly Work[]): boolean {
  const { paths, when, origin } = commit
  const isByTime = (work: Work, rest: readonly Work[]): boolean =>
    isOwnByTime({ when, place: placeOf(commit, work) }, work, rest)
  if (isByTime(own, others)) return true
  if (origin !== 'here') return false
  if (others.some((other) => isByTime(other, [own, ...without(others, other)]))) return false
  const isNamedBy = ({ named }: Work): boolean => paths.some((path) => named.has(path))
  return isNamedBy(own) && !others.some(isNamedBy)
}

interface Moment {
  readonly when: Span | undefined
  readonly place: Place
}

function isOwnByTime({ when, place }: Moment, own: Work, others: readonly Work[]): boolean {
  if (when === undefined || !reaches(own, place)) return false
  const moment = widened(when, TICK_MS)
  if (!touches(own.life, moment)) return false
  // A change before its life or after it was somebody else's.
  const within = {
    from: Math.max(moment.from, own.life.from - TICK_MS),
    to: Math.min(moment.to, own.life.to + TICK_MS),
  }
  // In doubt about the moment it counts for nobody.
  const rivals = others.filter((other) => reaches(other, place))
  const isBusy = (other: Work): boolean =>
    touchesAny(busy(other), moment) || (place.in === 'repository' && touchesAny(other.left, moment))
  if (touchesAny(own.open ?? [], within) && !rivals.some(isBusy)) return true
  return touchesAny(own.left, within) && !rivals.some(({ life }) => touches(life, moment))
}

/** When it may have changed something. A process that it left behind may be a server, which keeps no other from its changes. */
function busy({ open, life }: Work): readonly Span[] {
  return open ?? [life]
}
