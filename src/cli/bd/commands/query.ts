import { queryTest } from '../../../domain/task/query/meaning.ts'
import { comparisonsOf, type Expression, parseQuery, queryText } from '../../../domain/task/query/syntax.ts'
import { QueryMistake } from '../../../domain/task/query/words.ts'
import { STATUSES } from '../../../domain/task/task.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import type { ListedTask, TaskFilter } from '../../../ports/task-store.ts'
import { foundLines, holder, labels, statusIcon } from '../../render/bd/issue.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { statusesIfUnknown } from '../parts/configured.ts'
import { SORT_FLAGS } from '../parts/list-flags.ts'
import { sortFrom } from '../parts/list-query.ts'
import { listedJson } from '../parts/listed.ts'
import { hintOfMore } from './list.ts'

const DEFAULT_LIMIT = 50

export const query: BdCommand = {
  name: 'query',
  summary: 'Query issues using a simple query language',
  usage: '[expression] [flags]',
  about: `Query issues by comparisons (= != < <= > >=) joined by AND, OR, NOT and parentheses. Closed issues are left out
unless the expression speaks of the status, or --all is given.

Fields:
  status priority type assignee owner label    ("none": nobody, no label)
  title description notes                      (contain the value, whatever the case)
  created updated started closed               (7d is seven days ago; 2026-05-01; "next monday")
  id spec                                      (quoted, a * at the end stands for the rest)
  parent pinned ephemeral template mol_type metadata.<key> has_metadata_key`,
  examples: [
    'fleet bd query "status=open AND priority<=1"',
    'fleet bd query "(label=ui OR type=bug) AND NOT assignee=none"',
    'fleet bd query "updated<30d AND status!=closed" --json',
  ],
  flags: [
    { name: 'all', short: 'a', kind: 'switch', help: 'Include closed issues' },
    { name: 'limit', short: 'n', kind: 'number', help: 'Limit results (0 = unlimited)', default: '50' },
    { name: 'long', kind: 'switch', help: 'Show detailed multi-line output for each issue' },
    { name: 'parse-only', kind: 'switch', help: 'Only show how the expression is understood' },
    { name: 'offset', kind: 'number', help: 'Not for a local queue, as with bd', hidden: true },
    ...SORT_FLAGS,
  ],
  reads: true,
  async run(call) {
    const { flags, args } = call
    if (args.length === 0) {
      const hint = `fleet bd query "status=open AND priority<2"; 'fleet bd query --help' names the fields`
      throw new BdFailure('query expression is required', { json: 'text', hint })
    }
    const text = args.join(' ')
    if ((flags.number('offset') ?? 0) < 0) throw new BdFailure('--offset must be non-negative')
    if (flags.on('parse-only')) return call.print(`Parsed query: ${plainLine(queryText(parsed(text)))}`)
    if ((flags.number('offset') ?? 0) > 0) throw new BdFailure('--offset is only supported under --proxied-server')
    const { found, more, limit } = await answerTo(call, text)
    if (call.json) call.answer(found.map((task) => listedJson(task)))
    else print(call, found, text)
    if (more && call.terminal.err) hintOfMore(call, limit)
  },
}

function parsed(text: string): Expression {
  if (text.trim() === '') throw new BdFailure('invalid query expression: an expression is required')
  return understood(() => parseQuery(text))
}

function understood<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof QueryMistake) throw new BdFailure(`invalid query expression: ${error.message}`)
    throw error
  }
}

async function answerTo(call: BdCall, text: string): Promise<{ found: ListedTask[]; more: boolean; limit: number }> {
  const { flags, store, now } = call
  const limit = flags.number('limit') ?? DEFAULT_LIMIT
  if (limit < 0) {
    throw new BdFailure(`invalid limit ${limit}: a query limit must be zero or greater; 0 means unlimited`)
  }
  const expression = parsed(text)
  const statuses = await statusesIn(call, expression)
  const fits = understood(() => queryTest(expression, now, statuses))
  const found: ListedTask[] = []
  const order = { sort: sortFrom(call) ?? 'priority', reverse: flags.on('reverse') } as const
  for await (const task of store.find({ ...narrowed(expression, flags.on('all')), ...order })) {
    if (!fits(task)) continue
    if (limit > 0 && found.length === limit) return { found, more: true, limit }
    found.push(task)
  }
  return { found, more: false, limit }
}

/** The queue's own statuses count only where the query names a word that bd does not know. */
async function statusesIn(call: BdCall, expression: Expression): Promise<readonly string[]> {
  const named = comparisonsOf(expression).filter((each) => each.field === 'status')
  for (const { value } of named) {
    const own = await statusesIfUnknown(call, value.toLowerCase())
    if (own !== undefined) return own
  }
  return [...STATUSES, ...named.map(({ value }) => value.toLowerCase())]
}

/** A filter for the store; the whole expression is then evaluated on every task it returns. */
function narrowed(expression: Expression, all: boolean): TaskFilter {
  const speaksOfStatus = comparisonsOf(expression).some((each) => each.field === 'status')
  return all || speaksOfStatus ? {} : { notStatuses: ['closed'] }
}

function print(call: BdCall, found: readonly ListedTask[], text: string): void {
  if (found.length === 0) {
    call.print(`No issues found matching query: ${plainLine(text)}`)
    return
  }
  const long = call.flags.on('long')
  call.print(long ? `\nFound ${found.length} issues:\n` : `Found ${found.length} issues:`)
  for (const task of found) {
    if (long) for (const line of foundLines(task)) call.print(line)
    else {
      const start = `${statusIcon(task.status)} ${task.id} [P${task.priority}] [${task.issue_type}]`
      call.print(`${start}${holder(task)}${labels(task)} - ${plainLine(task.title)}`)
    }
  }
}
