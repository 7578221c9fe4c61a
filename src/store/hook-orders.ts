import { join } from 'node:path'
import { FAILED_HOOKS, type HookEvent } from '../domain/agent/hook.ts'
import { HOOK_ORDER_LIMIT, type HookOrder, orderName, TAKEN, TOLD } from '../domain/agent/hook-order.ts'
import { readIfFile } from '../platform/files/agent-file.ts'
import { appendLines } from '../platform/files/attempt-folder.ts'
import { isTaken, move, namesIn } from '../platform/files/folder.ts'

/** The text of each order in the folder, the oldest first. */
export function readOrders(folder: string): readonly string[] {
  const names = namesIn(folder).filter((name) => name.endsWith('.json'))
  return names.sort().flatMap((name) => readIfFile(join(folder, name), HOOK_ORDER_LIMIT) ?? [])
}

/**
 * Takes an order out of the folder. false: another call of a hook was faster, as tools may be called side by side, or has
 * printed its words: they must not come twice, least of all at the end of a turn.
 */
export function takeOrder(folder: string, order: HookOrder): boolean {
  const path = join(folder, orderName(order))
  const isTold = isTaken(`${path}${TOLD}`)
  try {
    move(path, `${path}${TAKEN}`)
    return !isTold
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Its words were printed. */
export function noteToldOrder(folder: string, order: HookOrder): void {
  const path = join(folder, orderName(order))
  move(`${path}${TAKEN}`, `${path}${TOLD}`)
}

/** For people: its receipt is missing. */
export function noteFailedHook(folder: string, event: HookEvent): void {
  try {
    appendLines(join(folder, FAILED_HOOKS), [event])
  } catch {
    // The words are out, and the call must not be refused for this.
  }
}

/** It was not delivered after all. */
export function putOrderBack(folder: string, order: HookOrder): void {
  const path = join(folder, orderName(order))
  if (!isTaken(path)) move(`${path}${TAKEN}`, path)
}
