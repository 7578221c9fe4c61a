import { HOOK_LINES } from '../../src/domain/agent/hook.ts'
import { orderKey, orderName } from '../../src/domain/agent/hook-order.ts'
import { signedText } from '../../src/domain/agent/letter-proof.ts'

/** Before a tool. */
export const LINE = HOOK_LINES.PreToolUse

const KEY = orderKey('of the benchmark')
export const CHECK = KEY.x

/** A message for the run as the supervisor leaves it: the name of its file, and its text. */
export function order(run: string): readonly [name: string, text: string] {
  const message = { v: 1, run, kind: 'message', id: 1, at: 0, by: 'ada', text: 'Use the new name' } as const
  return [orderName(message), signedText(message, KEY)]
}
