/** What was changed outside fleet's own files. */
export interface Changes {
  /** Paths below the root of the checkout or below the cwd. */
  readonly files: readonly string[]
  /** Commits whose tree is new, newest first. */
  readonly commits: readonly string[]
  /** Output files among the artifacts; plan, knowledge and Q&A are not output. */
  readonly artifacts: readonly string[]
  /** What could not be looked at, and why. */
  readonly unknown?: string
}

/** What a run changed itself, as it is kept. */
export type RecordedChanges = Pick<Changes, 'files' | 'commits' | 'artifacts'>

const FILES_KEPT = 100
const COMMITS_KEPT = 20

/** The first of each, for records: a run may change any number. undefined: there is nothing to keep. */
export function recordedChanges({ files, commits, artifacts }: Changes): RecordedChanges | undefined {
  if (files.length + commits.length + artifacts.length === 0) return undefined
  return {
    files: files.slice(0, FILES_KEPT),
    commits: commits.slice(0, COMMITS_KEPT),
    artifacts: artifacts.slice(0, FILES_KEPT),
  }
}

/**
 * The evidence of a run that goes on with the work of others: what it changed itself, and of what those before it changed
 * while they ran, `earlier`, whatever is still there. `since`: all that has changed since the first of them began, which
 * is also what a person or another task did while this one waited, and that is nobody's evidence.
 */
export function withEarlierChanges(own: Changes, since: Changes, earlier: readonly RecordedChanges[]): Changes {
  const still = (kind: keyof RecordedChanges) => {
    const theirs = new Set(earlier.flatMap((each) => each[kind]))
    return [...new Set([...own[kind], ...since[kind].filter((each) => theirs.has(each))])]
  }
  const { unknown = since.unknown } = own
  return {
    files: still('files').sort(),
    commits: still('commits'),
    artifacts: still('artifacts').sort(),
    ...(unknown === undefined ? {} : { unknown }),
  }
}
