import type { Comment } from '../../../domain/task/comment.ts'
import type { Task } from '../../../domain/task/task.ts'
import { plain, plainLine } from '../../../domain/text/plain.ts'
import type { Neighbour } from '../../../views/neighbours.ts'
import { statusIcon } from './issue.ts'
import { byRelation, isRelated, relationOf } from './relation.ts'

/** Everything about one issue, in bd's layout. Text is printed as it was written: markdown is readable without rendering. */
export interface ShownIssue {
  readonly task: Task
  readonly down: readonly Neighbour[]
  readonly up: readonly Neighbour[]
  readonly comments: readonly Comment[]
}

export function issueLines(shown: ShownIssue, how: { long: boolean }): string[] {
  const { task } = shown
  return [
    ...headerLines(task),
    ...(task.description === '' ? ['', 'DESCRIPTION', '  (none)'] : body('DESCRIPTION', task.description)),
    ...body('DESIGN', task.design),
    ...body('NOTES', task.notes),
    ...body('ACCEPTANCE CRITERIA', task.acceptance_criteria),
    ...(task.labels.length === 0 ? [] : ['', `LABELS: ${task.labels.map(plainLine).join(', ')}`]),
    ...metadataLines(task),
    ...relationLines(shown),
    ...commentLines(shown.comments),
    ...(how.long ? extendedLines(task) : []),
    '',
  ]
}

const WIDTH = 80

function headerLines(task: Task): string[] {
  const kind = task.issue_type === 'epic' || task.issue_type === 'bug' ? ` [${task.issue_type.toUpperCase()}]` : ''
  const reason = plain(task.close_reason.trim())
  const short = !/[\n\r]/.test(reason) && `Close reason: ${reason}`.length <= WIDTH
  return [
    `${statusIcon(task.status)} ${task.id}${kind} · ${plainLine(task.title)}   [P${task.priority} · ${task.status.toUpperCase()}]`,
    joined(['Created by', task.created_by], ['Assignee', task.assignee], ['Type', task.issue_type]),
    joined(
      ['Created', day(task.created_at)],
      ['Started', day(task.started_at)],
      ['Updated', day(task.updated_at)],
      ['Due', localDay(task.due_at)],
      ['Deferred', localDay(task.defer_until)],
    ),
    ...(task.status === 'closed' && reason !== '' && short ? [`Close reason: ${reason}`] : []),
    ...(task.external_ref === null || task.external_ref === '' ? [] : [`External: ${plainLine(task.external_ref)}`]),
    ...(task.spec_id === '' ? [] : [`Spec: ${plainLine(task.spec_id)}`]),
    ...(task.status === 'closed' && !short ? ['', 'CLOSE REASON', '', ...indented(reason, 2)] : []),
  ]
}

function joined(...parts: readonly (readonly [name: string, value: string])[]): string {
  return parts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${plainLine(value)}`)
    .join(' · ')
}

function day(time: string | null): string {
  return time === null ? '' : time.slice(0, 10)
}

/** A date that a person chose is meant in that person's time zone; the dates that fleet recorded are in UTC, as in bd. */
function localDay(time: string | null): string {
  if (time === null) return ''
  const at = new Date(time)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

function indented(text: string, by: number): string[] {
  return plain(text.trimEnd())
    .split('\n')
    .map((line) => (line === '' ? '' : `${' '.repeat(by)}${line}`))
}

function body(heading: string, text: string): string[] {
  return text === '' ? [] : ['', heading, '', ...indented(text, 2), '', '']
}

function metadataLines({ metadata }: Task): string[] {
  const keys = Object.keys(metadata).sort()
  const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  return keys.length === 0 ? [] : ['', 'METADATA', ...keys.map((key) => `  ${key}: ${plainLine(shown(metadata[key]))}`)]
}

function relationLines({ task, down, up }: ShownIssue): string[] {
  const lines: string[] = []
  const directed = (neighbours: readonly Neighbour[]) =>
    byRelation(
      neighbours.filter((each) => !isRelated(each.type)),
      (each) => each.type,
    )
  for (const { type, edges } of directed(down)) {
    lines.push('', relationOf(type).down, ...edges.map((edge) => neighbourLine(relationOf(type).downGlyph, edge.task)))
  }
  for (const { type, edges } of directed(up)) {
    lines.push('', relationOf(type).up, ...edges.map((edge) => neighbourLine(relationOf(type).upGlyph, edge.task)))
    if (type === 'parent-child' && task.issue_type === 'epic') lines.push(progressLine(edges))
  }
  const related = new Map([...down, ...up].filter((each) => isRelated(each.type)).map(({ task }) => [task.id, task]))
  if (related.size > 0) {
    const ids = [...related.keys()].sort()
    lines.push('', 'RELATED', ...ids.map((id) => neighbourLine('↔', related.get(id) as Task)))
  }
  return lines
}

/** `  → ○ fleet-a1b: (BUG) Title P2` */
export function neighbourLine(glyph: string, task: Task): string {
  const notable = task.status !== 'closed' && (task.issue_type === 'epic' || task.issue_type === 'bug')
  const kind = notable ? `(${task.issue_type.toUpperCase()}) ` : ''
  return `  ${glyph} ${statusIcon(task.status)} ${task.id}: ${kind}${plainLine(task.title)} P${task.priority}`
}

function progressLine(children: readonly Neighbour[]): string {
  const closed = children.filter(({ task }) => task.status === 'closed').length
  const percent = Math.floor((closed * 100) / children.length)
  const done = closed === children.length
  return `  ${done ? '✓' : '◐'} ${closed}/${children.length} complete (${percent}%)${done ? ' — eligible for close' : ''}`
}

function commentLines(comments: readonly Comment[]): string[] {
  if (comments.length === 0) return []
  const lines = ['', 'COMMENTS']
  for (const { author, created_at, text } of comments) {
    lines.push(`  ${created_at.slice(0, 16).replace('T', ' ')} ${plainLine(author)}`, '', ...indented(text, 6))
  }
  return lines
}

function extendedLines(task: Task): string[] {
  const carried = (field: string) => (typeof task.extra[field] === 'string' ? task.extra[field] : '')
  const facts: readonly (readonly [string, string])[] = [
    ['Closed at', task.closed_at === null ? '' : task.closed_at.slice(0, 16).replace('T', ' ')],
    ['Closed by session', task.closed_by_session],
    ['Estimated', task.estimated_minutes === null ? '' : `${task.estimated_minutes} minutes`],
    ['Source system', carried('source_system')],
    ['Sender', carried('sender')],
    ['Ephemeral', task.ephemeral ? 'yes' : ''],
    ['Pinned', task.pinned ? 'yes' : ''],
    ['Template', task.is_template ? 'yes' : ''],
    ['Mol type', carried('mol_type')],
    ['Work type', carried('work_type')],
  ]
  const lines = facts.filter(([, value]) => value !== '').map(([name, value]) => `  ${name}: ${plainLine(value)}`)
  return lines.length === 0 ? [] : ['', 'EXTENDED DETAILS', ...lines]
}

const REFERENCE_GLYPHS: Readonly<Record<string, string>> = {
  until: '⏳',
  'caused-by': '⚡',
  validates: '✅',
  blocks: '🚫',
  'parent-child': '↳',
  related: '↔',
  tracks: '👁',
  'discovered-from': '◊',
  supersedes: '⬆',
  duplicates: '🔄',
  'replies-to': '💬',
  'approved-by': '👍',
  'authored-by': '✏',
  'assigned-to': '👤',
}

/** The issues that point at this one, by type of edge. */
export function referenceLines(id: string, up: readonly Neighbour[]): string[] {
  if (up.length === 0) return ['', `${id}: No references found`]
  const lines = ['', `📎 References to ${id}:`]
  for (const { type, edges } of byRelation(up, (each) => each.type)) {
    lines.push('', `  ${REFERENCE_GLYPHS[type] ?? '→'} ${relationOf(type).up} (${edges.length}):`)
    for (const { task } of edges)
      lines.push(`    ${task.id}: ${plainLine(task.title)} [P${task.priority} - ${task.status}]`)
  }
  return [...lines, '']
}
