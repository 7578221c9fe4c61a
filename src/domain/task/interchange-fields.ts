import { isStorableTime, rfc3339 } from './time.ts'

/** The type of a field in bd's interchange format. A `count` of 0 and a `flag` of false count as empty. */
export type FieldKind = 'text' | 'number' | 'count' | 'flag' | 'time' | 'texts' | 'list' | 'json'

/** Every field of a task that bd 1.3 exports, in bd's order. */
export const FIELDS = {
  id: 'text',
  title: 'text',
  description: 'text',
  design: 'text',
  acceptance_criteria: 'text',
  notes: 'text',
  spec_id: 'text',
  status: 'text',
  priority: 'number',
  issue_type: 'text',
  assignee: 'text',
  owner: 'text',
  estimated_minutes: 'number',
  created_at: 'time',
  created_by: 'text',
  updated_at: 'time',
  started_at: 'time',
  closed_at: 'time',
  close_reason: 'text',
  closed_by_session: 'text',
  lease_expires_at: 'time',
  heartbeat_at: 'time',
  lease_granted_node: 'text',
  due_at: 'time',
  defer_until: 'time',
  external_ref: 'text',
  source_system: 'text',
  metadata: 'json',
  compaction_level: 'count',
  compacted_at: 'time',
  compacted_at_commit: 'text',
  original_size: 'count',
  labels: 'texts',
  dependencies: 'list',
  comments: 'list',
  sender: 'text',
  ephemeral: 'flag',
  no_history: 'flag',
  wisp_type: 'text',
  storage_class: 'text',
  pinned: 'flag',
  is_template: 'flag',
  bonded_from: 'list',
  await_type: 'text',
  await_id: 'text',
  timeout: 'count',
  waiters: 'texts',
  source_formula: 'text',
  source_location: 'text',
  mol_type: 'text',
  work_type: 'text',
  event_kind: 'text',
  actor: 'text',
  target: 'text',
  payload: 'text',
} as const satisfies Record<string, FieldKind>

/** Written after the counts. */
export const LAST_FIELDS = { wisp_plane: 'flag' } as const satisfies Record<string, FieldKind>

export function kindOf(name: string): FieldKind | undefined {
  const all: Readonly<Record<string, FieldKind>> = { ...FIELDS, ...LAST_FIELDS }
  return Object.hasOwn(all, name) ? all[name] : undefined
}

/** A field of the line has a wrong value; the message names the field. */
export class WrongField extends Error {}

/** Converts a value to the form in which it is stored, or null if it is empty. */
export const READERS: Record<FieldKind, (name: string, value: unknown) => unknown> = {
  text: (name, value) => text(name, value),
  number: (name, value) => integer(name, value),
  count: (name, value) => integer(name, value) || null,
  flag: (name, value) => {
    if (typeof value !== 'boolean') throw expected(name, 'true or false', value)
    return value || null
  },
  time: (name, value) => time(name, value) || null,
  texts: (name, value) => list(name, value).map((each, i) => text(`${name}[${i}]`, each)),
  list,
  json: (_name, value) => value,
}

/** Replaces a lone surrogate with U+FFFD here, as bd does, instead of leaving it to the store. */
export function text(name: string, value: unknown): string {
  if (typeof value !== 'string') throw expected(name, 'a string', value)
  return value.replace(/\p{Surrogate}/gu, '\ufffd')
}

export function list(name: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw expected(name, 'an array', value)
  return value
}

function integer(name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw expected(name, 'a whole number', value)
  return value
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/
/** Go's zero time, which bd writes for "no time". */
const ZERO = /^0001-01-01T00:00:00(\.0+)?Z$/

/** In the store's format: UTC, rounded to the nearest second as in bd. '' for no time. */
export function time(name: string, value: unknown): string {
  const given = text(name, value)
  if (given === '' || ZERO.test(given)) return ''
  const parts = RFC3339.exec(given)
  const millis = parts === null ? Number.NaN : Math.round(Date.parse(given) / 1000) * 1000
  // Date.parse reads February 31st as March 3rd, and 24:00 as the next day.
  const days = parts === null ? 0 : new Date(Date.UTC(Number(parts[1]), Number(parts[2]), 0)).getUTCDate()
  if (Number.isNaN(millis) || Number(parts?.[3]) > days || Number(parts?.[4]) > 23)
    throw expected(name, 'a time such as 2026-01-31T12:00:00Z', value)
  if (!isStorableTime(millis)) throw expected(name, 'a time in the years 0001 to 9999', value)
  return rfc3339(millis)
}

export function expected(name: string, what: string, value: unknown): WrongField {
  return new WrongField(`${name}: expected ${what}, found ${described(value)}`)
}

export function described(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  const shown = JSON.stringify(value) ?? typeof value
  return shown.length > 60 ? `${shown.slice(0, 60)}…` : shown
}
