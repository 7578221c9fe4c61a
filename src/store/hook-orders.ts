import { join } from 'node:path'
import { HOOK_ORDER_LIMIT, type HookOrder, orderName } from '../domain/agent/hook-order.ts'
import { readIfFile } from '../platform/files/agent-file.ts'
import { isTaken, move, namesIn } from '../platform/files/folder.ts'

/** The text of each order in the folder, the oldest first. */
export function readOrders(folder: string): readonly string[] {
  const names = namesIn(folder).filter((name) => name.endsWith('.json'))
  return names.sort().flatMap((name) => readIfFile(join(folder, name), HOOK_ORDER_LIMIT) ?? [])
}

/** Takes an order out of the folder. false: another call of a hook was faster, as tools may be called side by side. */
export function takeOrder(folder: string, order: HookOrder): boolean {
  const path = join(folder, orderName(order))
  try {
    move(path, `${path}.taken`)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** It was not delivered after all. */
export function putOrderBack(folder: string, order: HookOrder): void {
  const path = join(folder, orderName(order))
  if (!isTaken(path)) move(`${path}.taken`, path)
}
