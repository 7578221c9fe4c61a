import { currentRun } from '../domain/agent/current-run.ts'
import { answerHook, HOOK_CHECK, HOOK_FOLDER, type HookEvent, hookCall, hookOutput } from '../domain/agent/hook.ts'
import { hookOrderOf } from '../domain/agent/hook-order.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { putOrderBack, readOrders, takeOrder } from '../store/hook-orders.ts'
import { postFrom } from './post-letter.ts'

export interface HookContext {
  readonly home: Home
  /** Of the hook: that of the coder that calls it. */
  readonly env: NodeJS.ProcessEnv
  readonly event: HookEvent
  /** The stdin of the hook. */
  readonly told: string
  print(line: string): void
}

/**
 * Answers one call of a hook. The receipt comes after the words: a hook that is killed in between says the same again. Opens
 * no store.
 */
export function callHook({ home, env, event, told, print }: HookContext): void {
  const own = currentRun(env, home)
  const [folder, check] = [env[HOOK_FOLDER], env[HOOK_CHECK]]
  if (own === undefined || folder === undefined || check === undefined) {
    throw new AppError('usage', `fleet hook ${event} is for the hooks of a coder inside a run, and this is none`)
  }
  const call = hookCall(event, told)
  const orders = readOrders(folder).flatMap((text) => hookOrderOf(text, { run: own.run, check }) ?? [])
  const taken = orders.filter((order) => order.kind !== 'message' || takeOrder(folder, order))
  const undelivered = new Set(taken.filter(({ kind }) => kind === 'message'))
  try {
    const answer = answerHook(call, taken)
    const output = hookOutput(event, answer)
    if (output !== undefined) print(output)
    if (answer.delivers.length > 0) {
      const before = call.tool === undefined ? {} : { before: call.tool }
      postFrom(own, { home, env, item: { kind: 'delivered', messages: answer.delivers, ...before } })
    }
    for (const order of undelivered) if (answer.delivers.includes(order.id)) undelivered.delete(order)
  } finally {
    for (const order of undelivered) putOrderBack(folder, order)
  }
}
