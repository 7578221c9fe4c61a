import { naturalKey } from '../../../domain/task/id.ts'
import type { TaskGraph } from '../../../domain/task/rules/graph-layout.ts'
import type { Task } from '../../../domain/task/task.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import { statusIcon } from './issue.ts'

/** A graph of dependencies as a tree in layers, and as Graphviz reads it; both in bd's form. */

export function graphLines(graph: TaskGraph): string[] {
  const { tasks, layers } = graph
  const children = childrenOf(graph)
  const lines = [
    `\n📊 Dependency graph for ${graph.root} (${tasks.size} issues, ${layers.length} layers)\n`,
    '  Status: ○ open  ◐ in_progress  ● blocked  ✓ closed  ❄ deferred\n',
  ]
  layers.forEach((ids, i) => {
    lines.push(
      `  LAYER ${i}${i === 0 ? ' (ready)' : ''}`,
      ...branches(graph, ids, { children, prefix: '  ', above: [] }),
      '',
    )
  })
  return lines
}

interface Branch {
  readonly children: ReadonlyMap<string, readonly string[]>
  readonly prefix: string
  /** Ends a circle of parents. */
  readonly above: readonly string[]
}

function branches(
  { tasks, ...graph }: TaskGraph,
  ids: readonly string[],
  { children, prefix, above }: Branch,
): string[] {
  return ids.flatMap((id, i) => {
    const task = tasks.get(id)
    if (task === undefined || above.includes(id)) return []
    const last = i === ids.length - 1
    const below = { children, prefix: `${prefix}${last ? '    ' : '│   '}`, above: [...above, id] }
    return [
      `${prefix}${last ? '└── ' : '├── '}${nodeText(task)}`,
      ...branches({ tasks, ...graph }, children.get(id) ?? [], below),
    ]
  })
}

function nodeText(task: Task): string {
  return `${statusIcon(task.status)} ${task.id} P${task.priority} ${shortTitle(task.title, 50)}`
}

/** bd cuts at so many characters, with an ellipsis as the last of them. */
function shortTitle(title: string, most: number): string {
  const characters = [...plainLine(title)]
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`
}

function childrenOf({ edges, tasks }: TaskGraph): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>()
  for (const edge of edges) {
    if (edge.type !== 'parent-child') continue
    const ids = children.get(edge.depends_on_id) ?? []
    ids.push(edge.issue_id)
    children.set(edge.depends_on_id, ids)
  }
  const order = (id: string) => `${tasks.get(id)?.priority ?? 9} ${naturalKey(id)}`
  for (const ids of children.values()) ids.sort((a, b) => (order(a) < order(b) ? -1 : 1))
  return children
}

const COLOURS: Readonly<Record<string, readonly [fill: string, font: string]>> = {
  open: ['#e8f4fd', '#1a1a1a'],
  in_progress: ['#fff3cd', '#664d03'],
  blocked: ['#f8d7da', '#842029'],
  closed: ['#d4edda', '#888888'],
}
const OTHER_COLOURS = ['#e2e3e5', '#41464b'] as const

const EDGES: Readonly<Record<string, string>> = {
  blocks: ' [style=solid, arrowhead=normal]',
  'parent-child': ' [style=dashed, arrowhead=empty, color="#999999"]',
}

export function dotLines({ tasks, edges, layers }: TaskGraph): string[] {
  const node = (id: string): string[] => {
    const task = tasks.get(id)
    if (task === undefined) return []
    const [fill, font] = COLOURS[task.status] ?? OTHER_COLOURS
    const label = `${statusIcon(task.status)} ${task.id}\\nP${task.priority} | ${escaped(shortTitle(task.title, 40))}`
    return [`    "${escaped(id)}" [label="${label}", fillcolor="${fill}", fontcolor="${font}"];`]
  }
  return [
    'digraph beads {',
    '  rankdir=LR;',
    '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11];',
    '  edge [color="#666666"];',
    '',
    ...layers.flatMap((ids, i) => [
      `  subgraph cluster_layer_${i} {`,
      '    style=invis;',
      '    rank=same;',
      ...ids.flatMap(node),
      '  }',
    ]),
    '',
    ...edges.flatMap(({ issue_id, depends_on_id, type }) =>
      EDGES[type] === undefined ? [] : [`  "${escaped(depends_on_id)}" -> "${escaped(issue_id)}"${EDGES[type]};`],
    ),
    '}',
  ]
}

function escaped(text: string): string {
  return text.replace(/[\\"]/g, '\\$&')
}
