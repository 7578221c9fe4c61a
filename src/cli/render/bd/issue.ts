import { SETTINGS_KEY } from '../../../domain/task/settings.ts'
import type { Task } from '../../../domain/task/task.ts'
import { plainLine } from '../../../domain/text/plain.ts'

/** One issue on one line or a few, as bd lays them out for people. */

const ICONS: Readonly<Record<string, string>> = {
  open: '○',
  in_progress: '◐',
  blocked: '●',
  closed: '✓',
  deferred: '❄',
  pinned: '📌',
}

export function statusIcon(status: string): string {
  return ICONS[status] ?? '◇'
}

export const LEGEND = [
  'Status: ○ open  ◐ in_progress  ● blocked  ✓ closed  ❄ deferred',
  'Priority: P0–P4 (label only; not a status icon)',
] as const

export const RULE = '-'.repeat(80)

/** Only what is not ordinary work is named. */
function badge(type: string): string {
  return type === 'epic' || type === 'bug' ? `[${type}] ` : ''
}

/** `○ fleet-a1b P2 [bug] Title` */
export function shortLine(task: Task): string {
  const start = `${statusIcon(task.status)} ${task.id} P${task.priority}`
  const title = plainLine(task.title)
  return task.status === 'closed'
    ? `${start} ${task.issue_type} ${title}`
    : `${start} ${badge(task.issue_type)}${title}`
}

/** Its open blockers, the open tasks it blocks, and its open parent. */
export interface Surroundings {
  readonly parent?: string
  readonly blockedBy: readonly string[]
  readonly blocks: readonly string[]
}

/** `○ fleet-a1b [P2] [task] @bob [ui api] - Title (parent: …, blocked by: …, blocks: …)` */
export function compactLine(task: Task, around: Surroundings): string {
  const held = around.blockedBy.length > 0 && task.status === 'open'
  const pin = task.pinned ? '📌 ' : ''
  return (
    `${statusIcon(held ? 'blocked' : task.status)} ${pin}${task.id} [P${task.priority}] [${task.issue_type}]` +
    `${holder(task)}${labels(task)} - ${plainLine(task.title)}${surroundings(around)}`
  )
}

function surroundings({ parent, blockedBy, blocks }: Surroundings): string {
  const parts = []
  if (parent !== undefined) parts.push(`parent: ${parent}`)
  if (blockedBy.length > 0) parts.push(`blocked by: ${blockedBy.join(', ')}`)
  if (blocks.length > 0) parts.push(`blocks: ${blocks.join(', ')}`)
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

export function holder(task: Task): string {
  return task.assignee === '' ? '' : ` @${plainLine(task.assignee)}`
}

export function labels(task: Task): string {
  return task.labels.length === 0 ? '' : ` [${task.labels.map(plainLine).join(' ')}]`
}

/** A task in `search --long` and `query --long`. */
export function foundLines(task: Task): string[] {
  return [
    `${task.id} [P${task.priority}] [${task.issue_type}] ${task.status}`,
    `  ${plainLine(task.title)}`,
    ...(task.assignee === '' ? [] : [`  Assignee: ${plainLine(task.assignee)}`]),
    ...(task.labels.length === 0 ? [] : [`  Labels:${labels(task)}`]),
    '',
  ]
}

export function longLines(task: Task, how: { brief: boolean; skipLabels: boolean }): string[] {
  const lines = [
    `${task.pinned ? '📌 ' : ''}${task.id} [P${task.priority}] [${task.issue_type}] ${task.status}`,
    `  ${plainLine(task.title)}`,
  ]
  if (task.assignee !== '') lines.push(`  Assignee: ${plainLine(task.assignee)}`)
  const description = task.description.trim()
  if (how.brief) lines.push('  Description: (omitted by --brief)')
  else if (description !== '') lines.push('  Description:', ...description.split('\n').map((line) => `    ${line}`))
  if (how.skipLabels) lines.push('  Labels: (suppressed by --skip-labels)')
  else if (task.labels.length > 0) lines.push(`  Labels:${labels(task)}`)
  // fleet's own settings are in every task; what the user put there is what counts.
  const keys = Object.keys(task.metadata).filter((key) => key !== SETTINGS_KEY).length
  if (keys > 0) lines.push(`  Metadata: ${keys} keys`)
  return [...lines, '']
}
