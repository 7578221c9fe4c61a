import { takeNextReady } from '../../../actions/take-next.ts'
import { ownEntry } from '../../../domain/text/own-entry.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import type { ListedTask, SortField, TaskQuery } from '../../../ports/task-store.ts'
import { LEGEND, RULE, shortLine } from '../../render/bd/issue.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import {
  EXCLUDE_LABEL_FLAG,
  excludedTypes,
  LABEL_FLAGS,
  LABEL_PATTERN_FLAGS,
  METADATA_FLAGS,
  sharedFilter,
  typeFrom,
} from '../parts/filters.ts'
import { handEdits } from '../parts/hand-edits.ts'
import { EXCLUDE_TYPE_FLAG, MAX_ROWS_FLAG } from '../parts/list-flags.ts'
import { wholeId } from '../parts/list-query.ts'
import { listedJson } from '../parts/listed.ts'

const DEFAULT_LIMIT = 100

const SORTS: Readonly<Record<string, SortField>> = {
  '': 'ready',
  priority: 'ready',
  oldest: 'oldest',
  hybrid: 'hybrid',
}

export const ready: BdCommand = {
  name: 'ready',
  summary: 'Show ready work (open, no active blockers)',
  usage: '[flags]',
  about: `Show ready work: open issues that nothing holds up, by priority, then oldest, then id.
Epics group work and are not work themselves: they come out only with --type epic.

--claim takes the first one that fits, in one step: two callers never get the same.`,
  examples: [
    'fleet bd ready --json | jq -r ".[].id"',
    'fleet bd ready --claim --json',
    'fleet bd ready --label ui --unassigned',
  ],
  flags: [
    { name: 'limit', short: 'n', kind: 'number', help: 'Maximum issues to show (use 0 for unlimited)', default: '100' },
    { name: 'priority', short: 'p', kind: 'number', help: 'Filter by priority' },
    { name: 'assignee', short: 'a', kind: 'text', help: 'Filter by assignee' },
    { name: 'unassigned', short: 'u', kind: 'switch', help: 'Show only unassigned issues' },
    {
      name: 'sort',
      short: 's',
      kind: 'text',
      help: 'Sort policy: priority (default), hybrid, oldest',
      default: 'priority',
    },
    { name: 'type', short: 't', kind: 'text', help: 'Filter by issue type (task, bug, feature, epic, decision, …)' },
    EXCLUDE_TYPE_FLAG,
    ...LABEL_FLAGS,
    EXCLUDE_LABEL_FLAG,
    ...LABEL_PATTERN_FLAGS,
    ...METADATA_FLAGS,
    { name: 'parent', kind: 'text', help: 'Filter to descendants of this issue' },
    { name: 'include-deferred', kind: 'switch', help: 'Include issues with future defer_until timestamps' },
    { name: 'include-ephemeral', kind: 'switch', help: 'Include ephemeral issues in results' },
    { name: 'claim', kind: 'switch', help: 'Atomically claim the first ready issue matching the filters' },
    { name: 'brief', kind: 'switch', help: 'Omit the free text from each row (with --json)' },
    { name: 'plain', kind: 'switch', help: 'Display issues as a plain numbered list' },
    { name: 'pretty', kind: 'switch', help: 'Display issues with status/priority symbols', default: 'true' },
    MAX_ROWS_FLAG,
  ],
  refused: {
    explain: 'fleet show <id> says why a task is not running; fleet bd blocked lists what is held up',
    mol: 'fleet has no molecules; use --parent',
    gated: 'fleet has no molecules; use --parent',
    'mol-type': 'fleet has no molecules; use --type or --label',
    offset: 'use --limit 0 and your own paging',
  },
  reads: (flags) => !flags.on('claim'),
  async run(call) {
    const query = await readyQuery(call)
    if (call.flags.on('claim')) return await claim(call, query)
    const limit = Math.max(0, call.flags.number('limit') ?? DEFAULT_LIMIT)
    const tasks: ListedTask[] = []
    for await (const task of call.store.find({ ...query, limit })) tasks.push(task)
    const full = limit > 0 && tasks.length === limit
    const total = full ? await call.store.count(query) : tasks.length
    if (call.json) answer(call, tasks, total)
    else await print(call, tasks, total)
  },
}

async function readyQuery(call: BdCall): Promise<TaskQuery> {
  const { flags } = call
  const brief = flags.on('brief')
  if (brief && flags.on('claim')) throw new BdFailure('--claim cannot be combined with --brief')
  if (brief && !call.json)
    throw new BdFailure('--brief requires --json; the text renderings print none of the fields it omits')
  if (flags.on('claim') && (flags.text('assignee') ?? '') !== '')
    throw new BdFailure('--claim cannot be combined with --assignee')
  const shared = sharedFilter(call, { time: 'stdout', metadata: 'stdout' })
  const typed = flags.text('sort') ?? ''
  const sort = ownEntry(SORTS, typed)
  if (sort === undefined) throw new BdFailure(`invalid sort policy '${typed}'. Valid values: hybrid, priority, oldest`)
  const type = flags.text('type') ?? ''
  const parent = flags.text('parent') ?? ''
  const priority = flags.number('priority')
  const notTypes = excludedTypes(call)
  return {
    ...shared,
    ready: true,
    sort,
    ...(type === '' ? {} : { types: [typeFrom(type)] }),
    ...(notTypes.length === 0 || type !== '' ? {} : { notTypes }),
    ...(priority === undefined ? {} : { priority }),
    ...(parent === '' ? {} : { parent: await wholeId(call, parent), recursive: true }),
    includeDeferred: flags.on('include-deferred'),
    includeEphemeral: flags.on('include-ephemeral'),
  }
}

async function claim(call: BdCall, query: TaskQuery): Promise<void> {
  if (call.flags.on('readonly')) throw new BdFailure("operation 'ready --claim' is not allowed in read-only mode")
  const next = await takeNextReady(handEdits(call), query.sort === 'ready' ? { ...query, sort: 'claim' } : query)
  if (next.kind === 'bad-edit') throw next.why
  if (call.json) return call.answer(next.kind === 'none' ? [] : [listedJson(next.task)])
  if (next.kind === 'none') return call.print('\n○ No ready work to claim\n')
  call.print(`✓ Claimed issue: ${next.task.id} — ${plainLine(next.task.title)}`)
}

function answer(call: BdCall, tasks: readonly ListedTask[], total: number): void {
  const truncated = total > tasks.length
  const brief = call.flags.on('brief')
  call.answer(
    tasks.map((task) => listedJson(task, { brief })),
    truncated ? { returned: tasks.length, total, truncated } : undefined,
  )
  if (truncated) {
    call.warn(`Showing ${tasks.length} of ${total} ready issues. Use --limit 0 for all, or --limit N to raise the cap.`)
  }
}

async function print(call: BdCall, tasks: readonly ListedTask[], total: number): Promise<void> {
  if (tasks.length === 0) {
    const waiting = await call.store.count({ statuses: ['open', 'in_progress'] })
    return call.print(
      waiting > 0 ? '\n✨ No ready work found (all issues have blocking dependencies)\n' : '\n✨ No open issues\n',
    )
  }
  if (call.flags.on('plain') || call.flags.text('pretty') === 'false') {
    call.print(`\n📋 Ready work (${tasks.length} issues with no active blockers):\n`)
    tasks.forEach((task, i) => {
      call.print(`${i + 1}. [P${task.priority}] [${task.issue_type}] ${task.id}: ${plainLine(task.title)}`)
      if (task.estimated_minutes !== null) call.print(`   Estimate: ${task.estimated_minutes} min`)
      if (task.assignee !== '') call.print(`   Assignee: ${plainLine(task.assignee)}`)
    })
    call.print('')
  } else {
    const epics = await epicTitles(call, tasks)
    const lines = tasks.map((task) => {
      const epic = epics.get(task.parent)
      return `${shortLine(task)}${epic === undefined ? '' : ` ← ${plainLine(epic)}`}`
    })
    lines.push('', RULE, `Ready: ${tasks.length} issues with no active blockers`, '', ...LEGEND)
    call.print(lines.join('\n'))
  }
  if (total > tasks.length) call.print(`Showing ${tasks.length} of ${total} ready issues. Use -n to show more.\n`)
}

async function epicTitles(call: BdCall, tasks: readonly ListedTask[]): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>()
  const ids = [...new Set(tasks.map((task) => task.parent).filter((id) => id !== ''))]
  if (ids.length === 0) return titles
  for await (const epic of call.store.find({ ids, types: ['epic'] })) titles.set(epic.id, epic.title)
  return titles
}
