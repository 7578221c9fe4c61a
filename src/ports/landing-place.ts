import type { LandingFacts, Plan } from '../domain/landing/plan.ts'
import type { FoundPrograms } from '../domain/landing/trust.ts'

/**
 * Brings the work of tasks onto branches of their repositories. Every answer about the world is a value; a throw is trouble
 * of the machine, and the caller tries again later.
 */
export interface LandingPlace {
  /**
   * All that git would run or obey in a repository, as hashes: configuration, hooks, filters. undefined: there is no
   * repository any more.
   */
  programs(repository: string): Promise<FoundPrograms | undefined>
  /** The folder of git that all checkouts of a repository share; if it is gone, the repository itself. */
  commonFolder(repository: string): string
  look(order: LandingOrder): Promise<LandingLook>
  /** Makes the commit that shall become the tip, in a new throw-away work tree of the task. Removes earlier ones. */
  bring(order: BringOrder, signal: AbortSignal): Promise<Brought>
  /**
   * Moves the target from the commit that `to` was built on, and from no other. `signal` ends git, its hooks and filters; then
   * `resumeMove` says how far it got.
   */
  move(order: MoveOrder, signal?: AbortSignal): Promise<Moved>
  /**
   * How far an earlier move got, whose supervisor or git was killed. A checkout that it left half updated is put in order
   * first.
   */
  resumeMove(order: MoveOrder, signal?: AbortSignal): Promise<Resumed>
  push(order: Pick<MoveOrder, 'task' | 'repository' | 'target' | 'fingerprint'>, signal?: AbortSignal): Promise<Pushed>
  isBuilt(path: string): boolean
  /** Begins to remove the throw-away work tree of a task. */
  discard(task: string): void
  /** When all that was discarded until now is gone. */
  removed(): Promise<void>
  /** Removes those that a killed supervisor left, but of these tasks. */
  clearAway(kept: readonly string[]): void
}

export interface LandingOrder {
  readonly repository: string
  readonly target: string
  /** The last commit of the work, and the commit that it began at. */
  readonly commit: string
  readonly base: string
}

export type LandingLook =
  | { readonly kind: 'found'; readonly facts: LandingFacts }
  /** The repository, the target or the work does not exist any more. */
  | { readonly kind: 'gone'; readonly why: string }

export interface BringOrder extends LandingOrder {
  readonly task: string
  readonly branch: string
  /** The path of the task's worktree, which may be gone. */
  readonly worktree: string
  readonly title: string
  readonly tip: string
  readonly plan: Exclude<Plan, { how: 'nothing' }>
  /** Of the programs of the repository, before the first run of the task. */
  readonly fingerprint: string
}

/** `path`: the work tree with it, whose id is `tree`. */
export interface Built {
  readonly commit: string
  readonly tree: string
  readonly path: string
  /** The tree is that of the work, to the last file. */
  readonly unchanged: boolean
}

export type Brought =
  | ({ readonly kind: 'built' } & Built)
  /** Its changes are on the target already, in other commits. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'conflict'; readonly files: readonly string[]; readonly output: string }
  /** A hook of the repository refused it: `by` says which. */
  | { readonly kind: 'refused'; readonly by: string; readonly output: string }
  | Programs
  | Waits

/** Its hooks, filters or configuration are not as they were before the first run of the task. */
interface Programs {
  readonly kind: 'programs-changed'
}

/** Something that a person or time removes. */
interface Waits {
  readonly kind: 'waits'
  readonly why: string
}

export interface MoveOrder {
  readonly repository: string
  readonly target: string
  readonly task: string
  readonly from: string
  readonly to: string
  readonly fingerprint: string
}

export type Moved =
  | { readonly kind: 'moved' }
  /** The target was moved by somebody else meanwhile. */
  | { readonly kind: 'lost-race' }
  | Programs
  | Waits

export type Resumed =
  | { readonly kind: 'moved' }
  /** `gone`: the commit that it was to move to does not exist any more, so it has to be built again. */
  | { readonly kind: 'not-moved' | 'gone' }
  | Programs
  | Waits

export type Pushed = { readonly kind: 'pushed' } | Programs | Waits
