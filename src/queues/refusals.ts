import { locksOf, sameLocks } from '../domain/task/lock.ts'
import type { Task } from '../domain/task/task.ts'
import type { CloseOptions, CloseResult, TakeResult } from '../ports/queue.ts'
import type { Amendment, AmendResult } from '../ports/task-store.ts'

/** Reasons to refuse a person's request that follow from the task's own fields. */

export interface Standing {
  readonly status: string
  readonly assignee: string
  /** Held by a supervisor: only supervisors have leases. */
  readonly leased: boolean
  readonly heldUp: boolean
}

/** `theirs`: the person already has the task. `held-up`: refused; the store can name the blockers. */
export function takeDecision(
  task: Standing,
  { by, force }: { by: string; force: boolean },
): 'take' | 'theirs' | 'held-up' | Extract<TakeResult, { kind: 'held' | 'not-claimable' }> {
  if (task.assignee === by && task.status === 'in_progress' && !task.leased) return 'theirs'
  if (task.leased) return { kind: 'held', by: task.assignee }
  if (task.assignee !== '' && task.assignee !== by) return { kind: 'held', by: task.assignee }
  if (task.status !== 'open') return { kind: 'not-claimable', status: task.status }
  return task.heldUp && !force ? 'held-up' : 'take'
}

/** undefined: the task itself allows it. Open children and blockers may still forbid it, unless it is forced. */
export function closeRefusal(task: Task, how: CloseOptions, by: string): CloseResult | undefined {
  if (task.status === 'closed') return { kind: 'already', task }
  if (task.is_template) return { kind: 'template' }
  if (how.force === true) return undefined
  if (task.pinned || task.status === 'pinned') return { kind: 'pinned' }
  return task.assignee !== '' && task.assignee !== by ? { kind: 'held', by: task.assignee } : undefined
}

/** Open children are reported first, then open blockers. */
export function refusalByNeighbours(open: {
  readonly children: readonly string[]
  readonly blockers: readonly string[]
}): CloseResult | undefined {
  if (open.children.length > 0) return { kind: 'open-children', children: open.children }
  return open.blockers.length > 0 ? { kind: 'blocked', by: open.blockers } : undefined
}

export function amendmentRefusal(
  task: Task,
  { change, claim, force, expect }: Amendment,
  by: string,
): AmendResult | undefined {
  if (task.is_template) return { kind: 'template' }
  for (const field of ['assignee', 'status'] as const) {
    const expected = expect?.[field]
    if (expected !== undefined && task[field] !== expected) {
      return { kind: 'mismatch', field, is: task[field], expected }
    }
  }
  // Naming the expected assignee, or claiming, shows that the person knows who holds the task.
  const reassigns = change.assignee !== undefined && change.assignee !== task.assignee && expect?.assignee === undefined
  const held = task.status === 'in_progress' && task.assignee !== '' && task.assignee !== by
  // The locks of a claimed task are those that other machines wait for.
  if (held && force !== true && changesLocks(task, change)) return { kind: 'locks-held', by: task.assignee }
  return reassigns && held && claim !== true && force !== true ? { kind: 'held', by: task.assignee } : undefined
}

function changesLocks({ metadata }: Task, change: Amendment['change']): boolean {
  if (change.metadata === undefined) return false
  return !sameLocks(locksOf(metadata), locksOf(change.metadata(metadata)))
}

/** Whether the amendment closes the task without force, so that open children and blockers can forbid it. */
export function closesWithoutForce(task: Task, { change, force }: Amendment): boolean {
  return change.status === 'closed' && task.status !== 'closed' && force !== true
}
