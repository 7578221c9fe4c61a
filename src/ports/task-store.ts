import type { Comment } from '../domain/task/comment.ts'
import type { Dependency } from '../domain/task/dependency.ts'
import type { TaskRecord } from '../domain/task/interchange.ts'
import type { Task } from '../domain/task/task.ts'
import type { Hosts } from './hosts.ts'
import type { Orders } from './orders.ts'
import type { AddDependencyResult, CloseResult, NewDependency, Queue, TakeResult } from './queue.ts'
import type { QueueValues } from './queue-values.ts'
import type { TaskRecords } from './task-records.ts'

/**
 * A queue that also keeps the tasks itself, with everything that bd's language needs. Ids passed here are whole ids: `resolve`
 * comes first.
 */
export interface TaskStore extends Queue {
  /** The prefix of new top-level ids, without the hyphen. */
  readonly prefix: string
  /** Where the store is, for people: a file path, or a URL without its password. */
  readonly location: string
  /** Only if many machines share it: the machines that work on it. */
  readonly hosts?: Hosts
  /** Only if many machines share it: the shared records of its tasks, and orders to other machines. */
  readonly records?: TaskRecords
  readonly orders?: Orders
  /** bd's configuration, key-value pairs and memories. */
  readonly values: QueueValues

  resolve(text: string): Promise<IdMatch>
  /** In the requested order. Rows are read as they are consumed, so 100,000 tasks are never in memory at once. */
  find(query: TaskQuery): AsyncIterable<ListedTask>
  count(filter: TaskFilter): Promise<number>
  countBy(filter: TaskFilter, by: CountGroup): Promise<readonly { group: string; count: number }[]>
  stats(): Promise<Stats>

  /** Open tasks that are held up, each with the ids that hold it up. */
  blocked(filter: TaskFilter): Promise<readonly { task: ListedTask; blockedBy: readonly string[] }[]>
  /** Every label in use and how many tasks carry it, by name. */
  labels(): Promise<readonly { label: string; count: number }[]>

  /** A person's claim of the first matching ready task without a holder, found and taken in one step. */
  takeNext(query: TaskQuery, by: string): Promise<ListedTask | undefined>
  /** All of `change` or nothing. undefined: no such task. */
  update(id: string, change: TaskChange, by: string): Promise<Task | undefined>
  /** A person's change: like `update`, but it may claim first, and it obeys the rules of claiming and closing. */
  amend(id: string, amendment: Amendment, by: string): Promise<AmendResult>
  remove(ids: readonly string[], by: string): Promise<RemoveResult>
  /** Like Queue.addDependency for many edges: all or nothing; on refusal the first refused edge is named. */
  addDependencies(edges: readonly NewDependency[], by: string): Promise<BulkDependencyResult>
  removeDependency(edge: { issue_id: string; depends_on_id: string }, by: string): Promise<boolean>
  addComment(id: string, comment: { author: string; text: string }): Promise<Comment>

  /**
   * Inserts or updates, all in one transaction; ImportReport says what was left alone. An id of '' asks for a new id, for
   * tasks and comments. Labels, edges and comments are only ever added.
   */
  import(records: Iterable<TaskRecord>, how: ImportOptions, by: string): Promise<ImportReport>
}

export type IdMatch =
  | { readonly kind: 'found'; readonly id: string }
  | { readonly kind: 'ambiguous'; readonly ids: readonly string[] }
  /** `near`: ids that are similar to the given text. */
  | { readonly kind: 'unknown'; readonly near: readonly string[] }

export interface ListedTask extends Task {
  readonly dependency_count: number
  readonly dependent_count: number
  readonly comment_count: number
  /** The parent by a parent-child edge, or ''. */
  readonly parent: string
  /** Its dependencies, oldest edge first. */
  readonly dependencies: readonly Dependency[]
}

export interface ImportOptions {
  /** Overwrite newer tasks too, to restore an old snapshot. */
  readonly allowStale?: boolean
  /** Report what would happen, and change nothing. */
  readonly dryRun?: boolean
  /** Named texts that come with the tasks; each replaces the one that is there. */
  readonly values?: ReadonlyMap<string, string>
}

/** Every given condition must hold. Text conditions ignore case. */
export interface TaskFilter {
  readonly ids?: readonly string[]
  readonly statuses?: readonly string[]
  readonly notStatuses?: readonly string[]
  readonly types?: readonly string[]
  readonly notTypes?: readonly string[]
  readonly priority?: number
  readonly priorityMin?: number
  readonly priorityMax?: number
  /** '' matches tasks without a holder. */
  readonly assignee?: string
  readonly labelsAll?: readonly string[]
  readonly labelsAny?: readonly string[]
  readonly notLabels?: readonly string[]
  /** Glob, as in `tech-*`. */
  readonly labelPattern?: string
  readonly labelRegex?: string
  readonly noLabels?: boolean
  readonly parent?: string
  /** Descendants of `parent` at any depth, not only its children. */
  readonly recursive?: boolean
  readonly noParent?: boolean
  /** In the title or the id; if it looks like a reference (`gh-9`), also in the external reference. */
  readonly text?: string
  readonly titleContains?: string
  readonly descriptionContains?: string
  readonly notesContains?: string
  readonly externalContains?: string
  readonly externalRef?: string
  readonly emptyDescription?: boolean
  readonly specPrefix?: string
  readonly createdAfter?: string
  readonly createdBefore?: string
  readonly updatedAfter?: string
  readonly updatedBefore?: string
  readonly closedAfter?: string
  readonly closedBefore?: string
  readonly dueAfter?: string
  readonly dueBefore?: string
  readonly deferAfter?: string
  readonly deferBefore?: string
  /** Has a defer date, or the status `deferred`. */
  readonly deferred?: boolean
  /** Due before this time and not closed. */
  readonly overdueAt?: string
  /** Top-level metadata keys and their values as text. */
  readonly metadata?: Readonly<Record<string, string>>
  readonly hasMetadataKey?: string
  readonly pinned?: boolean
  readonly template?: boolean
  readonly ephemeral?: boolean
  /** Can be started now: open, not held up, not deferred; work only (no epics) unless `types` asks for others. */
  readonly ready?: boolean
  /** With `ready`: deferred tasks too. */
  readonly includeDeferred?: boolean
  /** With `ready`: ephemeral tasks too. */
  readonly includeEphemeral?: boolean
}

export type SortField =
  | 'priority'
  | 'created'
  | 'updated'
  | 'closed'
  | 'status'
  | 'id'
  | 'title'
  | 'type'
  | 'assignee'
  | 'claim'
  | 'ready'
  | 'oldest'
  | 'hybrid'

export interface TaskQuery extends TaskFilter {
  /**
   * `claim` is priority, then oldest: the order of claiming. `ready` is the same, but within a second by id, as bd lists
   * ready work. `priority` is bd's list order: priority, then newest.
   * `hybrid`: tasks of the last two days by priority, then older ones by age.
   */
  readonly sort?: SortField
  readonly reverse?: boolean
  /** 0 or absent: all. */
  readonly limit?: number
}

export type CountGroup = 'status' | 'priority' | 'type' | 'assignee' | 'label'

/** Omitted fields stay as they are. Writing status or assignee fences off a supervisor that holds the task. */
export type TaskChange = Partial<
  Pick<
    Task,
    | 'title'
    | 'description'
    | 'design'
    | 'acceptance_criteria'
    | 'notes'
    | 'spec_id'
    | 'status'
    | 'priority'
    | 'issue_type'
    | 'assignee'
    | 'owner'
    | 'estimated_minutes'
    | 'due_at'
    | 'defer_until'
    | 'external_ref'
    | 'pinned'
    | 'ephemeral'
    | 'is_template'
    | 'close_reason'
    | 'closed_by_session'
  >
> & {
  /** Appended inside the transaction, so that two writers lose nothing. */
  readonly appendNotes?: string
  /** Called inside the transaction, with the metadata as it is then. */
  readonly metadata?: (current: Task['metadata']) => Task['metadata']
  readonly addLabels?: readonly string[]
  readonly removeLabels?: readonly string[]
  readonly setLabels?: readonly string[]
  /** '' removes the task from its parent. */
  readonly parent?: string
}

export interface Amendment {
  readonly change: TaskChange
  readonly claim?: boolean
  /** In spite of another's claim, open children and open blockers. */
  readonly force?: boolean
  /** The caller's assumption; nothing is written if it is wrong. */
  readonly expect?: { readonly assignee?: string; readonly status?: string }
}

export type AmendResult =
  | { readonly kind: 'amended'; readonly task: Task; readonly before: Task }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'template' }
  | { readonly kind: 'mismatch'; readonly field: 'assignee' | 'status'; readonly is: string; readonly expected: string }
  /** Its holder works on it, so it cannot simply be reassigned. */
  | { readonly kind: 'held'; readonly by: string }
  /** Its holder began it with other locks. */
  | { readonly kind: 'locks-held'; readonly by: string }
  | { readonly kind: 'claim-refused'; readonly why: Exclude<TakeResult, { kind: 'taken' }>; readonly status: string }
  | { readonly kind: 'close-refused'; readonly why: CloseResult }

export interface Stats {
  readonly total_issues: number
  readonly open_issues: number
  readonly in_progress_issues: number
  readonly closed_issues: number
  readonly blocked_issues: number
  readonly deferred_issues: number
  readonly ready_issues: number
  readonly pinned_issues: number
  readonly epics_eligible_for_closure: number
  readonly average_lead_time_hours: number
}

export interface RemoveResult {
  readonly removed: readonly string[]
  /** Edges deleted with them. */
  readonly dependencies: number
  readonly labels: number
  /** Tasks whose text cited one of them and now marks it as deleted. */
  readonly references: number
}

export type BulkDependencyResult =
  | { readonly kind: 'added'; readonly added: number }
  | { readonly kind: 'refused'; readonly edge: NewDependency; readonly why: AddDependencyResult }

export interface ImportReport {
  /** All ids that are not stale, in import order. An id that a dry run would have made is ''. */
  readonly imported: readonly string[]
  readonly created: readonly string[]
  readonly updated: readonly { readonly id: string; readonly changes: readonly string[] }[]
  /** No field changed; labels, comments and dependencies may still have been added. */
  readonly unchanged: readonly string[]
  /** From the same second as the store's version, but with other content: the store's stays. */
  readonly tied: readonly string[]
  /** Older than the store's version. */
  readonly stale: readonly string[]
  /** Edges left out, each with the reason. */
  readonly skippedDependencies: readonly { readonly edge: NewDependency; readonly why: AddDependencyResult }[]
}
