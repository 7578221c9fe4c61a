import type { Comment } from '../../domain/task/comment.ts'
import type { Contents, PastChange, StoredTask } from '../../domain/task/contents.ts'
import type { Dependency } from '../../domain/task/dependency.ts'
import { naturalKey } from '../../domain/task/id.ts'
import { jsonWithoutNul } from '../../domain/text/nul.ts'
import type { Sql } from '../../platform/postgres/postgres.ts'
import { gateOf } from '../gate.ts'
import { FIELDS, stored } from '../row.ts'
import { STORED_COLUMNS, type StoredRow, storedTasks } from '../stored-row.ts'
import { TASK_COLUMNS } from './columns.ts'
import { SERVER_NOW } from './moment.ts'
import { recomputeReadiness } from './readiness.ts'
import { setValue } from './values.ts'

/** Everything in the store about its tasks. Call inside a transaction with one consistent view. `now`: this machine's time. */
export async function contentsOf(sql: Sql, now: number): Promise<Contents> {
  const [clock] = await sql.rows<{ now: number }>(`select ${SERVER_NOW} as now`)
  const [prefix] = await sql.rows<{ value: string }>(`select value from meta where key = 'prefix'`)
  const rows = await sql.rows<StoredRow>(`select ${TASK_COLUMNS}, ${STORED_COLUMNS} from task order by seq`)
  const edges = await sql.rows<Dependency>(
    `select issue_id, depends_on_id, type, created_at, created_by, metadata, thread_id from dependency
     order by created_at, issue_id, depends_on_id`,
  )
  const comments = await sql.rows<Comment>(
    'select id, issue_id, author, text, created_at from comment order by created_at, seq',
  )
  const history = await sql.rows<Omit<PastChange, 'changes'> & { changes: string }>(
    'select task, at, actor, kind, changes from history order by seq',
  )
  const values = await sql.rows<{ key: string; value: string }>('select key, value from queue_value order by key')
  return {
    prefix: prefix?.value ?? 'fleet',
    tasks: storedTasks(rows, { edges, comments, aheadMs: now - Number(clock?.now ?? now) }),
    history: history.map((entry) => ({ ...entry, changes: JSON.parse(entry.changes) })),
    values: Object.fromEntries(values.map(({ key, value }) => [key, value])),
  }
}

/** Rows per statement. */
const BATCH = 500

/**
 * Fills a store that has no tasks. Call inside a transaction with the writer's lock. Checks nothing: what another queue
 * accepted is copied as it is.
 */
export async function fillStore(sql: Sql, { tasks, history, values = {} }: Contents, now: number): Promise<void> {
  const [clock] = await sql.rows<{ now: number }>(`select ${SERVER_NOW} as now`)
  const aheadMs = Number(clock?.now ?? now) - now
  const records = tasks.map((task) => task.record)
  await insert(
    sql,
    'task',
    tasks.map((task) => rowOf(task, aheadMs)),
  )
  await insert(
    sql,
    'label',
    records.flatMap(({ id, labels }) => labels.map((label) => ({ task: id, label }))),
  )
  await insert(
    sql,
    'dependency',
    records.flatMap(({ id, dependencies }) => dependencies.map((edge) => edgeRow({ ...edge, issue_id: id }))),
  )
  await insert(
    sql,
    'comment',
    records.flatMap(({ id: issue_id, comments }) => comments.map((comment) => ({ ...comment, issue_id }))),
  )
  await insert(
    sql,
    'history',
    history.map((entry) => ({ ...entry, changes: JSON.stringify(entry.changes) })),
  )
  for (const [key, value] of Object.entries(values)) await setValue(sql, key, value)
  await sql.change(
    'update task set linked = 1 where id in (select issue_id from dependency union select depends_on_id from dependency)',
  )
  for (const batch of batches(records)) {
    await recomputeReadiness(
      sql,
      batch.map((record) => record.id),
    )
  }
}

const COLUMNS = {
  task: [...FIELDS, 'id_order', 'next_child', 'claim_token', 'lease_until', 'not_before', 'is_blocked', 'linked'],
  label: ['task', 'label'],
  dependency: [
    'issue_id',
    'depends_on_id',
    'type',
    'created_at',
    'created_by',
    'metadata',
    'thread_id',
    'any_child',
    'also_blocks',
  ],
  comment: ['id', 'issue_id', 'author', 'text', 'created_at'],
  history: ['task', 'at', 'actor', 'kind', 'changes'],
} as const

/** Keeps the order of the rows. */
async function insert(sql: Sql, table: keyof typeof COLUMNS, rows: readonly object[]): Promise<void> {
  const columns = COLUMNS[table].join(', ')
  for (const batch of batches(rows)) {
    await sql.change(
      `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1::json)`,
      [jsonWithoutNul(batch)],
    )
  }
}

function rowOf({ record, nextChild, token, leaseUntil, notBefore }: StoredTask, aheadMs: number): object {
  return {
    ...Object.fromEntries(FIELDS.map((field) => [field, stored(record[field])])),
    id_order: naturalKey(record.id),
    next_child: nextChild,
    claim_token: token,
    lease_until: leaseUntil === null ? null : leaseUntil + aheadMs,
    not_before: notBefore === null ? null : notBefore + aheadMs,
    is_blocked: 0,
    linked: 0,
  }
}

function edgeRow(edge: Dependency): object {
  const { anyChild, alsoBlocks } = gateOf(edge.metadata)
  return { ...edge, metadata: edge.metadata || '{}', any_child: anyChild, also_blocks: alsoBlocks }
}

function* batches<T>(all: readonly T[]): Iterable<readonly T[]> {
  for (let from = 0; from < all.length; from += BATCH) yield all.slice(from, from + BATCH)
}
