import { named, wrongType } from '../../render/dependency.ts'
import { type BdCommand, BdFailure } from '../command.ts'
import { exactly } from '../parts/arguments.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { resolveSaying } from '../parts/resolve.ts'
import { addOne, refuseOwnParent, titleOf } from './add.ts'

export const link: BdCommand = {
  name: 'link',
  summary: 'Link two issues with a dependency',
  usage: '<id1> <id2> [flags]',
  about: 'Make the first issue depend on the second: short for dep add. By default the second blocks the first.',
  examples: ['fleet bd link fleet-42 fleet-41', 'fleet bd link fleet-42 fleet-41 --type related'],
  flags: [
    {
      name: 'type',
      short: 't',
      kind: 'text',
      default: 'blocks',
      help: 'Dependency type (blocks|tracks|related|parent-child|discovered-from)',
    },
  ],
  async run(call) {
    const [from, to] = exactly(call, 2) as [string, string]
    refuseReadonly(call, 'link')
    const type = call.flags.text('type') ?? 'blocks'
    const issue_id = await resolveSaying(call, from, `resolving issue ID ${from}`)
    const depends_on_id = await resolveSaying(call, to, `resolving issue ID ${to}`)
    const edge = { issue_id, depends_on_id, type }
    refuseOwnParent(edge)
    if (type === '') {
      throw new BdFailure('invalid dependency type "": must be non-empty and at most 32 characters')
    }
    const wrong = wrongType(type)
    if (wrong !== undefined) throw new BdFailure(wrong)
    await addOne(call, edge)
    if (call.json) return call.answer({ depends_on_id, issue_id, status: 'added', type })
    const [first, second] = [await titleOf(call, issue_id), await titleOf(call, depends_on_id)]
    call.print(`✓ Linked: ${named(issue_id, first)} depends on ${named(depends_on_id, second)} (${type})`)
  },
}
