import { isObject } from '../../domain/task/settings.ts'
import type { Metadata, Task } from '../../domain/task/task.ts'
import { AppError } from '../../errors.ts'
import type { NextStep } from '../../ports/queue.ts'
import type { TaskChange } from '../../ports/task-store.ts'
import type { BdCommand } from './bd.ts'

/** fleet's writes as argument lists and `bd batch` scripts. Pure. Texts are passed as `--flag=text`, so that none is read as a flag. */

/** Claims several tasks; bd's answer shows which of them it granted. */
export function claimCommand(ids: readonly string[], by: string): BdCommand {
  return { argv: ['update', ...ids, '--claim'], by }
}

/** One bd transaction that skips bd's own ownership rules: fleet has already decided. */
function batch(lines: readonly string[], by: string): BdCommand {
  return { argv: ['batch'], input: `${lines.join('\n')}\n`, by }
}

export function releaseCommand(ids: readonly string[], by: string): BdCommand {
  return batch(
    ids.map((id) => `update ${id} status=open assignee=`),
    by,
  )
}

/** After an agent closed its own task: without this, bd would keep the agent's close reason and refuse guarded updates. */
export function restoreClaimCommand(id: string, by: string): BdCommand {
  return batch([`update ${id} status=in_progress assignee=${quoted(by)}`], by)
}

/** `bd batch` has one line per command, so a reason of several lines goes through `bd close`. */
export function closeCommands(id: string, how: { reason: string; assignee: string; by: string }): readonly BdCommand[] {
  const { reason, assignee, by } = how
  const named = `update ${id} assignee=${quoted(assignee)}`
  if (!/[\r\n]/.test(reason)) return [batch([`close ${id} ${quoted(reason)}`, named], by)]
  return [{ argv: ['close', id, '--force', '--reason-file=-'], input: reason, by }, batch([named], by)]
}

function quoted(text: string): string {
  return text === '' ? '' : `"${text.replace(/[\\"]/g, '\\$&')}"`
}

export function reopenCommand(id: string, { reason, by }: { reason: string; by: string }): BdCommand {
  return { argv: ['reopen', id, ...(reason === '' ? [] : [`--reason=${reason}`])], by }
}

export interface Settling {
  readonly id: string
  readonly by: string
  /** bd supports updates that apply only while the claim holds. */
  readonly guards: boolean
}

export function settleCommands(next: NextStep, { id, by, guards }: Settling): readonly BdCommand[] {
  if (next.to === 'closed') return closeCommands(id, { reason: next.reason, assignee: '', by })
  const guarded = guards ? ['--if-status=in_progress', `--if-assignee=${by}`] : []
  return [{ argv: ['update', id, ...statusFlags(next), ...guarded], by }]
}

/** The same for a task that the claim left blocked. */
export function settleBlockedCommands(
  next: NextStep,
  { id, by, guards, remove }: Settling & { remove: readonly string[] },
): readonly BdCommand[] {
  const unlabel = remove.map((label) => `--remove-label=${label}`)
  if (next.to === 'closed') {
    const close = closeCommands(id, { reason: next.reason, assignee: '', by })
    return unlabel.length === 0 ? close : [...close, { argv: ['update', id, ...unlabel], by }]
  }
  const guarded = guards ? ['--if-status=blocked'] : []
  return [{ argv: ['update', id, ...statusFlags(next), ...guarded, ...unlabel], by }]
}

function statusFlags(next: Exclude<NextStep, { to: 'closed' }>): readonly string[] {
  const argv = [`--status=${next.to}`, '--assignee=']
  if (next.to === 'blocked') {
    if (next.notes !== undefined && next.notes !== '') argv.push(`--append-notes=${next.notes}`)
    for (const label of next.addLabels ?? []) argv.push(`--add-label=${label}`)
  }
  if (next.to === 'deferred') argv.push(`--defer=${next.until}`)
  return argv
}

type Text = 'title' | 'description' | 'design' | 'acceptance_criteria' | 'notes' | 'spec_id' | 'external_ref'

const TEXT_FLAGS: Readonly<Record<Text, string>> = {
  title: 'title',
  description: 'description',
  design: 'design',
  acceptance_criteria: 'acceptance',
  notes: 'notes',
  spec_id: 'spec-id',
  external_ref: 'external-ref',
}

const SERVED = new Set<keyof TaskChange>([
  ...(Object.keys(TEXT_FLAGS) as Text[]),
  'status',
  'assignee',
  'priority',
  'issue_type',
  'estimated_minutes',
  'due_at',
  'defer_until',
  'appendNotes',
  'metadata',
  'addLabels',
  'removeLabels',
  'setLabels',
  'parent',
])

/** `task`: after the change. */
export function changeCommands(
  change: TaskChange,
  { before, task, by, force }: { before: Task; task: Task; by: string; force: boolean },
): readonly BdCommand[] {
  const { id } = task
  const unsupported = (Object.keys(change) as (keyof TaskChange)[]).find((key) => !SERVED.has(key))
  if (unsupported !== undefined) throw new AppError('unsupported', `bd has no way to change ${unsupported} of ${id}`)
  if (task.status === 'closed' && before.status !== 'closed') {
    return closeCommands(id, { reason: task.close_reason || 'Closed', assignee: task.assignee, by })
  }
  const argv = ['update', id]
  for (const [field, flag] of Object.entries(TEXT_FLAGS) as [Text, string][]) {
    const value = change[field]
    if (value !== undefined) argv.push(`--${flag}=${value ?? ''}`)
  }
  if (change.appendNotes !== undefined) argv.push(`--append-notes=${change.appendNotes}`)
  if (task.status !== before.status) argv.push(`--status=${task.status}`)
  if (task.assignee !== before.assignee) argv.push(`--assignee=${task.assignee}`)
  if (change.priority !== undefined) argv.push(`--priority=${change.priority}`)
  if (change.issue_type !== undefined) argv.push(`--type=${change.issue_type}`)
  if (change.estimated_minutes !== undefined) argv.push(`--estimate=${change.estimated_minutes ?? 0}`)
  if (change.due_at !== undefined) argv.push(`--due=${change.due_at ?? ''}`)
  if (change.defer_until !== undefined) argv.push(`--defer=${change.defer_until ?? ''}`)
  if (change.metadata !== undefined) argv.push(...metadataFlags(before.metadata, task.metadata))
  for (const label of change.addLabels ?? []) argv.push(`--add-label=${label}`)
  for (const label of change.removeLabels ?? []) argv.push(`--remove-label=${label}`)
  for (const label of change.setLabels ?? []) argv.push(`--set-labels=${label}`)
  if (change.parent !== undefined) argv.push(`--parent=${change.parent}`)
  if (argv.length === 2) return []
  if (force) argv.push('--force')
  return [{ argv, by }]
}

/** bd merges metadata by top-level key, so only keys that differ are sent. */
function metadataFlags(before: Metadata, after: Metadata): readonly string[] {
  const differs = (key: string): boolean => JSON.stringify(before[key]) !== JSON.stringify(after[key])
  const set = Object.fromEntries(Object.entries(after).filter(([key]) => differs(key)))
  const gone = Object.keys(before).filter((key) => !(key in after))
  return [
    ...(Object.keys(set).length === 0 ? [] : [`--metadata=${JSON.stringify(set)}`]),
    ...gone.map((key) => `--unset-metadata=${key}`),
  ]
}

/** The tasks that bd's answer shows as claimed by this claimer. */
export function grantedIn(answers: readonly Readonly<Record<string, unknown>>[], by: string): ReadonlySet<string> {
  const granted = answers.filter(
    (each) => isObject(each) && each['status'] === 'in_progress' && each['assignee'] === by,
  )
  return new Set(granted.map((each) => String(each['id'])))
}
