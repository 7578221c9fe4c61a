import type { FoundChanges } from '../evidence/found-changes.ts'
import type { Weakness } from '../evidence/weak-change.ts'

/** The changes of a run outside fleet's own files. */
export interface Changes {
  /** Paths below the root of the checkout or below the cwd. */
  readonly files: readonly string[]
  /** Commits with a new tree, newest first. */
  readonly commits: readonly string[]
  /** Output files among the artifacts; plan, knowledge and Q&A are not output. */
  readonly artifacts: readonly string[]
  /** Branches and tags, where the task asks for them. */
  readonly refs?: readonly string[]
  /** Changes of this run that are no evidence by themselves. */
  readonly weak?: readonly WeakChange[]
  /** Changes in the same place and time that nothing traces to a run: they count for nobody. */
  readonly untraced?: Untraced
  /** Files whose changes are traced to other runs. */
  readonly ofOthers?: readonly string[]
  /** Why the changes could not be determined. */
  readonly unknown?: string
}

export interface Untraced {
  readonly files: readonly string[]
  readonly commits: readonly string[]
  readonly refs: readonly string[]
}

export interface WeakChange {
  readonly path: string
  readonly why: Weakness
}

/** A run's own changes, as stored in records. */
export type RecordedChanges = Pick<Changes, 'files' | 'commits' | 'artifacts' | 'refs' | 'weak'>

const FILES_KEPT = 100
const COMMITS_KEPT = 20

/** Keeps only the first entries of each list: a run may change any number of files. undefined if there are no changes. */
export function recordedChanges(changes: Changes): RecordedChanges | undefined {
  const { files, commits, artifacts, refs = [], weak = [] } = changes
  if (!showsWork(changes) && weak.length === 0) return undefined
  return {
    files: files.slice(0, FILES_KEPT),
    commits: commits.slice(0, COMMITS_KEPT),
    artifacts: artifacts.slice(0, FILES_KEPT),
    ...(refs.length > 0 && { refs: refs.slice(0, FILES_KEPT) }),
    ...(weak.length > 0 && { weak: weak.slice(0, FILES_KEPT) }),
  }
}

/** Enough to name what decides whether work passes; more are a generated tree. */
export const MOST_TOUCHED = 5000

/** Every path that an attempt may have changed, weak and untraced changes included. */
export function touchedPaths({ files, weak = [], untraced }: Changes): readonly string[] {
  const all = new Set([...files, ...weak.map(({ path }) => path), ...(untraced?.files ?? [])])
  return [...all].slice(0, MOST_TOUCHED)
}

/** Whether any of the changes is more than a weak one. */
export function showsWork({ files, commits, artifacts, refs = [] }: RecordedChanges): boolean {
  return files.length + commits.length + artifacts.length + refs.length > 0
}

/**
 * The evidence of a run that continues earlier attempts: its own changes, and the changes of those attempts (`earlier`) that
 * are still there. `found` holds all changes since the first attempt began. It includes changes that a person or another
 * task made while this task waited, which are not evidence, so it only confirms which of `earlier` remain.
 */
export function withEarlierChanges(own: Changes, found: FoundChanges, earlier: readonly RecordedChanges[]): Changes {
  const since = {
    files: found.files.filter(({ weak }) => weak === undefined).map(({ path }) => path),
    commits: found.commits.map(({ id }) => id),
    artifacts: found.artifacts,
    refs: (found.refs ?? []).map(({ name }) => name),
  }
  const still = (kind: keyof typeof since) => {
    const theirs = new Set(earlier.flatMap((each) => each[kind] ?? []))
    return [...new Set([...(own[kind] ?? []), ...since[kind].filter((each) => theirs.has(each))])]
  }
  const { unknown = found.unknown } = own
  const files = still('files').sort()
  const [commits, refs] = [still('commits'), still('refs')]
  const weak = weakStill(own, found, earlier)
  const untraced = own.untraced && withoutTraced(own.untraced, { files, commits, refs })
  return {
    files,
    commits,
    artifacts: still('artifacts').sort(),
    ...((own.refs ?? found.refs) && { refs }),
    ...(weak.length > 0 && { weak }),
    ...(own.ofOthers && { ofOthers: own.ofOthers }),
    ...(untraced !== undefined && countOf(untraced) > 0 && { untraced }),
    ...(unknown === undefined ? {} : { unknown }),
  }
}

function weakStill(
  { weak = [] }: Changes,
  found: FoundChanges,
  earlier: readonly RecordedChanges[],
): readonly WeakChange[] {
  const known = new Set(weak.map(({ path }) => path))
  const theirs = new Set(earlier.flatMap((each) => each.weak ?? []).map(({ path }) => path))
  const more = found.files.flatMap(({ path, weak: why }) =>
    why === undefined || known.has(path) || !theirs.has(path) ? [] : [{ path, why }],
  )
  return [...weak, ...more]
}

export function countOf({ files, commits, refs }: Untraced): number {
  return files.length + commits.length + refs.length
}

function withoutTraced(
  untraced: Untraced,
  { files, commits, refs }: { readonly [K in keyof Untraced]: readonly string[] },
): Untraced {
  return {
    files: untraced.files.filter((path) => !files.includes(path)),
    commits: untraced.commits.filter((id) => !commits.includes(id)),
    refs: untraced.refs.filter((name) => !refs.includes(name)),
  }
}
