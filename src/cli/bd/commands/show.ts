import { ambiguity } from '../../../domain/task/ambiguous-id.ts'
import type { Task } from '../../../domain/task/task.ts'
import { detailsJson, neighbourJson } from '../../../views/json/issue-details.ts'
import { type Neighbour, neighboursOf } from '../../../views/neighbours.ts'
import { shortLine } from '../../render/bd/issue.ts'
import { issueLines, neighbourLine, referenceLines } from '../../render/bd/show.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'

export const show: BdCommand = {
  name: 'show',
  aliases: ['view'],
  summary: 'Show issue details',
  usage: '[id...] [--id=<id>...] [--current] [flags]',
  examples: [
    'fleet bd show fleet-a1b',
    'fleet bd show fleet-a1b fleet-c2d --json',
    'fleet bd show fleet-a1b --children',
  ],
  flags: [
    { name: 'id', kind: 'many', help: 'Issue ID (use for IDs that look like flags)' },
    { name: 'current', kind: 'switch', help: 'Show the issue you are working on (in progress or hooked)' },
    { name: 'children', kind: 'switch', help: 'Show only the children of this issue' },
    { name: 'refs', kind: 'switch', help: 'Show issues that reference this issue (reverse lookup)' },
    { name: 'short', kind: 'switch', help: 'Show compact one-line output per issue' },
    { name: 'long', kind: 'switch', help: 'Show all available fields' },
    { name: 'brief-deps', kind: 'switch', help: 'Reduce each dependency to its identity fields (--json only)' },
    { name: 'include-dependents', kind: 'switch', help: 'Include the issues that depend on this one (--json only)' },
    { name: 'include-comments', kind: 'switch', help: 'Include the comments (--json only)' },
  ],
  refused: {
    'as-of': 'the local queue keeps a history of changes, not of versions',
    thread: 'fleet bd show <id> --include-comments --json shows the comments',
    watch: 'run fleet bd show again, or watch(1)',
    'local-time': 'times are UTC; --json and jq convert them',
  },
  refusedShort: { w: 'watch' },
  reads: true,
  async run(call) {
    const ids = await idsOf(call)
    if (call.flags.on('refs')) return await showNeighbours(call, ids, referencesTo)
    if (call.flags.on('children')) return await showNeighbours(call, ids, childrenOf)
    const tasks = await found(call, ids)
    if (call.flags.on('short')) for (const { task } of tasks) call.print(shortLine(task))
    else if (call.json)
      return await answer(
        call,
        tasks.map(({ task }) => task),
      )
    else for (const { task, at } of tasks) await print(call, task, at)
    if (tasks.length === 0) call.fail()
  },
}

async function idsOf(call: BdCall): Promise<readonly string[]> {
  const ids = [...call.args, ...call.flags.all('id')]
  if (call.flags.on('current')) {
    if (ids.length > 0) throw new BdFailure('--current cannot be combined with explicit issue IDs')
    for (const status of ['in_progress', 'hooked']) {
      const mine = { assignee: call.actor, statuses: [status], sort: 'priority', limit: 1 } as const
      for await (const task of call.store.find(mine)) return [task.id]
    }
    throw new BdFailure('no current issue found (no in-progress or hooked issues)')
  }
  if (ids.length > 0) return ids
  throw new BdFailure('at least one issue ID is required (use positional args, --id flag, or --current)')
}

/** The tasks found, with their position among the arguments. Reports the others on stderr and continues. */
async function found(call: BdCall, ids: readonly string[]): Promise<{ task: Task; at: number }[]> {
  const tasks: { task: Task; at: number }[] = []
  for (const [at, id] of ids.entries()) {
    const match = await call.store.resolve(id)
    if (match.kind === 'ambiguous') {
      call.warn(`Error fetching ${id}: ${ambiguity(id, match.ids)}`)
      continue
    }
    const task = match.kind === 'found' ? await call.store.get(match.id) : undefined
    if (task !== undefined) tasks.push({ task, at })
    else {
      const near = match.kind === 'unknown' ? match.near : []
      call.warn(`Issue ${id} not found`)
      call.warn(
        `Hint: ${near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'fleet bd list --all shows every issue'}`,
      )
    }
  }
  return tasks
}

async function answer(call: BdCall, tasks: readonly Task[]): Promise<void> {
  if (tasks.length === 0) {
    throw new BdFailure('no issues found matching the provided IDs', {
      hint: 'fleet bd list --all --json shows every issue',
    })
  }
  const shape = {
    briefDeps: call.flags.on('brief-deps'),
    dependents: call.flags.on('include-dependents'),
    comments: call.flags.on('include-comments'),
  }
  call.answer(await Promise.all(tasks.map((task) => detailsJson(call.store, task, shape))))
}

async function print(call: BdCall, task: Task, at: number): Promise<void> {
  const { store } = call
  const [down, up] = [await neighboursOf(store, task.id, 'down'), await neighboursOf(store, task.id, 'up')]
  if (at > 0) call.print(`\n${'─'.repeat(60)}\n`)
  const lines = issueLines({ task, down, up, comments: await store.comments(task.id) }, { long: call.flags.on('long') })
  for (const line of lines) call.print(line)
}

type View = (
  call: BdCall,
  id: string,
  up: readonly Neighbour[],
) => { neighbours: readonly Neighbour[]; lines: readonly string[] }

/** With these flags bd reports what it could not find and still exits 0. */
async function showNeighbours(call: BdCall, ids: readonly string[], view: View): Promise<void> {
  const views: (readonly [id: string, ReturnType<View>])[] = []
  for (const text of ids) {
    const match = await call.store.resolve(text)
    if (match.kind === 'found')
      views.push([match.id, view(call, match.id, await neighboursOf(call.store, match.id, 'up'))])
    else {
      const why =
        match.kind === 'ambiguous' ? ambiguity(text, match.ids) : `no issue found matching ${JSON.stringify(text)}`
      call.warn(`Error resolving ${text}: ${why}`)
    }
  }
  if (call.json) {
    return call.answer(Object.fromEntries(views.map(([id, { neighbours }]) => [id, neighbours.map(neighbourJson)])))
  }
  for (const [, { lines }] of views) for (const line of lines) call.print(line)
}

const referencesTo: View = (_, id, up) => ({ neighbours: up, lines: referenceLines(id, up) })

const childrenOf: View = (call, id, up) => {
  const neighbours = up.filter((each) => each.type === 'parent-child')
  if (neighbours.length === 0) return { neighbours, lines: [`${id}: No children found`] }
  const line = ({ task }: Neighbour) => (call.flags.on('short') ? `  ${shortLine(task)}` : neighbourLine('↳', task))
  return { neighbours, lines: [`↳ Children of ${id} (${neighbours.length}):`, ...neighbours.map(line), ''] }
}
