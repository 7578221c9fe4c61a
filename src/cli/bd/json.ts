import type { Task } from '../../domain/task.ts'
import { printableJson } from '../render/plain.ts'
import type { Pagination } from './command.ts'

const SCHEMA_VERSION = 1

/** bd's rule: arrays are bare, objects carry schema_version among their sorted keys, the envelope wraps either. */
export function answerText(value: unknown, how: { envelope: boolean; pagination?: Pagination }): string {
  if (how.envelope) {
    const pagination = how.pagination === undefined ? {} : { pagination: how.pagination }
    return `${printableJson({ data: value, ...pagination, schema_version: SCHEMA_VERSION }, 2)}\n`
  }
  return `${printableJson(Array.isArray(value) ? value : sorted({ ...(value as object), schema_version: SCHEMA_VERSION }), 2)}\n`
}

export function errorJson(message: string, how: { envelope: boolean; hint?: string }): string {
  const inner = { error: message, ...(how.hint === undefined ? {} : { hint: how.hint }) }
  return answerText(inner, how)
}

function sorted(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** In the order bd writes them. */
const FIELDS = [
  'id',
  'title',
  'description',
  'design',
  'acceptance_criteria',
  'notes',
  'spec_id',
  'status',
  'priority',
  'issue_type',
  'assignee',
  'owner',
  'estimated_minutes',
  'created_at',
  'created_by',
  'updated_at',
  'started_at',
  'closed_at',
  'close_reason',
  'closed_by_session',
  'due_at',
  'defer_until',
  'external_ref',
  'metadata',
  'labels',
  'ephemeral',
  'pinned',
  'is_template',
] as const satisfies readonly (keyof Task)[]

const ALWAYS = new Set<string>(['id', 'title', 'priority', 'created_at', 'updated_at'])

/** A task as bd prints it: empty fields left out, carried fields at the end. */
export function issueJson(task: Task): Record<string, unknown> {
  const issue: Record<string, unknown> = {}
  for (const field of FIELDS) {
    const value = task[field]
    if (ALWAYS.has(field) || !isEmpty(value)) issue[field] = value
  }
  return Object.assign(issue, task.extra)
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === '' || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}
