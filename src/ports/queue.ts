import type { Comment } from '../domain/task/comment.ts'
import type { Dependency } from '../domain/task/dependency.ts'
import type { HistoryEntry } from '../domain/task/history.ts'
import type { NextStep } from '../domain/task/next-step.ts'
import type { Metadata, Task } from '../domain/task/task.ts'
import type { Millis } from './clock.ts'

export type { NextStep }

/**
 * The operations that a supervisor needs from a queue. Every backend passes test/contract/queue.ts unchanged.
 * Refusals are values; a thrown AppError of code `queue` means that the store itself is in trouble, never "nothing ready".
 * Only methods that make a task or a comment throw their refusals (not-found, conflict, DependencyRefused), undoing all.
 */
export interface Queue extends AsyncDisposable {
  /** Other homes claim from it too: a task whose lease was not renewed in time goes to another claimer. */
  readonly shared?: boolean

  create(draft: TaskDraft, by: string): Promise<Task>
  get(id: string): Promise<Task | undefined>
  /** `down`: what these tasks depend on; `up`: what depends on them. Oldest edge first. */
  edges(ids: readonly string[], direction: 'down' | 'up'): Promise<readonly Dependency[]>
  /** Oldest first. */
  comments(id: string): Promise<readonly Comment[]>
  history(id: string): Promise<readonly HistoryEntry[]>
  /** In claim order: priority, then oldest. */
  ready(want: { limit: number }): Promise<readonly Task[]>

  /**
   * Atomic across processes: no task goes to two claimers, and no two leased tasks share a lock. Never takes over an expired
   * lease.
   */
  claim(want: ClaimWish): Promise<readonly Claim[]>
  /** The locks of leased tasks. A person's claim holds none. */
  locksHeld(): Promise<readonly HeldLock[]>
  /** The claims that this claimer holds by a lease, also from before a restart. */
  claimsOf(by: string): Promise<readonly Claim[]>
  /** The earliest `notBefore` of the tasks that wait for nothing else; undefined: there is none. */
  nextRetryAt(): Promise<Millis | undefined>
  /** The wall clock was set back by so much: every `notBefore` moves back with it. */
  clockSetBack(by: Millis): Promise<void>
  /** false: the task has another owner now; stop the run, do not settle. */
  renew(claim: Claim, leaseMs: Millis): Promise<boolean>
  /** false: the claim is stale and nothing was written. */
  settle(claim: Claim, next: NextStep): Promise<boolean>
  /**
   * Decides again about a task that this claim left blocked and that has had no other owner since. The labels to remove say
   * which decision it waits for. false: it is not blocked any more, lacks one of them, or the token is stale, and nothing was
   * written.
   */
  settleBlocked(claim: Claim, next: NextStep, labels: { readonly remove: readonly string[] }): Promise<boolean>
  /** Reopens tasks whose lease has expired, and fences off the old holders. For supervisors, after adoption. */
  reclaimExpired(): Promise<readonly string[]>

  /** A person's claim: never expires, held until they close, reopen or reassign. */
  take(id: string, by: string): Promise<TakeResult>
  close(id: string, how: CloseOptions, by: string): Promise<CloseResult>
  reopen(id: string, how: { reason?: string }, by: string): Promise<ReopenResult>
  addDependency(edge: NewDependency, by: string): Promise<AddDependencyResult>
  comment(id: string, text: string, by: string): Promise<void>

  /** Calls `wake` when something may have changed, on any machine. A hint; polling stays the truth. */
  onWake?(wake: () => void): Disposable
}

/**
 * The proof that a claimer owns a task, and no more. `get` reads the task itself when the run is prepared, so a change made in
 * between is seen. `token` grows with every change of hands (fencing).
 */
export interface Claim {
  readonly id: string
  readonly by: string
  readonly token: number
}

/** A lock, the task that has it, and the supervisor that claimed the task. */
export interface HeldLock {
  readonly lock: string
  readonly task: string
  readonly by: string
}

export interface ClaimWish {
  readonly limit: number
  readonly by: string
  readonly leaseMs: Millis
  /** Asked in claim order about each ready task; a refused one stays for others. Synchronous and quick. */
  readonly admits?: (candidate: Candidate) => boolean
}

/** The parts of a ready task that decide whether it may start now. */
export interface Candidate {
  readonly id: string
  readonly metadata: Metadata
}

/** Missing fields take their defaults; `id` only where the caller names one. */
export type TaskDraft = { readonly title: string } & Partial<Omit<Task, 'title'>> & {
    /** The new task becomes `<parent>.<n>` with a parent-child edge, unless it brings its own id. */
    readonly parent?: string
    readonly dependencies?: readonly DraftDependency[]
  }

/** `blocks` the other way round: the new task holds up `on`. */
export interface DraftDependency {
  readonly on: string
  readonly type: string
  readonly reverse?: boolean
  readonly metadata?: string
}

export interface NewDependency {
  readonly issue_id: string
  readonly depends_on_id: string
  readonly type: string
  readonly metadata?: string
  readonly thread_id?: string
}

export type TakeResult =
  | { readonly kind: 'taken'; readonly task: Task }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'held'; readonly by: string }
  | { readonly kind: 'not-claimable'; readonly status: string }
  | { readonly kind: 'blocked'; readonly by: readonly string[] }

export interface CloseOptions {
  readonly reason?: string
  readonly session?: string
  /** Close it in spite of open blockers, open children or another holder; never a template. */
  readonly force?: boolean
}

export type CloseResult =
  /** `molecule`: closed with it, because this was its last open step. */
  | { readonly kind: 'closed'; readonly task: Task; readonly molecule?: Task }
  | { readonly kind: 'already'; readonly task: Task; readonly molecule?: Task }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'blocked'; readonly by: readonly string[] }
  | { readonly kind: 'open-children'; readonly children: readonly string[] }
  | { readonly kind: 'pinned' }
  | { readonly kind: 'template' }
  /** Assigned to another person or claimer. */
  | { readonly kind: 'held'; readonly by: string }

export type ReopenResult =
  | { readonly kind: 'reopened'; readonly task: Task }
  | { readonly kind: 'not-closed'; readonly task: Task }
  | { readonly kind: 'unknown' }

export type AddDependencyResult =
  | { readonly kind: 'added' }
  | { readonly kind: 'already' }
  | { readonly kind: 'other-type'; readonly type: string }
  | { readonly kind: 'unknown'; readonly id: string }
  | { readonly kind: 'itself' }
  /** It would wait for a task it lies below, which cannot close before it. */
  | { readonly kind: 'own-parent' }
  /** It would wait for a task below it, which would inherit the block. */
  | { readonly kind: 'own-child' }
  /** As a child it, or `task` below it, would lie below a task that it waits for. */
  | { readonly kind: 'waits-for-ancestor'; readonly task: string; readonly ancestor: string }
  /** From the dependent round to itself, e.g. [a, b, c, a]. */
  | { readonly kind: 'cycle'; readonly path: readonly string[] }
