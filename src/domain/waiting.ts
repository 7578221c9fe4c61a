import type { Task } from './task.ts'

/** Why no agent is at work on a task. */
export type Waiting =
  | { readonly kind: 'closed'; readonly at: string; readonly reason: string }
  | { readonly kind: 'claimed'; readonly by: string; readonly since: string | null }
  | { readonly kind: 'status'; readonly status: string; readonly label: string | undefined }
  | { readonly kind: 'deferred'; readonly until: string | undefined }
  | { readonly kind: 'blocked'; readonly by: readonly string[] }
  | { readonly kind: 'no-work'; readonly type: string }
  | { readonly kind: 'assigned'; readonly to: string }
  | { readonly kind: 'no-supervisor' }
  | { readonly kind: 'next' }

export interface Circumstances {
  readonly blockedBy: readonly string[]
  /** Can be started: what the store says, parents and their deferrals considered. */
  readonly ready: boolean
  readonly isWork: boolean
  readonly supervisor: boolean
  readonly now: string
}

const WAITS_FOR_PEOPLE = ['needs-review', 'needs-approval']

/** The first reason that would have to go; what a person did comes before what follows from it. */
export function waitingFor(task: Task, at: Circumstances): Waiting {
  switch (task.status) {
    case 'closed':
      return { kind: 'closed', at: task.closed_at ?? '', reason: task.close_reason }
    case 'in_progress':
      return { kind: 'claimed', by: task.assignee, since: task.started_at }
    case 'deferred':
      // One whose date has come is as good as open; the next writer says so.
      if (task.defer_until !== null && task.defer_until <= at.now) break
      return { kind: 'deferred', until: task.defer_until ?? undefined }
    case 'open':
      break
    default:
      return { kind: 'status', status: task.status, label: task.labels.find((each) => WAITS_FOR_PEOPLE.includes(each)) }
  }
  if (!at.isWork) return { kind: 'no-work', type: task.issue_type }
  if (at.blockedBy.length > 0) return { kind: 'blocked', by: at.blockedBy }
  if (task.defer_until !== null && task.defer_until > at.now) return { kind: 'deferred', until: task.defer_until }
  if (!at.ready)
    return task.pinned ? { kind: 'status', status: 'pinned', label: undefined } : { kind: 'deferred', until: undefined }
  if (task.assignee !== '') return { kind: 'assigned', to: task.assignee }
  return at.supervisor ? { kind: 'next' } : { kind: 'no-supervisor' }
}
