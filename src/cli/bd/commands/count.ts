import { plainLine } from '../../../domain/text/plain.ts'
import type { CountGroup, TaskFilter } from '../../../ports/task-store.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { DATE_FLAGS, LABEL_FLAGS, sharedFilter, TEXT_FLAGS, trimmed } from '../parts/filters.ts'

const GROUPS: readonly CountGroup[] = ['status', 'priority', 'type', 'assignee', 'label']

export const count: BdCommand = {
  name: 'count',
  summary: 'Count issues matching filters',
  usage: '[flags]',
  about: 'Count issues, closed ones included, or the issues of each group with one of the --by-* flags.',
  examples: ['fleet bd count --status open', 'fleet bd count --by-status --json'],
  flags: [
    {
      name: 'status',
      short: 's',
      kind: 'text',
      help: 'Filter by stored status (open, in_progress, blocked, deferred, closed)',
    },
    { name: 'priority', short: 'p', kind: 'number', help: 'Filter by priority (0-4: 0=critical, 4=backlog)' },
    { name: 'priority-min', kind: 'number', help: 'Filter by minimum priority (inclusive)' },
    { name: 'priority-max', kind: 'number', help: 'Filter by maximum priority (inclusive)' },
    { name: 'assignee', short: 'a', kind: 'text', help: 'Filter by assignee' },
    { name: 'type', short: 't', kind: 'text', help: 'Filter by type (bug, feature, task, epic, chore, decision, …)' },
    ...LABEL_FLAGS,
    { name: 'title-contains', kind: 'text', aliases: ['title'], help: 'Filter by title substring (case-insensitive)' },
    { name: 'id', kind: 'text', help: 'Filter by specific issue IDs (comma-separated)' },
    ...TEXT_FLAGS,
    ...DATE_FLAGS,
    { name: 'include-infra', kind: 'switch', help: 'Include ephemeral and infrastructure issues' },
    ...GROUPS.map((group) => ({ name: `by-${group}`, kind: 'switch' as const, help: `Group count by ${group}` })),
  ],
  reads: true,
  async run(call) {
    const groups = GROUPS.filter((group) => call.flags.on(`by-${group}`))
    if (groups.length > 1) throw new BdFailure('only one --by-* flag can be specified')
    const filter = countFilter(call)
    const total = await call.store.count(filter)
    const [by] = groups
    if (by === undefined) {
      if (call.json) call.answer({ count: total })
      else call.print(String(total))
      return
    }
    const counted = await call.store.countBy(filter, by)
    if (call.json) return call.answer({ total, groups: counted })
    call.print(`Total: ${total}\n`)
    for (const { group, count } of counted) call.print(`${plainLine(group)}: ${count}`)
  },
}

/** Unlike `list`, omits only ephemeral tasks by default; an unknown status or type matches nothing. */
function countFilter(call: BdCall): TaskFilter {
  const { flags } = call
  const number = (name: string) => flags.number(name)
  const [priority, priorityMin, priorityMax] = ['priority', 'priority-min', 'priority-max'].map(number)
  const status = flags.text('status') ?? ''
  const type = flags.text('type') ?? ''
  const ids = trimmed((flags.text('id') ?? '').split(','))
  return {
    ...sharedFilter(call, { time: 'stdout', metadata: 'stdout' }),
    ...(status === '' || status === 'all' ? {} : { statuses: [status] }),
    ...(type === '' ? {} : { types: [type] }),
    ...(ids.length === 0 ? {} : { ids }),
    ...(priority === undefined ? {} : { priority }),
    ...(priorityMin === undefined ? {} : { priorityMin }),
    ...(priorityMax === undefined ? {} : { priorityMax }),
    ...(flags.on('include-infra')
      ? { template: false, ...(type === 'gate' ? {} : { notTypes: ['gate'] }) }
      : { ephemeral: false }),
  }
}
