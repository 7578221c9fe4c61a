import type { AskedEvidence } from '../domain/evidence/asked.ts'
import type { ChangedLines } from '../domain/evidence/changed-lines.ts'
import type { FoundChanges } from '../domain/evidence/found-changes.ts'
import type { Changes } from '../domain/run/changes.ts'

/** The state of a project directory before a run, and what has changed in it since. Reads take no locks. */
export interface Workspace {
  /** Leaves out fleet's own `home`. `asked`: where the work of the task will be, if it says so. */
  base(cwd: string, home: string, asked?: AskedEvidence): Promise<Base>
  /** Never throws: if the directory cannot be examined, that is `unknown`, and no evidence. */
  changes(base: Base, more: ChangesOrder): Promise<FoundChanges>
  /** The lines that these changes add and remove since `base`; undefined: that is not known. */
  lines(base: Base, changes: Changes): Promise<ChangedLines | undefined>
  /** The paths that an agent in `cwd` names, spelled as those of changes since `base`. */
  spelled(base: Base, names: Iterable<string>, cwd: string): ReadonlySet<string>
  /** The same for all checkouts of a repository, by any directory in one; undefined: it is in none. Runs no git. */
  repositoryOf(directory: string): string | undefined
  /** The output files in this folder of artifacts, as paths below it. */
  artifacts(folder: string): Promise<readonly string[]>
  /**
   * Makes a clone of a repository at `root`, or brings an existing one up to date if the caller works there `alone`.
   * Returns why it is not up to date. Throws AppError if the clone cannot be made.
   */
  checkOut(order: { remote: string; root: string; alone: boolean }): Promise<string | undefined>
}

export interface ChangesOrder {
  readonly since: number
  readonly artifacts: string
  readonly home: string
  /** Paths that the run's own tools name as written, spelled as changes are. */
  readonly named?: ReadonlySet<string>
  /** The project's own patterns of what its tools leave behind. */
  readonly byProducts?: readonly string[]
  /** Absent: fleet does nothing else in the repository. */
  readonly ofFleet?: OfFleet
  /** Looks with the same key see the files as the first of them did: one of many files costs as much as a git status. */
  readonly together?: object
}

/** The work of other tasks in a repository, which fleet itself keeps on branches and lands. */
export interface OfFleet {
  /** The names of their branches. */
  readonly branches: readonly string[]
  /** The commits that fleet landed, or is about to land. */
  readonly landed: readonly string[]
}

/** Kept in launch.json, so that an adopting supervisor can judge. */
export type Base = (GitBase | FolderBase) & {
  /** Absent: the work of the task will be in its directory. */
  readonly asked?: AskedBase
  /** When it was looked at, after the directory was made ready for the run. Absent: an older fleet wrote it. */
  readonly at?: number
}

export interface AskedBase {
  readonly evidence: AskedEvidence
  /** For a path. */
  readonly path?: PathBase
  /** For a branch or a pull request: the object of each branch and tag. */
  readonly refs?: Readonly<Record<string, string>>
}

/** The earlier state of a path: a file, a folder or nothing. */
export interface PathBase {
  /** Absolute. */
  readonly path: string
  /** By path below it; the file itself is ''. */
  readonly files: Stamps
  /** false: `files` is incomplete, and for other paths the time of a change decides. */
  readonly whole: boolean
  /** That time, where it is not that of the look. */
  readonly since?: number
}

export interface GitBase {
  readonly kind: 'git'
  readonly cwd: string
  /** Absolute; the changes of the whole checkout count, wherever in it the cwd lies. */
  readonly root: string
  /** null: no commit yet. */
  readonly head: string | null
  /** The commits of HEAD and all local branches: a commit they do not reach is new. */
  readonly heads: readonly string[]
  /** Their trees: a commit that brings no new tree is empty. */
  readonly trees: readonly string[]
  /** Paths that were changed already: each with the time of its change and, after a space, a stamp of its content if known. */
  readonly dirty: Stamps
  /** false: `dirty` is incomplete, and for other paths the time of a change decides. */
  readonly dirtyWhole: boolean
  /**
   * Files that git ignores, the first ones: with installed programs, so that it can be told later which were changed. Absent:
   * an older fleet recorded it.
   */
  readonly ignored?: Stamps
  /** In a worktree of the task's own, where everything is the task's since this commit, at that time. */
  readonly own?: {
    readonly since: string
    readonly at: number
    readonly target: string | null
    /** Absent: an older fleet recorded it. */
    readonly branch?: string
  }
  /** The newest stashes. */
  readonly stashes?: readonly string[]
}

export interface FolderBase {
  readonly kind: 'folder'
  readonly cwd: string
  /** The files that existed: each with the time of its change and, after a space, a stamp of its content if known. */
  readonly files: Stamps
  /** false: `files` is incomplete, and for other paths the time of a change decides. */
  readonly filesWhole: boolean
}

/** By path below the root or cwd. */
export type Stamps = Readonly<Record<string, string>>
