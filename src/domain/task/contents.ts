import type { Comment } from './comment.ts'
import type { Dependency } from './dependency.ts'
import type { HistoryEntry } from './history.ts'
import { lineOf, type TaskRecord } from './interchange.ts'

/** Everything a queue stores, enough to recreate it elsewhere. */
export interface Contents {
  readonly prefix: string
  /** In order of creation, which decides between tasks created in the same second. */
  readonly tasks: readonly StoredTask[]
  /** Oldest first, with the history of deleted tasks. */
  readonly history: readonly PastChange[]
  /** bd's configuration, key-value pairs and memories, by key. Absent: none. */
  readonly values?: Readonly<Record<string, string>>
}

/** A task and the state its queue keeps for it. Times are milliseconds of this machine's clock. */
export interface StoredTask {
  readonly record: TaskRecord
  /** The number of its next child. Numbers of deleted children are not reused. */
  readonly nextChild: number
  readonly token: number
  readonly leaseUntil: number | null
  readonly notBefore: number | null
}

export type PastChange = Omit<HistoryEntry, 'seq'>

export interface Tally {
  readonly tasks: number
  readonly byStatus: Readonly<Record<string, number>>
  readonly dependencies: number
  readonly comments: number
  readonly history: number
}

export function tallyOf({ tasks, history }: Contents): Tally {
  const byStatus: Record<string, number> = {}
  for (const { record } of tasks) byStatus[record.status] = (byStatus[record.status] ?? 0) + 1
  const sum = (of: (record: TaskRecord) => readonly unknown[]) =>
    tasks.reduce((total, { record }) => total + of(record).length, 0)
  return {
    tasks: tasks.length,
    byStatus,
    dependencies: sum((record) => record.dependencies),
    comments: sum((record) => record.comments),
    history: history.length,
  }
}

export interface Difference {
  readonly id: string
  /** `missing`: only before; `new`: only after; otherwise the fields that differ. */
  readonly what: 'missing' | 'new' | readonly string[]
}

/** Compares task by task and field by field, regardless of order and JSON layout. */
export function differences(before: readonly TaskRecord[], after: readonly TaskRecord[]): readonly Difference[] {
  const remaining = new Map(after.map((record) => [record.id, record]))
  const found: Difference[] = []
  for (const record of before) {
    const other = remaining.get(record.id)
    remaining.delete(record.id)
    if (other === undefined) found.push({ id: record.id, what: 'missing' })
    else {
      const fields = fieldsThatDiffer(record, other)
      if (fields.length > 0) found.push({ id: record.id, what: fields })
    }
  }
  for (const id of remaining.keys()) found.push({ id, what: 'new' })
  return found
}

function fieldsThatDiffer(a: TaskRecord, b: TaskRecord): readonly string[] {
  const [before, after] = [comparable(a), comparable(b)]
  if (canonical(before) === canonical(after)) return []
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => canonical(before[name]) !== canonical(after[name]))
}

/** Equal tasks give equal text, no matter which store they come from. */
export function canonicalText(records: readonly TaskRecord[]): string {
  const sorted = [...records].sort((a, b) => (a.id < b.id ? -1 : 1))
  return sorted.map((record) => canonical(comparable(record))).join('\n')
}

const NO_COUNTS = { dependency_count: 0, dependent_count: 0, comment_count: 0 }

function comparable(record: TaskRecord): Record<string, unknown> {
  return {
    ...lineOf(record, NO_COUNTS),
    labels: [...record.labels].sort(),
    dependencies: record.dependencies.map((edge) => canonical(comparableEdge(edge))).sort(),
    comments: record.comments.map((comment) => canonical(comparableComment(comment))).sort(),
  }
}

function comparableEdge({ depends_on_id, type, created_at, created_by, metadata, thread_id }: Dependency) {
  return { depends_on_id, type, created_at, created_by, metadata: asJson(metadata || '{}'), thread_id }
}

function comparableComment({ id, author, text, created_at }: Comment) {
  return { id, author, text, created_at }
}

/** Embedded JSON is compared as JSON: bd reformats it. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}
