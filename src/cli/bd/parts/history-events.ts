import type { HistoryEntry } from '../../../domain/task/history.ts'
import type { Version } from '../../../domain/task/versions.ts'
import { plainLine, printableJson } from '../../../domain/text/plain.ts'
import { issueJson } from '../../../views/json/issue.ts'

interface Told {
  readonly old?: string
  readonly new?: string
  readonly comment?: string
}

/** A change in the form of bd's audit events: the issue before, and the changed fields. */
export function eventJson(version: Version): Record<string, unknown> {
  const { entry } = version
  const told = toldOf(version)
  return {
    id: String(entry.seq),
    issue_id: entry.task,
    event_type: typeOf(entry),
    actor: entry.actor,
    ...(told.comment === undefined
      ? { old_value: told.old ?? '', new_value: told.new ?? '' }
      : { comment: told.comment }),
    created_at: entry.at,
  }
}

export function eventLines(version: Version): string[] {
  const { entry } = version
  const told = toldOf(version)
  const lines = [`${entry.at.slice(0, 19).replace('T', ' ')} ${typeOf(entry)} by ${plainLine(entry.actor)}`]
  if (told.old) lines.push(`  Old: ${plainLine(told.old)}`)
  if (told.new) lines.push(`  New: ${plainLine(told.new)}`)
  if (told.comment) lines.push(`  Comment: ${plainLine(told.comment)}`)
  return lines
}

function typeOf({ kind, changes }: HistoryEntry): string {
  return kind === 'updated' && changes['status'] !== undefined ? 'status_changed' : kind
}

function toldOf({ entry, before }: Version): Told {
  const { kind, changes, task } = entry
  const [type = '', [was, is] = [null, null]] = Object.entries(changes)[0] ?? []
  switch (kind) {
    case 'label_added':
      return { comment: `Added label: ${is}` }
    case 'label_removed':
      return { comment: `Removed label: ${was}` }
    case 'dependency_added':
      return { new: `Added dependency: ${task} ${type} ${is}` }
    case 'dependency_removed':
      return { new: `Removed dependency on ${was}` }
    case 'closed':
      return { new: text(changes['close_reason']) }
    case 'reopened':
      return { new: text(changes['reason']) }
    case 'created':
    case 'imported':
    case 'deleted':
    case 'commented':
      return {}
    case 'updated':
    case 'claimed':
    case 'released': {
      const names = Object.keys(changes).sort()
      const next = Object.fromEntries(names.map((name) => [name, changes[name]?.[1]]))
      return {
        ...(before === undefined ? {} : { old: printableJson(issueJson(before)) }),
        ...(names.length === 0 ? {} : { new: printableJson(next) }),
      }
    }
  }
}

function text(change: readonly [unknown, unknown] | undefined): string {
  return typeof change?.[1] === 'string' ? change[1] : ''
}
