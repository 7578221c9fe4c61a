import { join } from 'node:path'
import { hookedCall } from '../coders/shared/tool-facts.ts'
import { currentRun } from '../domain/agent/current-run.ts'
import {
  answerHook,
  fitting,
  HOOK_BOUNDS,
  HOOK_CHECK,
  HOOK_FOLDER,
  type HookAnswer,
  type HookCall,
  type HookEvent,
  hookCall,
  hookOutput,
} from '../domain/agent/hook.ts'
import { hookOrderOf } from '../domain/agent/hook-order.ts'
import type { InboxItem } from '../domain/agent/inbox.ts'
import { type CallBounds, judgeToolCall, type Refusal } from '../domain/scope/judge-call.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { withoutLinks } from '../platform/files/same-folder.ts'
import { changedAt } from '../platform/process/program.ts'
import { noteFailedHook, noteToldOrder, putOrderBack, readOrders, takeOrder } from '../store/hook-orders.ts'
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
 * Answers one call of a hook. Opens no store. The receipt comes after the words. A receipt that cannot be posted must not
 * make the same words come again at every call: the run ends as one that has not read them, and its next prompt has them.
 */
export function callHook({ home, env, event, told, print }: HookContext): void {
  const own = currentRun(env, home)
  const [folder, check] = [env[HOOK_FOLDER], env[HOOK_CHECK]]
  if (own === undefined || folder === undefined || check === undefined) {
    throw new AppError('usage', `fleet hook ${event} is for the hooks of a coder inside a run, and this is none`)
  }
  const call = hookCall(event, told)
  const refusal = refusalOf(call, env)
  const orders = readOrders(folder).flatMap((text) => hookOrderOf(text, { run: own.run, check }) ?? [])
  const taken = fitting(call, orders, refusal).filter((order) => takeOrder(folder, order))
  const answer = answerHook(call, taken, refusal)
  try {
    const output = hookOutput(event, answer)
    if (output !== undefined) print(output)
  } catch (error) {
    for (const order of taken) putOrderBack(folder, order)
    throw error
  }
  try {
    for (const order of taken) noteToldOrder(folder, order)
    for (const item of letters(call, answer, refusal)) postFrom(own, { home, env, item })
  } catch {
    noteFailedHook(folder, event)
  }
}

function letters({ tool }: HookCall, { delivers }: HookAnswer, refusal: Refusal | undefined): readonly InboxItem[] {
  if (refusal !== undefined) {
    const { what, why } = refusal
    return [{ kind: 'refused', tool: tool ?? 'a tool', what, why }]
  }
  const before = tool === undefined ? {} : { before: tool }
  return delivers.length === 0 ? [] : [{ kind: 'delivered', messages: delivers, ...before }]
}

/** undefined: the run has no scope, or the call keeps to it. Throws if that cannot be told: then the call must not pass. */
function refusalOf(call: HookCall, env: NodeJS.ProcessEnv): Refusal | undefined {
  const text = env[HOOK_BOUNDS]
  if (text === undefined || call.event !== 'PreToolUse') return undefined
  if (call.tool === undefined)
    throw new AppError('failed', 'the hook was told of no tool, so nobody can judge the call')
  const bounds = JSON.parse(text) as CallBounds
  const variables = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  const { cwd = bounds.root } = call
  const files = {
    resolve: withoutLinks,
    isRepository: (folder: string) => changedAt(join(folder, '.git', 'HEAD')) !== undefined,
  }
  return judgeToolCall(bounds, { ...hookedCall(call.tool, call.input), cwd, variables }, files)
}
