import type { HistoryEntry } from './history.ts'
import { BLANK_TASK, type Task } from './task.ts'

/** One change of a task, with the task before and after. Both are undefined if the task was deleted. */
export interface Version {
  readonly entry: HistoryEntry
  readonly before: Task | undefined
  readonly after: Task | undefined
}

/**
 * The versions of a task, newest first: undoes its recorded changes one by one. Fields that changed without a history entry
 * (by an import) keep their current value in all versions.
 */
export function versionsOf(task: Task | undefined, entries: readonly HistoryEntry[]): Version[] {
  let after = task
  return entries.toReversed().map((entry, i, newest) => {
    const before = after === undefined ? undefined : undone(after, entry)
    const version = {
      entry,
      before: before === undefined ? undefined : { ...before, updated_at: newest[i + 1]?.at ?? before.created_at },
      after: after === undefined ? undefined : { ...after, updated_at: entry.at },
    }
    after = before
    return version
  })
}

function undone(after: Task, { kind, changes, actor }: HistoryEntry): Task {
  const before: Record<string, unknown> = { ...after }
  // Supervisors claim and close many times a second; to stay fast, those entries do not record the values.
  if (Object.keys(changes).length === 0) {
    if (kind === 'claimed') Object.assign(before, { status: 'open', assignee: '' })
    if (kind === 'closed') Object.assign(before, { status: 'in_progress', assignee: actor })
  }
  for (const [field, [was, is]] of Object.entries(changes)) {
    if (field === 'label') before['labels'] = relabelled(after.labels, { was, is })
    else if (Object.hasOwn(BLANK_TASK, field)) before[field] = was
  }
  if (before['status'] !== 'closed') Object.assign(before, { closed_at: null, close_reason: '', closed_by_session: '' })
  return before as unknown as Task
}

function relabelled(labels: readonly string[], { was, is }: { was: unknown; is: unknown }): string[] {
  const kept = labels.filter((label) => label !== is)
  return typeof was === 'string' ? [...kept, was].sort() : kept
}
