import { NOT_WORK, SETTLED } from '../domain/task/task.ts'

/** Terms of SQL that mean the same in every task store. */

/** For `in (…)`. */
export function listed(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ')
}

/** A query uses the partial index only if it repeats these terms to the letter, so both take them from here. */
export function claimable(): string {
  return `status = 'open' and is_blocked = 0 and assignee = '' and pinned = 0 and ephemeral = 0 and is_template = 0 and issue_type not in (${listed(NOT_WORK)})`
}

export const unsettled = (task: string): string => `${task}.status not in (${listed(SETTLED)})`

/** A supervisor's name stands on a task while it holds it: afterwards it would keep every claimer away. */
export const HANDED_OVER = `assignee = case when lease_until is null then assignee else '' end`
