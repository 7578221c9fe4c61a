import type { HomeStore } from '../app.ts'
import { retryTask } from '../domain/fleet/steering.ts'
import { withFreshAttempts } from '../domain/run/retry.ts'
import { isUnjudged, NEEDS_REVIEW } from '../domain/run/review.ts'
import type { Task } from '../domain/task/task.ts'
import { AppError } from '../errors.ts'
import type { ActionContext } from './action-context.ts'
import { type SentBack, type Steered, steer } from './steer.ts'

/**
 * Gives each task a fresh set of attempts, and opens it if it was blocked. The note becomes a comment on each, so it is on
 * the record and in the next prompt.
 */
export async function retryTasks(
  acting: ActionContext,
  tasks: readonly string[],
  { note }: { note?: string | undefined } = {},
): Promise<readonly Steered[]> {
  if (note?.trim() === '') {
    throw new AppError('usage', 'the note is empty', { hint: 'fleet retry <id> --note "<text>"' })
  }
  return await steer(acting, tasks, {
    decide: retryTask,
    state: withFreshAttempts,
    comment: note,
    sendsBack: (store, { task, by }) => sentBack(store, { task, by, note: note ?? '' }),
  })
}

/** Work that waits for a review is rejected by that, unless its checks found out nothing about it. undefined: there is none. */
function sentBack({ ledger }: HomeStore, given: { task: Task; by: string; note: string }): SentBack | undefined {
  const { task, by, note } = given
  const run = ledger.runsOf(task.id).at(-1)
  if (run?.outcome?.code !== NEEDS_REVIEW || !task.labels.includes(NEEDS_REVIEW)) return undefined
  if (isUnjudged(ledger.recordsOf(run.id).receipt)) return undefined
  return { run, review: { task: task.id, run: run.id, decision: 'rejected', by, at: Date.now(), note: note.trim() } }
}
