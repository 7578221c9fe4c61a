import { printableJson } from '../../domain/text/plain.ts'
import type { Pagination } from './command.ts'

const SCHEMA_VERSION = 1

/** bd's rule: arrays are bare, objects carry schema_version among their sorted keys, the envelope wraps either. */
export function answerText(value: unknown, how: { envelope: boolean; pagination?: Pagination }): string {
  if (how.envelope) {
    const pagination = how.pagination === undefined ? {} : { pagination: how.pagination }
    return `${printableJson({ data: value, ...pagination, schema_version: SCHEMA_VERSION }, 2)}\n`
  }
  return `${printableJson(Array.isArray(value) || value === null ? value : sorted({ ...(value as object), schema_version: SCHEMA_VERSION }), 2)}\n`
}

export function errorJson(message: string, how: { envelope: boolean; hint?: string }): string {
  const inner = { error: message, ...(how.hint === undefined ? {} : { hint: how.hint }) }
  return answerText(inner, how)
}

function sorted(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
}
