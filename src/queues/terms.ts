import { NOT_WORK, SETTLED } from '../domain/task/task.ts'

/** SQL terms shared by the task stores. */

/** The items of `in (…)`. */
export function listed(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ')
}

/** Used by the partial index and by the queries: SQLite uses the index only if a query repeats its terms literally. */
export function claimable(): string {
  return `status = 'open' and is_blocked = 0 and assignee = '' and pinned = 0 and ephemeral = 0 and is_template = 0 and issue_type not in (${listed(NOT_WORK)})`
}

/** The task may take locks. Cheap: only few tasks do, and their settings are read as JSON then. */
export const HAS_LOCKS = `(metadata like '%"lock"%')`

export const unsettled = (task: string): string => `${task}.status not in (${listed(SETTLED)})`

/** Removes a supervisor's name when its claim ends: a leftover name would keep every claimer away. */
export const CLEAR_SUPERVISOR = `assignee = case when lease_until is null then assignee else '' end`
