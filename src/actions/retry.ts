import { retryTask } from '../domain/fleet/steering.ts'
import { withFreshAttempts } from '../domain/run/retry.ts'
import { AppError } from '../errors.ts'
import type { ActionContext } from './action-context.ts'
import { type Steered, steer } from './steer.ts'

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
  return await steer(acting, tasks, { decide: retryTask, state: withFreshAttempts, comment: note })
}
