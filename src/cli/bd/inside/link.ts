import type { BdCall } from '../command.ts'
import { resolveTask } from '../parts/resolve.ts'
import { isOwnCreation } from './create.ts'
import { notForAgents } from './refusal.ts'

/** An agent may block or unblock only tasks it created: `dep add A B`, `dep remove A B`, `dep B --blocks A`, `link A B`. */
export async function checkLink(call: BdCall, path: readonly string[]): Promise<void> {
  if ((call.flags.text('file') ?? '') !== '')
    throw notForAgents('--file is not for agents: add the dependencies one by one')
  const dependent = path.length === 1 && path[0] === 'dep' ? call.flags.text('blocks') : call.args[0]
  if (dependent === undefined || dependent === '') return
  const id = await resolveTask(call, dependent)
  if (!(await isOwnCreation(call, id))) {
    throw notForAgents(`${id} is not a task that you created: what it waits for is not yours to change`)
  }
}
