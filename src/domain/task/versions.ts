import type { HistoryEntry } from './history.ts'
import { BLANK_TASK, type Task } from './task.ts'

/** One change of a task, with what it was before and after. Neither is known of a task that is gone. */
export interface Version {
  readonly entry: HistoryEntry
  readonly before: Task | undefined
  readonly after: Task | undefined
}

/**
 * The versions of a task, newest first, found by undoing its recorded changes one by one. What no entry tells (an import
 * over it) is as it is now.
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
  // What supervisors claim and close they do many times a second, and write down without the values.
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
