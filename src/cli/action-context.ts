import type { ActionContext } from '../actions/action-context.ts'
import { actorFrom } from '../app.ts'
import type { Call } from './command.ts'
import { progressLine } from './render/progress.ts'

/** The caller of a command, as an action knows it: progress goes to stderr. */
export function actionContext({ home, env, warn }: Pick<Call, 'home' | 'env' | 'warn'>): Required<ActionContext> {
  return { home, by: actorFrom(env, undefined), progress: (progress) => warn(progressLine(progress)) }
}
