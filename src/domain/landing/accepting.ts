import { NEEDS_REVIEW } from '../run/review.ts'
import type { Run } from '../run/run.ts'
import { NEEDS_APPROVAL } from '../scope/approval.ts'
import type { Task } from '../task/task.ts'
import { type Landing, NEEDS_LANDING } from './landing.ts'

/**
 * Ledger and queue are two stores, so a person's command writes the landing first and asks the queue then. It may die in
 * between; the labels of the task say whether its decision was carried out.
 */
export type Acceptance = 'accepted' | 'undecided' | 'refused'

type Standing = Pick<Task, 'status' | 'assignee' | 'labels'>

export function acceptanceOf(
  { run }: Pick<Landing, 'run'>,
  { task, last }: { readonly task: Standing | undefined; readonly last: Pick<Run, 'id'> | undefined },
): Acceptance {
  if (task?.status !== 'blocked' || task.assignee !== '' || last?.id !== run) return 'refused'
  // The label to land may be left from an earlier attempt.
  if (task.labels.includes(NEEDS_REVIEW) || task.labels.includes(NEEDS_APPROVAL)) return 'undecided'
  return task.labels.includes(NEEDS_LANDING) ? 'accepted' : 'refused'
}

/** The ledger's rows of one task. */
type Row = Landing | undefined

/** The row to write before the queue is asked. The same work may be on its way by another's decision: then it stays. */
export function rowBeforeAcceptance(row: Row, landing: Landing): Row {
  const isUnderWay = row?.run === landing.run && row.state.at !== 'accepting' && row.state.at !== 'over'
  if (isUnderWay) return row
  return { ...landing, state: { at: 'accepting', ...(row && { before: row }) } }
}

/** Once the queue has confirmed it. Another process may have noticed that first, and landed it since. */
export function rowAfterAcceptance(row: Row, landing: Landing): Row {
  return row?.state.at === 'accepting' && row.run === landing.run ? { ...row, state: { at: 'queued' } } : row
}

/** Once the queue has refused it: the row before stands there again, unless another process has written since. */
export function rowAfterRefusal(row: Row, landing: Landing): Row {
  const isOwn = row?.state.at === 'accepting' && row.run === landing.run && row.queuedAt === landing.queuedAt
  return isOwn && row.state.at === 'accepting' ? row.state.before : row
}
