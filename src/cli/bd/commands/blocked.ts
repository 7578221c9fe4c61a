import { plainLine } from '../../../domain/text/plain.ts'
import { issueJson } from '../../../views/json/issue.ts'
import type { BdCommand } from '../command.ts'
import { EXCLUDE_LABEL_FLAG, LABEL_FLAGS, sharedFilter } from '../parts/filters.ts'
import { wholeId } from '../parts/list-query.ts'

export const blocked: BdCommand = {
  name: 'blocked',
  summary: 'Show blocked issues',
  usage: '[flags]',
  about: 'Show open issues that a dependency holds up, each with what it waits for.',
  flags: [
    ...LABEL_FLAGS,
    EXCLUDE_LABEL_FLAG,
    { name: 'parent', kind: 'text', help: 'Filter to descendants of this issue' },
  ],
  reads: true,
  async run(call) {
    const parent = call.flags.text('parent') ?? ''
    const found = await call.store.blocked({
      ...sharedFilter(call, { time: 'stdout', metadata: 'stdout' }),
      ...(parent === '' ? {} : { parent: await wholeId(call, parent), recursive: true }),
    })
    if (call.json) {
      return call.answer(
        found.map(({ task, blockedBy }) => ({
          ...issueJson(task),
          blocked_by_count: blockedBy.length,
          blocked_by: blockedBy,
        })),
      )
    }
    if (found.length === 0) return call.print('\n✨ No blocked issues\n')
    call.print(`\n🚫 Blocked issues (${found.length}):\n`)
    for (const { task, blockedBy } of found) {
      call.print(`[P${task.priority}] ${task.id}: ${plainLine(task.title)}`)
      call.print(`  Blocked by ${blockedBy.length} open dependencies: [${blockedBy.join(' ')}]\n`)
    }
  },
}
