import { named } from '../../render/dependency.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { commandHelp } from '../help.ts'
import { atMost } from '../parts/arguments.ts'
import { resolveSaying } from '../parts/resolve.ts'
import { addOne, depAdd, refuseOwnParent, titleOf } from './add.ts'
import { depCycles } from './cycles.ts'
import { depList } from './list.ts'
import { depRelate, depUnrelate } from './relate.ts'
import { depRemove } from './remove.ts'
import { depTree } from './tree.ts'

export const dep: BdCommand = {
  name: 'dep',
  summary: 'Manage dependencies',
  usage: '[issue-id] [flags]',
  about: `Manage dependencies between tasks.

'dep <blocker> --blocks <blocked>' is the same as 'dep add <blocked> <blocker>'.`,
  examples: ['fleet bd dep fleet-xyz --blocks fleet-abc', 'fleet bd dep add fleet-abc fleet-xyz'],
  flags: [{ name: 'blocks', short: 'b', kind: 'text', help: 'The task that this task blocks' }],
  refused: { 'no-cycle-check': 'cycles are always checked; it costs little here' },
  subcommands: [depAdd, depRemove, depList, depTree, depCycles, depRelate, depUnrelate],
  async run(call) {
    const [blocker] = atMost(call, 1)
    const blocked = call.flags.text('blocks') ?? ''
    if (blocked === '') return call.print(commandHelp(dep, ['dep']).trimEnd())
    if (blocker === undefined) throw new BdFailure('--blocks requires exactly one issue ID argument')
    await addBlock(call, blocker, blocked)
  },
}

async function addBlock(call: BdCall, blocker: string, blocked: string): Promise<void> {
  const issue_id = await resolveSaying(call, blocked, `resolving issue ID ${blocked}`)
  const depends_on_id = await resolveSaying(call, blocker, `resolving issue ID ${blocker}`)
  const edge = { issue_id, depends_on_id, type: 'blocks' }
  refuseOwnParent(edge)
  await addOne(call, edge)
  if (call.json)
    return call.answer({ blocked_id: issue_id, blocker_id: depends_on_id, status: 'added', type: 'blocks' })
  const [to, from] = [await titleOf(call, depends_on_id), await titleOf(call, issue_id)]
  call.print(`✓ Added dependency: ${named(depends_on_id, to)} blocks ${named(issue_id, from)}`)
}
