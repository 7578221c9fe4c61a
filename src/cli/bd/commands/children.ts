import type { BdCommand } from '../command.ts'
import { exactly } from '../parts/arguments.ts'
import { list } from './list.ts'

export const children: BdCommand = {
  name: 'children',
  summary: 'List child issues of a parent',
  usage: '<parent-id> [flags]',
  about: 'List all issues below a parent, closed ones too: short for list --parent <id> --status all.',
  examples: ['fleet bd children fleet-a1b', 'fleet bd children fleet-a1b --json'],
  flags: [{ name: 'pretty', kind: 'switch', help: 'Show children in tree format' }],
  reads: true,
  async run(call) {
    const [parent] = exactly(call, 1) as [string]
    await list.run({ ...call, args: [], flags: call.flags.with({ parent, status: 'all' }) })
  },
}
