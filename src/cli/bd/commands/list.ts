import { LIST_LIMIT, parseLimit } from '../../../domain/queue/bd-configuration.ts'
import type { ListedTask, TaskQuery } from '../../../ports/task-store.ts'
import { compactLine, longLines } from '../../render/bd/issue.ts'
import { footerLines, treeLines } from '../../render/bd/tree.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { LIST_FLAGS } from '../parts/list-flags.ts'
import { listQuery } from '../parts/list-query.ts'
import { checkMaxRows, refuseArguments, refuseSkippedLabels, refuseTemplates } from '../parts/list-refusals.ts'
import { type ListedShape, listedJson } from '../parts/listed.ts'
import { surroundingsOf } from '../parts/surroundings.ts'

const ON_A_TERMINAL = 50

export const list: BdCommand = {
  name: 'list',
  summary: 'List issues',
  usage: '[flags]',
  about: 'List issues: by default everything that is not closed, as a tree of parents and children.',
  examples: [
    'fleet bd list                              # what is not closed',
    'fleet bd list --status open,in_progress --label ui --flat',
    'fleet bd list --all --json | jq .          # everything, for programs',
  ],
  flags: LIST_FLAGS,
  refused: {
    watch: 'run fleet bd list again, or watch(1)',
    deps: 'fleet bd dep tree <id> shows dependencies',
    offset: 'use --limit, or --json and your own paging',
    'mol-type': 'fleet has no molecules; use --type or --label',
    'wisp-type': 'fleet has no wisps; use --type or --label',
  },
  refusedShort: { w: 'watch' },
  reads: true,
  async run(call) {
    refuseArguments(call.args)
    refuseTemplates(call)
    refuseSkippedLabels(call)
    const query = await listQuery(call)
    const limit = await limitOf(call)
    await checkMaxRows(call, query, limit)
    if (call.json) return await answer(call, { ...query, limit })
    return await print(call, query, limit)
  },
}

async function answer(call: BdCall, query: TaskQuery & { limit: number }): Promise<void> {
  const { flags, store } = call
  const shape: ListedShape = { brief: flags.on('brief'), skipLabels: flags.on('skip-labels') }
  if (shape.skipLabels === true) {
    const issues: unknown[] = []
    for await (const task of store.find(query)) issues.push(listedJson(task, shape))
    call.answer({ issues, meta: { skip_labels: true, count: issues.length } })
  } else await call.answerEach(shaped(store.find(query), shape))
  if (call.terminal.err && query.limit > 0 && (await store.count(query)) > query.limit) hintOfMore(call, query.limit)
}

async function* shaped(tasks: AsyncIterable<ListedTask>, shape: ListedShape): AsyncIterable<unknown> {
  for await (const task of tasks) yield listedJson(task, shape)
}

async function print(call: BdCall, query: TaskQuery, limit: number): Promise<void> {
  const { flags } = call
  const tree = flags.on('pretty') || !(flags.on('flat') || flags.text('tree') === 'false')
  if (tree && query.parent !== undefined && query.ready !== true) return await printFamily(call, query, query.parent)
  const truncated = limit > 0 && (await call.store.count(query)) > limit
  if (tree) printTree(call, await gathered(call, { ...query, limit }), truncated)
  else await printFlat(call, { ...query, limit })
  if (truncated && call.terminal.err) hintOfMore(call, limit)
}

/** Reads and prints a thousand tasks at a time, so that memory stays bounded. */
async function printFlat(call: BdCall, query: TaskQuery & { limit: number }): Promise<void> {
  const { flags, store } = call
  const how = { brief: flags.on('brief'), skipLabels: flags.on('skip-labels') }
  if (flags.on('long')) {
    const total = await store.count(query)
    call.print(`\nFound ${query.limit > 0 ? Math.min(query.limit, total) : total} issues:\n`)
  }
  for await (const tasks of portions(listed(call, query), 1000)) {
    if (flags.on('long')) for (const task of tasks) for (const line of longLines(task, how)) call.print(line)
    else {
      const around = await surroundingsOf(store, tasks)
      for (const task of tasks) call.print(compactLine(task, around(task)))
    }
  }
  noteSkippedLabels(call)
}

async function* portions<T>(values: AsyncIterable<T>, size: number): AsyncIterable<T[]> {
  let portion: T[] = []
  for await (const value of values) {
    portion.push(value)
    if (portion.length < size) continue
    yield portion
    portion = []
  }
  if (portion.length > 0) yield portion
}

/** With --parent the tree shows every level and is never truncated. */
async function printFamily(call: BdCall, query: TaskQuery, parent: string): Promise<void> {
  if (call.flags.on('brief')) {
    throw new BdFailure(
      '--parent with --pretty cannot be combined with --brief; the hierarchical walk is a different query',
      {
        json: 'text',
      },
    )
  }
  const [root] = await gathered(call, { ids: [parent] })
  if (root === undefined) {
    const match = await call.store.resolve(parent)
    const near =
      match.kind === 'unknown' && match.near.length > 0 ? { hint: `did you mean ${match.near.join(' or ')}?` } : {}
    throw new BdFailure(`error checking parent issue: not found: issue ${parent}`, { json: 'text', ...near })
  }
  const below = await gathered(call, { ...query, recursive: true })
  if (below.length === 0) return call.print(`Issue '${parent}' has no children`)
  printTree(call, [root, ...below], false)
}

function printTree(call: BdCall, tasks: readonly ListedTask[], truncated: boolean): void {
  const lines = tasks.length === 0 ? ['No issues found.'] : treeLines(tasks)
  if (tasks.length > 0) lines.push(...footerLines(tasks, { truncated, ready: call.flags.on('ready') }))
  for (const line of lines) call.print(line)
  noteSkippedLabels(call)
}

function noteSkippedLabels({ flags, quiet, print }: BdCall): void {
  if (flags.on('skip-labels') && !quiet) print('\nnote: --skip-labels in effect — labels suppressed in output.')
}

async function gathered(call: BdCall, query: TaskQuery): Promise<ListedTask[]> {
  const tasks: ListedTask[] = []
  for await (const task of listed(call, query)) tasks.push(task)
  return tasks
}

async function* listed({ store, flags }: BdCall, query: TaskQuery): AsyncIterable<ListedTask> {
  for await (const task of store.find(query)) yield flags.on('skip-labels') ? { ...task, labels: [] } : task
}

/** A pipe gets every task; a terminal gets a limited list. A configured limit counts for both. */
async function limitOf(call: BdCall): Promise<number> {
  const { flags, terminal, env } = call
  const given = flags.number('limit')
  if (given !== undefined) return Math.max(0, given)
  if (flags.on('all')) return 0
  return parseLimit(env['BD_LIST_LIMIT']) ?? (await configuredLimit(call)) ?? (terminal.out ? ON_A_TERMINAL : 0)
}

async function configuredLimit({ store: { values } }: BdCall): Promise<number | undefined> {
  return values.costly === true ? undefined : parseLimit(await values.get(LIST_LIMIT))
}

export function hintOfMore(call: BdCall, limit: number): void {
  call.warn(
    `\nShowing ${limit} issues; more results matched but were hidden by --limit. Use --limit 0 for all, or --limit N to raise the cap.`,
  )
}
