import type { Task } from '../../../domain/task/task.ts'
import type { Amendment } from '../../../ports/task-store.ts'
import { type BdCall, BdFailure } from '../command.ts'
import { amendRefusal } from './amend-refusal.ts'
import { resolveSaying } from './resolve.ts'

/** Changes the one task that a command names. A refusal ends the command. */
export async function amendOne(call: BdCall, typed: string, amendment: Amendment): Promise<Task> {
  const id = await resolveSaying(call, typed, `resolving ${typed}`)
  const result = await call.store.amend(id, amendment, call.actor)
  if (result.kind === 'amended') return result.task
  throw new BdFailure(amendRefusal(id, result, call.actor).why)
}
