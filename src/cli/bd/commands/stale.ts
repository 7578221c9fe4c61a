import type { Task } from '../../../domain/task/task.ts'
import { rfc3339 } from '../../../domain/task/time.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import { issueJson } from '../../../views/json/issue.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { EXCLUDE_LABEL_FLAG, LABEL_FLAGS, sharedFilter } from '../parts/filters.ts'

const DEFAULT_DAYS = 30
const DEFAULT_LIMIT = 50
const STATUSES = ['open', 'in_progress', 'blocked', 'deferred']
const DAY = 24 * 3_600_000

export const stale: BdCommand = {
  name: 'stale',
  summary: 'Show stale issues (not updated recently)',
  usage: '[flags]',
  about: 'Show open and in-progress issues that nobody has touched for so many days, the longest forgotten first.',
  examples: ['fleet bd stale --days 14', 'fleet bd stale --status blocked --json'],
  flags: [
    { name: 'days', short: 'd', kind: 'number', help: 'Issues not updated in this many days', default: '30' },
    { name: 'status', short: 's', kind: 'text', help: 'Filter by status (open|in_progress|blocked|deferred)' },
    { name: 'limit', short: 'n', kind: 'number', help: 'Maximum issues to show (0 = all)', default: '50' },
    ...LABEL_FLAGS,
    EXCLUDE_LABEL_FLAG,
  ],
  reads: true,
  async run(call) {
    const { flags } = call
    const days = flags.number('days') ?? DEFAULT_DAYS
    if (days < 1) throw new BdFailure('--days must be at least 1')
    const status = flags.text('status') ?? ''
    if (status !== '' && !STATUSES.includes(status)) {
      throw new BdFailure(`invalid status '${status}'. Valid values: ${STATUSES.join(', ')}`)
    }
    const found: Task[] = []
    for await (const task of call.store.find({
      ...sharedFilter(call, { time: 'text', metadata: 'text' }),
      statuses: status === '' ? ['open', 'in_progress'] : [status],
      updatedBefore: cutoff(call.now, days),
      ephemeral: false,
      sort: 'updated',
      reverse: true,
      limit: Math.max(0, flags.number('limit') ?? DEFAULT_LIMIT),
    })) {
      found.push(task)
    }
    if (call.json) call.answer(found.map(issueJson))
    else print(call, found, days)
  },
}

/** Clamped to the earliest valid date. */
function cutoff(now: Date, days: number): string {
  return rfc3339(Math.max(now.getTime() - days * DAY, Date.UTC(1, 0, 1)))
}

function print(call: BdCall, found: readonly Task[], days: number): void {
  if (found.length === 0) {
    call.print('\n✨ No stale issues found (all active)\n')
    return
  }
  call.print(`\n⏰ Stale issues (${found.length} not updated in ${days}+ days):\n`)
  for (const [i, task] of found.entries()) {
    const ago = Math.floor((call.now.getTime() - Date.parse(task.updated_at)) / DAY)
    call.print(`${i + 1}. [P${task.priority}] ${task.id}: ${plainLine(task.title)}`)
    call.print(`   Status: ${task.status}, Last updated: ${ago} days ago`)
    if (task.assignee !== '') call.print(`   Assignee: ${plainLine(task.assignee)}`)
    call.print('')
  }
}
