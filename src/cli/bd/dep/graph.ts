import type { Dependency } from '../../../domain/task/dependency.ts'
import { layOut, type TaskGraph } from '../../../domain/task/rules/graph-layout.ts'
import type { Task } from '../../../domain/task/task.ts'
import type { TaskStore } from '../../../ports/task-store.ts'
import { issueJson } from '../../../views/json/issue.ts'
import { dotLines, graphLines } from '../../render/bd/graph.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { atMost } from '../parts/arguments.ts'
import { hintOf } from '../parts/resolve.ts'
import { findCycles } from './cycles.ts'

const check: BdCommand = {
  name: 'check',
  summary: 'Check dependency graph integrity',
  usage: '[flags]',
  about: 'Look for dependencies in a circle. Exit 1 if there are any.',
  flags: [],
  reads: true,
  async run(call) {
    const cycles = await findCycles(call)
    if (call.json) {
      call.answer({
        clean: cycles.length === 0,
        cycles: cycles.length === 0 ? null : cycles,
        summary: { cycle_count: cycles.length },
      })
    } else if (cycles.length === 0) call.print('\n✓ Graph integrity check passed\n\n  ✓ No dependency cycles\n')
    else {
      call.print(`\n✗ Graph integrity check failed\n\n  ✗ ${cycles.length} dependency cycle(s):`)
      for (const ids of cycles) call.print(`    ${ids.join(' → ')}`)
      call.print('')
    }
    if (cycles.length > 0) call.fail()
  },
}

export const graph: BdCommand = {
  name: 'graph',
  summary: 'Display issue dependency graph',
  usage: '[issue-id] [flags]',
  about: `Show everything that is connected with an issue, in the order in which it can be done: what stands in layer 0 waits
for nothing, and each layer waits for the ones before it. With --all, every group of open issues that hang together.`,
  examples: ['fleet bd graph fleet-a1b', 'fleet bd graph fleet-a1b --dot | dot -Tsvg > graph.svg'],
  flags: [
    { name: 'all', kind: 'switch', help: 'Show graph for all open issues' },
    { name: 'compact', kind: 'switch', help: 'Tree format, one line per issue (always so here)' },
    { name: 'dot', kind: 'switch', help: 'Output Graphviz DOT format (pipe to: dot -Tsvg > graph.svg)' },
    { name: 'open', kind: 'switch', help: 'Show only open issues (without closed and deferred ones)' },
  ],
  refused: {
    box: 'leave it out for a tree in layers, or use --dot and Graphviz for a picture',
    html: 'use --dot: dot -Tsvg makes a picture that a browser shows',
    'max-rows': 'use --open, or name an issue',
  },
  subcommands: [check],
  reads: true,
  async run(call) {
    const [typed] = atMost(call, 1)
    const all = call.flags.on('all')
    if (typed === undefined && !all) throw new BdFailure('issue ID required', { hint: 'Use --all for all open issues' })
    const graphs = all ? await components(call) : [await around(call, typed ?? '')]
    const shown = call.flags.on('open') ? graphs.map(onlyOpen).filter((each) => each.tasks.size > 0) : graphs
    if (shown.length === 0) return call.print(all ? 'No open issues found' : 'No open issues in subgraph')
    if (call.json) {
      const [first] = shown
      return call.answer(all || first === undefined ? shown.map(graphJson) : graphJson(first))
    }
    shown.forEach((each, i) => {
      for (const line of call.flags.on('dot') ? dotLines(each) : graphLines(each)) call.print(line)
      if (!call.flags.on('dot') && i < shown.length - 1) call.print('─'.repeat(60))
    })
  },
}

/** Everything that any chain of edges joins to the issue. */
async function around(call: BdCall, typed: string): Promise<TaskGraph> {
  const match = await call.store.resolve(typed)
  if (match.kind !== 'found') {
    throw new BdFailure(`issue '${typed}' not found`, match.kind === 'unknown' ? hintOf(match.near) : {})
  }
  const ids = await connected(call.store, match.id)
  return await graphOf(call.store, match.id, ids)
}

async function connected(store: TaskStore, root: string): Promise<readonly string[]> {
  const seen = new Set([root])
  for (let edge = [root]; edge.length > 0; ) {
    const around = [...(await store.edges(edge, 'up')), ...(await store.edges(edge, 'down'))]
    const next = new Set(around.flatMap((each) => [each.issue_id, each.depends_on_id]).filter((id) => !seen.has(id)))
    for (const id of next) seen.add(id)
    edge = [...next]
  }
  return [...seen]
}

async function graphOf(store: TaskStore, root: string, ids: readonly string[]): Promise<TaskGraph> {
  const tasks: Task[] = []
  for await (const task of store.find({ ids, includeEphemeral: true })) tasks.push(task)
  const edges = await store.edges(
    tasks.map((task) => task.id),
    'down',
  )
  return layOut(
    root,
    [tasks.find((task) => task.id === root), ...tasks].flatMap((task) => task ?? []),
    edges,
  )
}

const UNDONE = ['open', 'in_progress', 'blocked']

/** The largest groups first; lone issues last, as in bd. */
async function components(call: BdCall): Promise<TaskGraph[]> {
  const tasks = new Map<string, Task>()
  for await (const task of call.store.find({ statuses: UNDONE, sort: 'priority' })) tasks.set(task.id, task)
  const edges = (await call.store.edges([...tasks.keys()], 'down')).filter((edge) => tasks.has(edge.depends_on_id))
  const near = new Map<string, string[]>([...tasks.keys()].map((id) => [id, []]))
  for (const { issue_id, depends_on_id } of edges) {
    near.get(issue_id)?.push(depends_on_id)
    near.get(depends_on_id)?.push(issue_id)
  }
  const seen = new Set<string>()
  const groups: string[][] = []
  for (const start of tasks.keys()) {
    if (seen.has(start)) continue
    const group: string[] = []
    const pending = [start]
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      if (seen.has(id)) continue
      seen.add(id)
      group.push(id)
      pending.push(...(near.get(id) ?? []))
    }
    groups.push(group)
  }
  groups.sort((a, b) => b.length - a.length)
  return groups.map((ids) => component(ids, tasks, edges))
}

function component(ids: readonly string[], tasks: ReadonlyMap<string, Task>, edges: readonly Dependency[]): TaskGraph {
  return layOut(
    ids[0] ?? '',
    ids.flatMap((id) => tasks.get(id) ?? []),
    edges,
  )
}

function onlyOpen(graph: TaskGraph): TaskGraph {
  const open = [...graph.tasks.values()].filter(({ status }) => UNDONE.includes(status))
  return layOut(graph.root, open, graph.edges)
}

/** bd's names: the layout's are Go's own. */
function graphJson({ root, tasks, edges, layers }: TaskGraph): Record<string, unknown> {
  const nodes = layers.flatMap((ids, layer) =>
    ids.map((id, position) => {
      const blockers = edges.filter((edge) => edge.issue_id === id && edge.type === 'blocks')
      const task = tasks.get(id) as Task
      const DependsOn = blockers.length === 0 ? null : blockers.map((edge) => edge.depends_on_id)
      return [id, { Issue: issueJson(task), Layer: layer, Position: position, DependsOn }] as const
    }),
  )
  const first = tasks.get(root)
  return {
    root: first === undefined ? null : issueJson(first),
    issues: [...tasks.values()].map(issueJson),
    layout: { Nodes: Object.fromEntries(nodes), Layers: layers, MaxLayer: layers.length - 1, RootID: root },
  }
}
