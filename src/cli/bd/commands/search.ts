import { plainLine } from '../../../domain/text/plain.ts'
import type { ListedTask } from '../../../ports/task-store.ts'
import { issueJson } from '../../../views/json/issue.ts'
import { foundLines, holder, labels } from '../../render/bd/issue.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { DATE_FLAGS, LABEL_FLAGS, METADATA_FLAGS, sharedFilter, TEXT_FLAGS } from '../parts/filters.ts'
import { PRIORITY_RANGE_FLAGS, SORT_FLAGS } from '../parts/list-flags.ts'
import { prioritiesFrom, sortFrom, statusesFrom } from '../parts/list-query.ts'
import { countsOf } from '../parts/listed.ts'

const DEFAULT_LIMIT = 50

export const search: BdCommand = {
  name: 'search',
  summary: 'Search issues by text query',
  usage: '[query] [flags]',
  about: `Search issues by title and id, closed ones included. --desc-contains searches descriptions, --status narrows.`,
  examples: ['fleet bd search "login" --status open', 'fleet bd search --query performance --assignee alice --json'],
  flags: [
    { name: 'query', kind: 'text', help: 'Search query (alternative to positional argument)' },
    {
      name: 'status',
      short: 's',
      kind: 'text',
      help: 'Filter by stored status (comma-separated for OR; open, in_progress, blocked, deferred, closed, all)',
    },
    { name: 'assignee', short: 'a', kind: 'text', help: 'Filter by assignee' },
    { name: 'type', short: 't', kind: 'text', help: 'Filter by type (bug, feature, task, epic, chore, decision, …)' },
    ...LABEL_FLAGS,
    ...TEXT_FLAGS,
    { name: 'external-contains', kind: 'text', help: 'Filter by external ref substring (case-insensitive)' },
    ...DATE_FLAGS,
    ...PRIORITY_RANGE_FLAGS,
    ...METADATA_FLAGS,
    { name: 'limit', short: 'n', kind: 'number', help: 'Limit results', default: '50' },
    { name: 'long', kind: 'switch', help: 'Show detailed multi-line output for each issue' },
    ...SORT_FLAGS,
  ],
  reads: true,
  async run(call) {
    const { flags, args } = call
    const text = args.length > 0 ? args.join(' ') : (flags.text('query') ?? '')
    if (text === '') {
      throw new BdFailure('search query is required', {
        json: 'text',
        hint: 'fleet bd search <text>, or fleet bd list to see all',
      })
    }
    const statuses = await statusesFrom(call, flags.text('status') ?? '')
    const type = flags.text('type') ?? ''
    const found: ListedTask[] = []
    for await (const task of call.store.find({
      ...sharedFilter(call, { time: 'text', metadata: 'text' }),
      ...prioritiesFrom(call),
      ...(statuses.length === 0 || statuses[0] === 'all' ? {} : { statuses }),
      ...(type === '' ? {} : { types: [type] }),
      text,
      sort: sortFrom(call) ?? 'priority',
      reverse: flags.on('reverse'),
      limit: Math.max(0, flags.number('limit') ?? DEFAULT_LIMIT),
    })) {
      found.push(task)
    }
    if (call.json) return call.answer(found.map((task) => ({ ...issueJson(task), ...countsOf(task) })))
    if (found.length === 0) call.print(`No issues found matching '${plainLine(text)}'`)
    else print(call, found, text)
  },
}

function print({ flags, print }: BdCall, found: readonly ListedTask[], text: string): void {
  const long = flags.on('long')
  print(`${long ? '\n' : ''}Found ${found.length} issues matching '${plainLine(text)}':${long ? '\n' : ''}`)
  for (const task of found) {
    if (long) for (const line of foundLines(task)) print(line)
    else {
      const start = `${task.id} [P${task.priority}] [${task.issue_type}] ${task.status}`
      print(`${start}${holder(task)}${labels(task)} - ${plainLine(task.title)}`)
    }
  }
}
