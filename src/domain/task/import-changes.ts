import type { Task } from './task.ts'

/** The changes an imported line makes, in bd's wording. Long fields are only named. */
export function importChanges(before: Task, after: Task): string[] {
  const changes: string[] = []
  for (const [field, word] of MOVES) {
    if (before[field] !== after[field]) changes.push(`${word} ${before[field]} → ${after[field]}`)
  }
  for (const [field, word] of NAMED) {
    if (JSON.stringify(before[field]) === JSON.stringify(after[field])) continue
    changes.push(field === 'notes' && after.notes === '' ? 'notes cleared' : word)
  }
  return changes
}

const MOVES = [
  ['status', 'status'],
  ['priority', 'priority'],
  ['issue_type', 'type'],
] as const

const NAMED = [
  ['assignee', 'assignee'],
  ['title', 'title'],
  ['description', 'description'],
  ['design', 'design'],
  ['acceptance_criteria', 'acceptance_criteria'],
  ['notes', 'notes'],
  ['close_reason', 'close_reason'],
  ['external_ref', 'external_ref'],
  ['estimated_minutes', 'estimate'],
  ['metadata', 'metadata'],
  ['due_at', 'due_at'],
  ['defer_until', 'defer_until'],
  ['owner', 'owner'],
  ['spec_id', 'spec_id'],
  ['pinned', 'pinned'],
] as const
