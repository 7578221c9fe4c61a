import { DEPTH_LIMIT, isDeeperThan } from '../text/json-depth.ts'
import type { Comment } from './comment.ts'
import type { Dependency } from './dependency.ts'
import { isTaskId } from './id.ts'
import {
  described,
  expected,
  FIELDS,
  kindOf,
  LAST_FIELDS,
  list,
  READERS,
  text,
  time,
  WrongField,
} from './interchange-fields.ts'
import { ALWAYS_PRINTED, BLANK_TASK, isEmptyValue, type Task, TITLE_LIMIT } from './task.ts'
import { rfc3339, storableTime } from './time.ts'

/**
 * A task with its dependencies and comments: one line of bd's JSONL. `recordOf` reads back exactly what `lineOf` writes.
 * Fields that fleet does not use are kept in `Task.extra`.
 */
export interface TaskRecord extends Task {
  readonly dependencies: readonly Dependency[]
  readonly comments: readonly Comment[]
}

export interface EdgeCounts {
  readonly dependency_count: number
  readonly dependent_count: number
  readonly comment_count: number
}

/** The object of one line, in bd's field order. Empty fields are omitted. */
export function lineOf(record: TaskRecord, counts: EdgeCounts): Record<string, unknown> {
  const source: Record<string, unknown> = {
    ...record.extra,
    ...record,
    metadata: isEmptyValue(record.metadata) ? record.extra['metadata'] : record.metadata,
    dependencies: record.dependencies.map(edgeLine),
    comments: record.comments.map(commentLine),
  }
  const line: [string, unknown][] = [['_type', 'issue']]
  for (const name of Object.keys(FIELDS)) {
    if (ALWAYS_PRINTED.has(name) || !isEmptyValue(source[name])) line.push([name, source[name]])
  }
  line.push(...Object.entries(record.extra).filter(([name]) => kindOf(name) === undefined))
  const { dependency_count, dependent_count, comment_count } = counts
  line.push(...Object.entries({ dependency_count, dependent_count, comment_count }))
  for (const name of Object.keys(LAST_FIELDS)) if (!isEmptyValue(source[name])) line.push([name, source[name]])
  return Object.fromEntries(line)
}

export function edgeLine(edge: Dependency): Record<string, unknown> {
  const { issue_id, depends_on_id, type, created_at, created_by, metadata, thread_id } = edge
  return {
    issue_id,
    depends_on_id,
    type,
    created_at,
    ...(created_by === '' ? {} : { created_by }),
    ...(metadata === '' ? {} : { metadata }),
    ...(thread_id === '' ? {} : { thread_id }),
  }
}

export function commentLine({ id, issue_id, author, text, created_at }: Comment): Comment {
  return { id, issue_id, author, text, created_at }
}

/** The line of a memory. */
export function memoryLine(key: string, value: string): Record<string, string> {
  return { _type: 'memory', key, value }
}

export type ReadLine =
  | { readonly kind: 'record'; readonly record: TaskRecord }
  | { readonly kind: 'memory'; readonly key: string; readonly value: string }
  /** A header, or the tombstone of a deleted task. */
  | { readonly kind: 'skipped'; readonly what: 'header' | 'tombstone' }
  | { readonly kind: 'wrong'; readonly why: string }

/**
 * The only place where a line from outside becomes a record. Missing fields get defaults: times get `now`, the priority 0,
 * the rest bd's defaults. A missing id stays '' until the store assigns one.
 */
export function recordOf(line: string, now: string): ReadLine {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    return { kind: 'wrong', why: `not JSON: ${(error as Error).message}` }
  }
  if (isDeeperThan(value, DEPTH_LIMIT)) return { kind: 'wrong', why: `nested more than ${DEPTH_LIMIT} levels deep` }
  if (!isObject(value)) return { kind: 'wrong', why: `expected an object, found ${described(value)}` }
  if (Object.hasOwn(value, '_schema')) return { kind: 'skipped', what: 'header' }
  if (value['_type'] === 'memory') return memoryOf(value)
  if (value['status'] === 'tombstone') return { kind: 'skipped', what: 'tombstone' }
  try {
    return { kind: 'record', record: checked(read(value, now)) }
  } catch (error) {
    if (error instanceof WrongField) return { kind: 'wrong', why: error.message }
    throw error
  }
}

function memoryOf({ key, value }: Readonly<Record<string, unknown>>): ReadLine {
  if (typeof key !== 'string' || key === '') return { kind: 'wrong', why: 'a memory needs a key' }
  if (typeof value !== 'string')
    return { kind: 'wrong', why: `memory ${key}: expected a text, found ${described(value)}` }
  if (hasNul([key, value])) return { kind: 'wrong', why: `memory ${key}: contains a NUL character` }
  return { kind: 'memory', key, value }
}

/** bd computes these fields or uses them only in transit, so they are not stored. */
const DERIVED = new Set([
  '_type',
  'dependency_count',
  'dependent_count',
  'comment_count',
  'parent',
  'is_blocked',
  'revision',
  'wisp',
  'dependencies',
  'comments',
])

function read(line: Readonly<Record<string, unknown>>, now: string): TaskRecord {
  const known: Record<string, unknown> = {}
  const extra: [string, unknown][] = []
  for (const [name, value] of Object.entries(line)) {
    if (hasNul(value)) throw new WrongField(`${name}: contains a NUL character`)
    if (DERIVED.has(name) || value === null) continue
    const kind = kindOf(name)
    if (kind === undefined) {
      extra.push([name, value])
      continue
    }
    const good = READERS[kind](name, value)
    if (isEmptyValue(good)) continue
    if (Object.hasOwn(BLANK_TASK, name) && !(name === 'metadata' && !isObject(good))) known[name] = good
    else extra.push([name, good])
  }
  if (line['wisp'] === true) known['ephemeral'] = true
  const task: Task = { ...BLANK_TASK, created_at: now, updated_at: now, ...known, extra: Object.fromEntries(extra) }
  return {
    ...task,
    ...(task.status === 'closed' && task.closed_at === null ? { closed_at: assumedClosingTime(task) } : {}),
    labels: [...new Set(task.labels)].filter((label) => label !== '').sort(),
    dependencies: list('dependencies', line['dependencies'] ?? []).map((each, i) =>
      dependencyOf(each, { name: `dependencies[${i}]`, task: task.id, now }),
    ),
    comments: list('comments', line['comments'] ?? []).map((each, i) =>
      commentOf(each, { name: `comments[${i}]`, task: task.id, now }),
    ),
  }
}

interface Position {
  readonly name: string
  readonly task: string
  readonly now: string
}

function dependencyOf(value: unknown, { name, task, now }: Position): Dependency {
  if (!isObject(value)) throw expected(name, 'an object', value)
  const part = (field: string) => text(`${name}.${field}`, value[field] ?? '')
  const depends_on_id = part('depends_on_id')
  if (depends_on_id === '') throw new WrongField(`${name}.depends_on_id is missing`)
  return {
    issue_id: part('issue_id') || task,
    depends_on_id,
    type: part('type') || 'blocks',
    created_at: time(`${name}.created_at`, value['created_at'] ?? '') || now,
    created_by: part('created_by'),
    metadata: part('metadata') || '{}',
    thread_id: part('thread_id'),
  }
}

/** Before bd 1.0, comment ids were numbers. */
function commentOf(value: unknown, { name, task, now }: Position): Comment {
  if (!isObject(value)) throw expected(name, 'an object', value)
  const id = value['id'] ?? ''
  return {
    id: typeof id === 'number' ? String(id) : text(`${name}.id`, id),
    issue_id: task,
    author: text(`${name}.author`, value['author'] ?? ''),
    text: text(`${name}.text`, value['text'] ?? ''),
    created_at: time(`${name}.created_at`, value['created_at'] ?? '') || now,
  }
}

/** The form of a custom status or type; anything else is a mistake in the file. */
const WORD = /^[a-z][a-z0-9_-]{0,49}$/
const LABEL_LIMIT = 255

function checked(record: TaskRecord): TaskRecord {
  const { id, title, status, issue_type, priority, estimated_minutes: minutes } = record
  const wrong = (why: string) => new WrongField(id === '' ? why : `${id}: ${why}`)
  if (id !== '' && !isTaskId(id))
    throw new WrongField(`${JSON.stringify(id)} is not a usable id: ids look like fleet-a1b or fleet-a1b.2`)
  if (title.trim() === '') throw wrong('title is required')
  if ([...title].length > TITLE_LIMIT)
    throw wrong(`title must be ${TITLE_LIMIT} characters or less (got ${[...title].length})`)
  if (priority < 0 || priority > 4) throw wrong(`priority must be between 0 and 4 (got ${priority})`)
  if (!WORD.test(status)) throw wrong(`invalid status: ${status}`)
  if (!WORD.test(issue_type)) throw wrong(`invalid issue type: ${issue_type}`)
  if (minutes !== null && minutes < 0) throw wrong('estimated_minutes cannot be negative')
  if (status !== 'closed' && record.closed_at !== null) throw wrong('non-closed issues cannot have closed_at timestamp')
  const long = record.labels.find((label) => label.length > LABEL_LIMIT)
  if (long !== undefined) throw wrong(`label ${JSON.stringify(long)} is ${long.length} characters (max ${LABEL_LIMIT})`)
  return record
}

/** A closed task without a closing time: one second after its last known change. */
function assumedClosingTime({ created_at, updated_at }: Task): string {
  return rfc3339(storableTime(Math.max(Date.parse(created_at), Date.parse(updated_at)) + 1000))
}

function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0')
  if (Array.isArray(value)) return value.some(hasNul)
  return isObject(value) && Object.entries(value).some(([key, each]) => key.includes('\0') || hasNul(each))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
