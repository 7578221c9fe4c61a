import type { Task } from '../../domain/task/task.ts'
import { plainLine } from '../../domain/text/plain.ts'

/** A task where a walk along the dependencies met it first. */
export interface TreeNode {
  readonly task: Task
  readonly depth: number
  /** '' for the root. */
  readonly parent: string
  /** The type of the edge from the parent; '' for the root. */
  readonly edge: string
}

/** The lines of the tree, root first. */
export function treeLines(nodes: readonly TreeNode[]): string[] {
  const children = grouped(nodes)
  const root = nodes.find((node) => node.depth === 0) ?? nodes[0]
  if (root === undefined) return []
  const lines: string[] = []
  const seen = new Set<string>()
  const goesOn: boolean[] = []
  const pending: { node: TreeNode; depth: number; last: boolean }[] = [{ node: root, depth: 0, last: true }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, depth, last } = next
    // As bd draws it: the line to the next sibling stands in a node's own row, and the root's children have none.
    if (depth > 1) goesOn[depth - 1] = !last
    const indent = Array.from({ length: depth }, (_, i) => (goesOn[i] === true ? '│   ' : '    ')).join('')
    const prefix = depth === 0 ? '' : `${indent}${last ? '└── ' : '├── '}`
    if (seen.has(node.task.id)) {
      lines.push(`${prefix}${node.task.id} (shown above)`)
      continue
    }
    seen.add(node.task.id)
    lines.push(`${prefix}${nodeText(node, children.get(root.task.id) ?? [])}`)
    const below = children.get(node.task.id) ?? []
    for (let i = below.length - 1; i >= 0; i--) {
      pending.push({ node: below[i] as TreeNode, depth: depth + 1, last: i === below.length - 1 })
    }
  }
  return lines
}

function grouped(nodes: readonly TreeNode[]): Map<string, TreeNode[]> {
  const children = new Map<string, TreeNode[]>()
  for (const node of nodes) {
    if (node.depth === 0) continue
    const siblings = children.get(node.parent)
    if (siblings === undefined) children.set(node.parent, [node])
    else siblings.push(node)
  }
  return children
}

const HOLDING = new Set(['blocks', 'conditional-blocks', 'waits-for'])

function nodeText({ task, depth, edge }: TreeNode, belowRoot: readonly TreeNode[]): string {
  const text = `${task.id}: ${plainLine(task.title)} [P${task.priority}] (${task.status})`
  if (depth > 0) return edge === '' ? text : `${text} [${edge}]`
  if (task.status !== 'open') return text
  const blocked = belowRoot.some(
    ({ task, edge }) => HOLDING.has(edge) && (task.status === 'open' || task.status === 'in_progress'),
  )
  return `${text} ${blocked ? '[BLOCKED]' : '[READY]'}`
}

const SYMBOLS: Readonly<Record<string, string>> = {
  open: '☐',
  in_progress: '◧',
  blocked: '⚠',
  deferred: '❄',
  closed: '☑',
}

/** A flowchart for Mermaid.js. */
export function mermaidLines(nodes: readonly TreeNode[], typed: string): string[] {
  if (nodes.length === 0) return ['flowchart TD', `  ${typed}["No dependencies"]`]
  const boxes = new Map<string, string>()
  for (const { task } of nodes) {
    const label = `${SYMBOLS[task.status] ?? '?'} ${task.id}: ${plainLine(task.title)}`
      .replaceAll('\\', '\\\\')
      .replaceAll('"', '\\"')
    boxes.set(task.id, `  ${task.id}["${label}"]`)
  }
  const arrows = nodes.filter((node) => node.parent !== '').map((node) => `  ${node.parent} --> ${node.task.id}`)
  return ['flowchart TD', ...boxes.values(), '', ...arrows]
}
