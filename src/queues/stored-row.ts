import type { Comment } from '../domain/task/comment.ts'
import type { StoredTask } from '../domain/task/contents.ts'
import type { Dependency } from '../domain/task/dependency.ts'
import { type TaskRow, taskOf } from './row.ts'

/** A complete row of `task`, including columns that no command shows. */
export interface StoredRow extends TaskRow {
  next_child: number
  claim_token: number
  lease_until: number | null
  not_before: number | null
}

export const STORED_COLUMNS = 'task.next_child, task.claim_token, task.lease_until, task.not_before'

export interface Attachments {
  readonly edges: readonly Dependency[]
  readonly comments: readonly Comment[]
  /** Add this to the store's milliseconds to get this machine's. */
  readonly aheadMs?: number
}

/** Joins the rows of all tables by task. */
export function storedTasks(rows: readonly StoredRow[], { edges, comments, aheadMs = 0 }: Attachments): StoredTask[] {
  const dependencies = byTask(edges)
  const remarks = byTask(comments)
  return rows.map(({ next_child, claim_token, lease_until, not_before, ...row }) => ({
    record: { ...taskOf(row), dependencies: dependencies.get(row.id) ?? [], comments: remarks.get(row.id) ?? [] },
    nextChild: next_child,
    token: claim_token,
    leaseUntil: lease_until === null ? null : lease_until + aheadMs,
    notBefore: not_before === null ? null : not_before + aheadMs,
  }))
}

function byTask<T extends { issue_id: string }>(all: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const each of all) {
    const group = groups.get(each.issue_id)
    if (group === undefined) groups.set(each.issue_id, [each])
    else group.push(each)
  }
  return groups
}
