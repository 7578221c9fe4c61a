import type { HistoryEntry } from '../domain/task/history.ts'
import type { Task } from '../domain/task/task.ts'

/** What the history keeps of a person's closing and reopening: enough to tell what the task was before. */

export function closingChanges(before: Task, reason: string): HistoryEntry['changes'] {
  return { status: [before.status, 'closed'], close_reason: ['', reason] }
}

export function reopeningChanges(before: Task, reason: string): HistoryEntry['changes'] {
  return {
    status: [before.status, 'open'],
    closed_at: [before.closed_at, null],
    close_reason: [before.close_reason, ''],
    defer_until: [before.defer_until, null],
    reason: [null, reason],
  }
}
