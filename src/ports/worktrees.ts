import type { Span } from '../domain/evidence/span.ts'
import type { Worktree } from '../domain/run/worktree.ts'

/**
 * Worktrees of the repositories that tasks are in: made, kept and looked at by the supervisor. No hook, filter or setting of
 * a repository is obeyed, because agents can write them.
 */
export interface Worktrees {
  /** The worktree of a task lies there in every attempt. */
  pathOf(task: string): string
  /** As this home has it, which may have been moved since, with its connection to the repository. Runs no git. */
  inThisHome(worktree: Worktree): Worktree | Refused
  /** Where a directory lies in its repository. Runs no git. */
  find(cwd: string): FoundRepository | Refused
  /** The worktree to make: changes nothing. `branch`: the one that the task's work is for, and whether a person said so. */
  intend(order: IntendOrder): Promise<Intended | Refused>
  /**
   * Makes the worktree, or completes or repairs it: whole at its path afterwards, with every file that was there. Throws for
   * trouble of the machine.
   */
  make(worktree: Worktree): Promise<Refused | 'taken' | undefined>
  /** Whether the repository that it names is where it was made, perhaps moved since. */
  belongs(worktree: Worktree): boolean
  /**
   * Copies the files that git ignores and that the patterns, or those of `.worktreeinclude`, name, from the primary checkout;
   * none is overwritten. Returns how many; refused, where that were too many: a part of them would be a riddle to the agent.
   */
  bring(worktree: Worktree, options: BringOptions): Promise<number | Refused | 'stopped'>
  /** Restores its connection to the repository, which an agent could have pointed elsewhere. Runs no git. */
  relink(worktree: Worktree): void
  whatIsLeft(worktree: Worktree, known: KnownOfWork): Promise<Left>
  /** Moves it out of its place, in which its task may get another one at once. Runs no git. */
  setAside(worktree: Worktree): void
  /** Of a worktree that was set aside: removes its branch, if that is still at `tip`. `rescue`: the ref that keeps the tip. */
  remove(worktree: Worktree, how: { tip: string | undefined; rescue?: string }): Promise<void>
  /** Deletes what was set aside, which may take long, and what a checkout left that was killed. `before`: called for each folder. Returns those that cannot be deleted. */
  clearLeft(before?: (folder: string) => Promise<void>): Promise<readonly Stuck[]>
  /** How a command may spell its primary checkout. `project`: the directory of the task, as a person gave it. */
  namesOfPrimary(worktree: Worktree, project: string): readonly string[]
  /** The state of its primary checkout; undefined: it is none any more. */
  primary(worktree: Worktree): Promise<Primary | undefined>
  /** The changes of a run in its primary checkout. */
  touched(worktree: Worktree, order: TouchedOrder): Promise<Touched>
  /** Makes a commit of its branch from what an agent left uncommitted. */
  keep(worktree: Worktree, how: { message: string; rescue: string }): Promise<Kept>
}

export interface BringOptions {
  readonly patterns: readonly string[]
  /** false: stop now. Large files take long. */
  readonly isWanted: () => boolean
}

export interface Primary {
  /** The text of its HEAD. */
  readonly head: string
  /** The commits of HEAD and of the branch that the work is for. */
  readonly at: string | null
  readonly tip: string | null
  /** The bytes of the log of its HEAD; absent: an older fleet recorded it. */
  readonly logged?: number
}

export interface TouchedOrder {
  readonly before: Primary | undefined
  /** The paths that its tools name as written, as its coder tells them, and the directory that they start at. */
  readonly named: readonly string[]
  readonly cwd: string
  readonly since: number
  /** Its own commits: those from one commit to another. */
  readonly own: { readonly from: string | null; readonly to: string | null }
}

export interface Touched {
  readonly files: readonly string[]
  /** `HEAD`: what is checked out, by whatever name. */
  readonly branches: readonly string[]
  /** The moves of its HEAD since, in the words of git's log: commits, switches, resets, by anybody. */
  readonly moves: readonly HeadMove[]
}

export interface HeadMove {
  readonly what: string
  /** The commit that it led to. */
  readonly to: string
  readonly when: Span
}

/** A folder that cannot be deleted. */
export interface Stuck {
  readonly path: string
  readonly why: string
}

export interface KnownOfWork {
  /** The last commit of its branch that landed. */
  readonly landed: string | undefined
  /** Files that counted as work, or would have: paths, absolute or relative to the worktree, also where git ignores them. */
  readonly evidence: readonly string[]
  /** The project's own patterns of files that its tools make again. */
  readonly byProducts: readonly string[]
}

/** The work that would be lost with a worktree and its branch. */
export type Left =
  | { readonly kind: 'nothing'; readonly tip: string | undefined }
  /** `isElsewhere`: another branch has its commits; otherwise their changes alone have landed. */
  | { readonly kind: 'landed'; readonly tip: string; readonly isElsewhere: boolean }
  | { readonly kind: 'work'; readonly why: string }

export interface FoundRepository {
  /** The top folder of the checkout. */
  readonly root: string
  /** The directory below it; '' for the folder itself. */
  readonly folder: string
}

/** One sentence with the next step. */
export interface Refused {
  readonly refused: string
}

export interface IntendOrder extends FoundRepository {
  readonly task: string
  readonly target: { readonly branch: string; readonly given: boolean } | undefined
}

export type Intended = Pick<Worktree, 'branch' | 'base' | 'target'>

export type Kept =
  /** Nothing was uncommitted, and its branch has all commits. */
  | { readonly kind: 'clean'; readonly head: string }
  | { readonly kind: 'committed'; readonly head: string }
  /** The agent left it on a commit that does not contain its branch: kept under the ref `rescue` instead. */
  | { readonly kind: 'astray'; readonly head: string; readonly on: string }
  | { readonly kind: 'failed'; readonly why: string }
