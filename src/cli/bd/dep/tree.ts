import type { Task } from '../../../domain/task/task.ts'
import { issueJson } from '../../../views/json/issue.ts'
import { mermaidLines, type TreeNode, treeLines } from '../../render/dependency-tree.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { exactly } from '../parts/arguments.ts'
import { resolveSaying } from '../parts/resolve.ts'

export const depTree: BdCommand = {
  name: 'tree',
  summary: 'Show dependency tree',
  usage: '[issue-id] [flags]',
  about: `Show the tree of dependencies of a task; with --direction=up of its dependents, with both of either.

A task reached by two ways is shown once, under the first.`,
  flags: [
    { name: 'direction', kind: 'text', help: "'down' (dependencies), 'up' (dependents), or 'both'" },
    { name: 'format', kind: 'text', help: "'mermaid' for a Mermaid.js flowchart" },
    {
      name: 'max-depth',
      short: 'd',
      kind: 'number',
      default: '50',
      help: 'Maximum tree depth to display',
      aliases: ['depth'],
    },
    { name: 'status', kind: 'text', help: 'Only tasks with this status, and what leads to them' },
    { name: 'reverse', kind: 'switch', help: 'The same as --direction=up', hidden: true },
    { name: 'show-all-paths', kind: 'switch', help: 'Accepted and ignored, as by bd', hidden: true },
  ],
  refused: { 'max-rows': 'use --max-depth or --status' },
  reads: true,
  async run(call) {
    const [typed] = exactly(call, 1) as [string]
    const direction = call.flags.text('direction') || (call.flags.on('reverse') ? 'up' : 'down')
    if (direction !== 'down' && direction !== 'up' && direction !== 'both') {
      throw new BdFailure("--direction must be 'down', 'up', or 'both'")
    }
    const maxDepth = call.flags.number('max-depth') ?? 50
    if (maxDepth < 1) throw new BdFailure('--max-depth must be >= 1')
    const root = await resolveSaying(call, typed, `resolving issue ID ${typed}`)
    const nodes = await walk(call, root, { direction, maxDepth })
    const format = call.flags.text('format')?.toLowerCase()
    if (format === 'mermaid') return call.print(mermaidLines(nodes, typed).join('\n'))
    if (call.json || format === 'json') return call.answer(nodes.map(nodeJson))
    if (nodes.length === 0) return call.print(`\n${root} has no ${NOTHING[direction]}`)
    call.print(`\n🌲 ${HEADINGS[direction]} for ${root}:\n`)
    call.print(`${treeLines(nodes).join('\n')}\n`)
  },
}

type Direction = 'down' | 'up' | 'both'

const NOTHING: Record<Direction, string> = {
  down: 'dependencies',
  up: 'dependents',
  both: 'dependencies or dependents',
}
const HEADINGS: Record<Direction, string> = {
  down: 'Dependency tree',
  up: 'Dependent tree',
  both: 'Full dependency graph',
}

interface Way {
  readonly direction: Direction
  readonly maxDepth: number
}

/** Both directions: tasks above the root, then the root and the tasks below. */
async function walk(call: BdCall, root: string, { direction, maxDepth }: Way): Promise<TreeNode[]> {
  const status = call.flags.text('status') ?? ''
  const one = async (way: 'down' | 'up') => {
    const nodes = await walkOne(call, root, { direction: way, maxDepth })
    return status === '' ? nodes : pruned(nodes, status)
  }
  if (direction !== 'both') return await one(direction)
  const [up, down] = [await one('up'), await one('down')]
  const above = up.filter((node) => node.depth > 0)
  const rootless = down.length === 0 && above.length > 0
  return [...above, ...(rootless ? up.filter((node) => node.depth === 0) : down)]
}

/** Depth first; each task at its first occurrence. Omits links that do not affect the order of work. */
async function walkOne(
  call: BdCall,
  root: string,
  way: { direction: 'down' | 'up'; maxDepth: number },
): Promise<TreeNode[]> {
  const nodes: TreeNode[] = []
  const seen = new Set<string>()
  const pending = [{ id: root, depth: 0, parent: '', edge: '' }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { id, ...place } = next
    if (seen.has(id) || place.depth >= way.maxDepth) continue
    const task = await call.store.get(id)
    if (task === undefined) continue
    seen.add(id)
    nodes.push({ task, ...place })
    const edges = await call.store.edges([id], way.direction)
    for (const edge of edges.toReversed()) {
      if (edge.type === 'relates-to') continue
      const other = way.direction === 'down' ? edge.depends_on_id : edge.issue_id
      pending.push({ id: other, depth: place.depth + 1, parent: id, edge: edge.type })
    }
  }
  return nodes
}

/** The tasks with this status and their paths to the root; empty if there are none. */
function pruned(nodes: readonly TreeNode[], status: Task['status']): TreeNode[] {
  const parents = new Map(nodes.map((node) => [node.task.id, node.parent]))
  const kept = new Set<string>()
  for (const node of nodes) {
    if (node.task.status !== status) continue
    for (
      let id: string | undefined = node.task.id;
      id !== undefined && id !== '' && !kept.has(id);
      id = parents.get(id)
    )
      kept.add(id)
  }
  return nodes.filter((node) => kept.has(node.task.id))
}

function nodeJson({ task, depth, parent, edge }: TreeNode): Record<string, unknown> {
  return {
    ...issueJson(task),
    depth,
    parent_id: parent,
    ...(edge === '' ? {} : { edge_from_parent: edge }),
    truncated: false,
  }
}
