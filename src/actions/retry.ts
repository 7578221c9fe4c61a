import { retryTask } from '../domain/fleet/steering.ts'
import { withFreshAttempts } from '../domain/run/retry.ts'
import type { ActionContext } from './action-context.ts'
import { type Steered, steer } from './steer.ts'

/** Gives each task a fresh set of attempts, and opens it if it was blocked. */
export async function retryTasks(acting: ActionContext, tasks: readonly string[]): Promise<readonly Steered[]> {
  return await steer(acting, tasks, { decide: retryTask, state: withFreshAttempts })
}
