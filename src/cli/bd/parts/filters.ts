import { rfc3339 } from '../../../domain/task/time.ts'
import { parseTimeExpression } from '../../../domain/task/time-expression.ts'
import { ownEntry } from '../../../domain/text/own-entry.ts'
import type { TaskFilter } from '../../../ports/task-store.ts'
import type { Flag } from '../../flags.ts'
import { type BdCall, BdFailure } from '../command.ts'
import { isKnownType } from './configured.ts'

/** The filter flags that list, ready, search, count and blocked share, and the TaskFilter they make. */

/** Where an error goes with --json. bd differs from command to command, and scripts rely on it. */
export interface Mistakes {
  readonly time: 'text' | 'stdout'
  readonly metadata: 'text' | 'stdout'
}

export const LABEL_FLAGS: readonly Flag[] = [
  {
    name: 'label',
    short: 'l',
    kind: 'list',
    help: 'Filter by labels (AND: must have ALL). Can combine with --label-any',
  },
  { name: 'label-any', kind: 'list', help: 'Filter by labels (OR: must have AT LEAST ONE). Can combine with --label' },
]

export const EXCLUDE_LABEL_FLAG: Flag = {
  name: 'exclude-label',
  kind: 'list',
  help: 'Exclude issues that have ANY of these labels',
}

export const LABEL_PATTERN_FLAGS: readonly Flag[] = [
  {
    name: 'label-pattern',
    kind: 'text',
    help: "Filter by label glob pattern (e.g., 'tech-*' matches tech-debt, tech-legacy)",
  },
  { name: 'label-regex', kind: 'text', help: "Filter by label regex pattern (e.g., 'tech-(debt|legacy)')" },
]

export const METADATA_FLAGS: readonly Flag[] = [
  { name: 'metadata-field', kind: 'many', help: 'Filter by metadata field (key=value, repeatable)' },
  { name: 'has-metadata-key', kind: 'text', help: 'Filter issues that have this metadata key set' },
]

export const TEXT_FLAGS: readonly Flag[] = [
  { name: 'desc-contains', kind: 'text', help: 'Filter by description substring (case-insensitive)' },
  { name: 'notes-contains', kind: 'text', help: 'Filter by notes substring (case-insensitive)' },
  { name: 'empty-description', kind: 'switch', help: 'Filter issues with empty or missing description' },
  { name: 'no-assignee', kind: 'switch', help: 'Filter issues with no assignee' },
  { name: 'no-labels', kind: 'switch', help: 'Filter issues with no labels' },
]

export const DATE_FLAGS: readonly Flag[] = ['created', 'updated', 'closed'].flatMap((event): Flag[] => [
  { name: `${event}-after`, kind: 'text', help: `Filter issues ${event} after date (YYYY-MM-DD or RFC3339)` },
  { name: `${event}-before`, kind: 'text', help: `Filter issues ${event} before date (YYYY-MM-DD or RFC3339)` },
])

const MOMENTS = {
  'created-after': 'createdAfter',
  'created-before': 'createdBefore',
  'updated-after': 'updatedAfter',
  'updated-before': 'updatedBefore',
  'closed-after': 'closedAfter',
  'closed-before': 'closedBefore',
  'defer-after': 'deferAfter',
  'defer-before': 'deferBefore',
  'due-after': 'dueAfter',
  'due-before': 'dueBefore',
} as const satisfies Record<string, keyof TaskFilter>

const TEXTS = {
  'title-contains': 'titleContains',
  'desc-contains': 'descriptionContains',
  'notes-contains': 'notesContains',
  'external-contains': 'externalContains',
  'external-ref': 'externalRef',
  spec: 'specPrefix',
  'label-regex': 'labelRegex',
  'has-metadata-key': 'hasMetadataKey',
} as const satisfies Record<string, keyof TaskFilter>

const LISTS = {
  label: 'labelsAll',
  'label-any': 'labelsAny',
  'exclude-label': 'notLabels',
} as const satisfies Record<string, keyof TaskFilter>

const SWITCHES = {
  'empty-description': 'emptyDescription',
  'no-labels': 'noLabels',
  'no-parent': 'noParent',
  deferred: 'deferred',
} as const satisfies Record<string, keyof TaskFilter>

/** Every shared condition on the command line. A flag that the command lacks counts as not given. */
export function sharedFilter(call: BdCall, mistakes: Mistakes): TaskFilter {
  const { flags } = call
  const filter: Record<string, unknown> = {}
  for (const [flag, field] of Object.entries(MOMENTS)) {
    const text = flags.text(flag) ?? ''
    if (text !== '') filter[field] = moment(call, { flag, text, json: mistakes.time })
  }
  checkMetadata(call, mistakes.metadata)
  for (const [flag, field] of Object.entries(TEXTS)) {
    const text = flags.text(flag) ?? ''
    if (text !== '') filter[field] = text
  }
  for (const [flag, field] of Object.entries(LISTS)) {
    const labels = trimmed(flags.all(flag))
    if (labels.length > 0) filter[field] = labels
  }
  for (const [flag, field] of Object.entries(SWITCHES)) if (flags.on(flag)) filter[field] = true
  const pattern = flags.text('label-pattern') ?? ''
  // bd has only the wildcards * and ?.
  if (pattern !== '') filter['labelPattern'] = pattern.replaceAll('[', '[[]')
  const fields = flags.all('metadata-field')
  if (fields.length > 0) filter['metadata'] = Object.fromEntries(fields.map((field) => cut(field)))
  const assignee = flags.text('assignee') ?? ''
  if (assignee !== '') filter['assignee'] = assignee
  if (flags.on('no-assignee') || flags.on('unassigned')) filter['assignee'] = ''
  if (flags.on('overdue')) filter['overdueAt'] = rfc3339(call.now.getTime())
  return filter
}

function moment(call: BdCall, { flag, text, json }: { flag: string; text: string; json: Mistakes['time'] }): string {
  const when = parseTimeExpression(text, call.now)
  if (when !== undefined) return rfc3339(when.getTime())
  throw new BdFailure(
    `parsing --${flag}: cannot parse time expression: ${JSON.stringify(text)} (examples: +6h, tomorrow, 2025-01-15)`,
    { json },
  )
}

const METADATA_KEY = /^[a-zA-Z_][a-zA-Z0-9_./]*$/

function checkMetadata({ flags }: BdCall, json: Mistakes['metadata']): void {
  const refuse = (flag: string, key: string) =>
    new BdFailure(`invalid --${flag}: invalid metadata key ${JSON.stringify(key)}: must match ${METADATA_KEY.source}`, {
      json,
    })
  for (const field of flags.all('metadata-field')) {
    const [key] = cut(field)
    if (!field.includes('=') || key === '') {
      throw new BdFailure(`invalid --metadata-field: expected key=value, got ${JSON.stringify(field)}`, { json })
    }
    if (!METADATA_KEY.test(key)) throw refuse('metadata-field key', key)
  }
  const key = flags.text('has-metadata-key') ?? ''
  if (key !== '' && !METADATA_KEY.test(key)) throw refuse('has-metadata-key', key)
}

function cut(field: string): [string, string] {
  const at = field.indexOf('=')
  return at === -1 ? [field, ''] : [field.slice(0, at), field.slice(at + 1)]
}

export function trimmed(values: readonly string[]): string[] {
  return [...new Set(values.map((value) => value.trim()).filter((value) => value !== ''))]
}

/** `0`–`4` or `P0`–`P4`. */
export function priorityFrom(text: string): number {
  const digits = /^\s*[pP]?([0-4])\b/.exec(text)?.[1]
  if (digits !== undefined) return Number(digits)
  throw new BdFailure(
    `invalid priority ${JSON.stringify(text)} (expected 0-4 or P0-P4, not words like high/medium/low)`,
    {
      json: 'text',
    },
  )
}

const TYPE_ALIASES: Readonly<Record<string, string>> = {
  mr: 'merge-request',
  feat: 'feature',
  mol: 'molecule',
  enhancement: 'feature',
  dec: 'decision',
  adr: 'decision',
}

export function typeFrom(text: string): string {
  return ownEntry(TYPE_ALIASES, text.toLowerCase()) ?? text
}

export async function knownType(call: BdCall, text: string): Promise<string> {
  const type = typeFrom(text)
  if (await isKnownType(call, type)) return type
  throw new BdFailure(`invalid issue type ${JSON.stringify(type)} (valid: bug, feature, task, epic, chore, decision)`, {
    json: 'text',
  })
}

export function excludedTypes(call: BdCall): string[] {
  return trimmed(call.flags.all('exclude-type').flatMap((each) => each.split(','))).map(typeFrom)
}
