/** How many lines the changes of a run add and remove. */
export interface ChangedLines {
  readonly added: number
  readonly removed: number
  /** How many of the changed files are not counted: binary, large, or elsewhere. */
  readonly uncounted: number
  /** The first hundred. */
  readonly files: readonly FileLines[]
}

export interface FileLines {
  readonly path: string
  /** null, both: it is not counted. */
  readonly added: number | null
  readonly removed: number | null
}

export type LineCount = Pick<FileLines, 'added' | 'removed'>

const FILES_KEPT = 100

/** The sums over these files. */
export function changedLines(paths: readonly string[], counts: ReadonlyMap<string, LineCount>): ChangedLines {
  const files = paths.map((path) => ({ path, ...(counts.get(path) ?? UNCOUNTED) }))
  return {
    added: files.reduce((sum, file) => sum + (file.added ?? 0), 0),
    removed: files.reduce((sum, file) => sum + (file.removed ?? 0), 0),
    uncounted: files.filter(({ added }) => added === null).length,
    files: files.slice(0, FILES_KEPT),
  }
}

const UNCOUNTED: LineCount = { added: null, removed: null }

/** An entry of `git diff --numstat -z`; undefined: it is none. */
export function numstatEntry(entry: string): FileLines | undefined {
  const [, added = '', removed = '', path = ''] = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(entry) ?? []
  if (path === '') return undefined
  return added === '-' ? { path, ...UNCOUNTED } : { path, added: Number(added), removed: Number(removed) }
}

/** Several commits may change the same file. */
export function addedUp(one: LineCount | undefined, other: LineCount): LineCount {
  if (one === undefined || one.added === null || one.removed === null) return other
  if (other.added === null || other.removed === null) return one
  return { added: one.added + other.added, removed: one.removed + other.removed }
}
