import { named } from '../../render/dependency.ts'
import type { BdCommand } from '../command.ts'
import { exactly } from '../parts/arguments.ts'
import { resolveSaying } from '../parts/resolve.ts'
import { targetOf, titleOf } from './add.ts'

/** Prints the same confirmation whether or not the edge existed, as bd does. */
export const depRemove: BdCommand = {
  name: 'remove',
  aliases: ['rm'],
  summary: 'Remove a dependency',
  usage: '[issue-id] [depends-on-id] [flags]',
  flags: [],
  async run(call) {
    const [from, to] = exactly(call, 2) as [string, string]
    const issue_id = await resolveSaying(call, from, `resolving issue ID ${from}`)
    const there = await call.store.edges([issue_id], 'down')
    const stored = there.some((edge) => edge.depends_on_id === to)
    const depends_on_id = stored ? to : await targetOf(call, issue_id, to)
    await call.store.removeDependency({ issue_id, depends_on_id }, call.actor)
    if (call.json) return call.answer({ depends_on_id, issue_id, status: 'removed' })
    const [dependent, target] = [await titleOf(call, issue_id), await titleOf(call, depends_on_id)]
    call.print(`✓ Removed dependency: ${named(issue_id, dependent)} → ${named(depends_on_id, target)}`)
  },
}
