import type { Comment } from '../domain/task/comment.ts'
import type { Dependency } from '../domain/task/dependency.ts'
import type { HistoryEntry } from '../domain/task/history.ts'
import type { TaskRecord } from '../domain/task/interchange.ts'
import type { Task } from '../domain/task/task.ts'
import type { Hosts } from './hosts.ts'
import type { Orders } from './orders.ts'
import type { AddDependencyResult, CloseResult, NewDependency, Queue, TakeResult } from './queue.ts'
import type { TaskRecords } from './task-records.ts'

/**
 * A queue that also keeps the tasks itself, with all that bd's language asks of them. The local and Postgres queues are
 * task stores; a beads queue is not, because there bd answers. Ids given here are whole ids: `resolve` comes first.
 */
export interface TaskStore extends Queue {
  /** What every new top-level id begins with, without the hyphen. */
  readonly prefix: string
  /** Where the store is, for people: a file path, or a URL without its password. */
  readonly location: string
  /** Only where many machines share it: who works on it. */
  readonly hosts?: Hosts
  /** Where machines share the queue: what travels with its tasks, and what is asked of other machines. */
  readonly records?: TaskRecords
  readonly orders?: Orders

  resolve(text: string): Promise<IdMatch>
  /** In the asked order. Rows are read as they are consumed, so 100,000 tasks never stand in memory at once. */
  find(query: TaskQuery): AsyncIterable<ListedTask>
  count(filter: TaskFilter): Promise<number>
  countBy(filter: TaskFilter, by: CountGroup): Promise<readonly { group: string; count: number }[]>
  stats(): Promise<Stats>

  comments(id: string): Promise<readonly Comment[]>
  history(id: string): Promise<readonly HistoryEntry[]>
  /** Open tasks that something holds up, each with the ids that do. */
  blocked(filter: TaskFilter): Promise<readonly { task: ListedTask; blockedBy: readonly string[] }[]>
  /** Every label in use and how many tasks carry it, by name. */
  labels(): Promise<readonly { label: string; count: number }[]>

  /** A person's claim of the first ready task that fits and nobody holds, found and taken in one step. */
  takeNext(query: TaskQuery, by: string): Promise<ListedTask | undefined>
  /** All of `change` or nothing. undefined: no such task. */
  update(id: string, change: TaskChange, by: string): Promise<Task | undefined>
  /** What a person asks for: like `update`, but it may claim first, and it obeys the rules of claiming and closing. */
  amend(id: string, amendment: Amendment, by: string): Promise<AmendResult>
  remove(ids: readonly string[], by: string): Promise<RemoveResult>
  /** Like Queue.addDependency for many edges: all or nothing; on refusal the first refused edge is named. */
  addDependencies(edges: readonly NewDependency[], by: string): Promise<BulkDependencyResult>
  removeDependency(edge: { issue_id: string; depends_on_id: string }, by: string): Promise<boolean>
  addComment(id: string, comment: { author: string; text: string }): Promise<Comment>

  /**
   * Inserts or brings up to date, all in one transaction; see ImportReport for what was left alone. An id of '' asks for
   * a new one, of the task or of a comment. Labels, edges and comments are only ever added.
   */
  import(records: Iterable<TaskRecord>, how: ImportOptions, by: string): Promise<ImportReport>
}

export type IdMatch =
  | { readonly kind: 'found'; readonly id: string }
  | { readonly kind: 'ambiguous'; readonly ids: readonly string[] }
  /** `near`: ids that differ little from what was typed. */
  | { readonly kind: 'unknown'; readonly near: readonly string[] }

export interface ListedTask extends Task {
  readonly dependency_count: number
  readonly dependent_count: number
  readonly comment_count: number
  /** The parent by a parent-child edge, or ''. */
  readonly parent: string
  /** What it depends on, oldest edge first. */
  readonly dependencies: readonly Dependency[]
}

export interface ImportOptions {
  /** Overwrite also what is newer here: to restore an old snapshot. */
  readonly allowStale?: boolean
  /** Report what would happen, and leave everything as it is. */
  readonly dryRun?: boolean
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
  /** '' asks for tasks nobody holds. */
  readonly assignee?: string
  readonly labelsAll?: readonly string[]
  readonly labelsAny?: readonly string[]
  readonly notLabels?: readonly string[]
  /** Glob, as in `tech-*`. */
  readonly labelPattern?: string
  readonly labelRegex?: string
  readonly noLabels?: boolean
  readonly parent?: string
  /** Children of `parent` at any depth, not only its own. */
  readonly recursive?: boolean
  readonly noParent?: boolean
  /** In the title or the id; where it looks like a reference (`gh-9`), also in the external reference. */
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
  /** Has a defer date, or the status that says so. */
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
  /** With `ready`: also what is deferred. */
  readonly includeDeferred?: boolean
  /** With `ready`: also what is ephemeral. */
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
  | 'oldest'
  | 'hybrid'

export interface TaskQuery extends TaskFilter {
  /**
   * `claim` is priority, then oldest: the order of claiming. `priority` is bd's list order: priority, then newest.
   * `hybrid`: the last two days by priority, then what is older by age.
   */
  readonly sort?: SortField
  readonly reverse?: boolean
  /** 0 or absent: all. */
  readonly limit?: number
}

export type CountGroup = 'status' | 'priority' | 'type' | 'assignee' | 'label'

/** Fields left out stay as they are. Status and assignee written by hand take the task out of any supervisor's hands. */
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
  /** Added below the notes that stand there at that moment: two writers lose nothing. */
  readonly appendNotes?: string
  /** Decided on the metadata as it is inside the transaction. */
  readonly metadata?: (current: Task['metadata']) => Task['metadata']
  readonly addLabels?: readonly string[]
  readonly removeLabels?: readonly string[]
  readonly setLabels?: readonly string[]
  /** '' takes the task out from under its parent. */
  readonly parent?: string
}

export interface Amendment {
  readonly change: TaskChange
  readonly claim?: boolean
  /** Past somebody's claim, open children and open blockers. */
  readonly force?: boolean
  /** What the caller believes to be true; nothing is written if it is not. */
  readonly expect?: { readonly assignee?: string; readonly status?: string }
}

export type AmendResult =
  | { readonly kind: 'amended'; readonly task: Task; readonly before: Task }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'template' }
  | { readonly kind: 'mismatch'; readonly field: 'assignee' | 'status'; readonly is: string; readonly expected: string }
  /** Somebody works on it, so it cannot simply be given to another. */
  | { readonly kind: 'held'; readonly by: string }
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
  /** Edges that went with them. */
  readonly dependencies: number
  readonly labels: number
  /** Tasks whose text cited one of them and now says so. */
  readonly references: number
}

export type BulkDependencyResult =
  | { readonly kind: 'added'; readonly added: number }
  | { readonly kind: 'refused'; readonly edge: NewDependency; readonly why: AddDependencyResult }

export interface ImportReport {
  /** All that are not stale, in the order of the import. An id that a dry run would have made is ''. */
  readonly imported: readonly string[]
  readonly created: readonly string[]
  readonly updated: readonly { readonly id: string; readonly changes: readonly string[] }[]
  /** Nothing new in the line itself; labels, comments and dependencies may still have been added. */
  readonly unchanged: readonly string[]
  /** Of the same second as what the store has, but with other content: the store's stays. */
  readonly tied: readonly string[]
  /** Older than what the store has. */
  readonly stale: readonly string[]
  /** Edges that were left out, each with the reason. */
  readonly skippedDependencies: readonly { readonly edge: NewDependency; readonly why: AddDependencyResult }[]
}
