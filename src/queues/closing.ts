import type { HistoryEntry } from '../domain/task/history.ts'
import type { Task } from '../domain/task/task.ts'

/** History entries for a person's close and reopen. They keep the values from before. */

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
