import { naturalKey, parentOf } from '../../../domain/task/id.ts'
import type { ListedTask } from '../../../ports/task-store.ts'
import { LEGEND, RULE, shortLine } from './issue.ts'

/** Tasks under their parents, as far as those are in the list too; siblings by priority, then id. */
export function treeLines(tasks: readonly ListedTask[]): string[] {
  const shown = new Set(tasks.map((task) => task.id))
  const roots: ListedTask[] = []
  const below = new Map<string, ListedTask[]>()
  for (const task of tasks) {
    const parent = parentAmong(task, shown)
    const siblings = parent === undefined ? roots : (below.get(parent) ?? [])
    siblings.push(task)
    if (parent !== undefined) below.set(parent, siblings)
  }
  const lines: string[] = []
  const branch = (task: ListedTask, prefix: string): void => {
    const children = ordered(below.get(task.id) ?? [])
    children.forEach((child, i) => {
      const last = i === children.length - 1
      lines.push(`${prefix}${last ? '└── ' : '├── '}${shortLine(child)}`)
      branch(child, `${prefix}${last ? '    ' : '│   '}`)
    })
  }
  for (const root of ordered(roots)) {
    lines.push(shortLine(root))
    branch(root, '')
  }
  return lines
}

/** By its edge, or by the form of its id where it has none. */
function parentAmong(task: ListedTask, shown: ReadonlySet<string>): string | undefined {
  if (task.parent !== '' && shown.has(task.parent)) return task.parent
  const named = parentOf(task.id)
  return named !== undefined && shown.has(named) ? named : undefined
}

function ordered(tasks: readonly ListedTask[]): ListedTask[] {
  return [...tasks].sort((a, b) => a.priority - b.priority || (naturalKey(a.id) < naturalKey(b.id) ? -1 : 1))
}

export interface ListFooter {
  /** Cut off by --limit. */
  readonly truncated: boolean
  /** Only ready tasks were asked for. */
  readonly ready: boolean
}

export function footerLines(tasks: readonly ListedTask[], { truncated, ready }: ListFooter): string[] {
  const count = (status: string) => tasks.filter((task) => task.status === status).length
  return ['', RULE, summary(), '', ...LEGEND]

  function summary(): string {
    const more = truncated ? '; more match (truncated by --limit). Use --limit 0 for all.' : ''
    const scope = '(open only — --ready excludes in_progress)'
    if (ready) {
      return truncated
        ? `Showing ${tasks.length} ready issues ${scope}${more}`
        : `Ready: ${tasks.length} issues with no active blockers ${scope}`
    }
    return `${truncated ? 'Showing' : 'Total:'} ${tasks.length} issues (${count('open')} open, ${count('in_progress')} in progress)${more}`
  }
}
