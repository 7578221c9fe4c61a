import { isOpen, recordFrom, type SharedRecord } from '../../domain/fleet/shared-record.ts'
import { AppError } from '../../errors.ts'
import type { Sql } from '../../platform/postgres/postgres.ts'
import type { Claim } from '../../ports/queue.ts'
import type { TaskRecords } from '../../ports/task-records.ts'

interface Row {
  readonly task: string
  readonly record: string
}

/** $2 is the token, $3 the claimer. Without a claim both are null, and the write is allowed. */
const MAY_WRITE = `id = $1 and ($2::bigint is null or
  (claim_token = $2 and assignee = $3 and status = 'in_progress' and lease_until is not null))`

const LOOK = `
  select task_record.record, coalesce(task_record.version, 0) as version
  from task left join task_record on task_record.task = task.id where ${MAY_WRITE}`

/** Locks the task, so that its owner cannot change between the check and the write. */
const WRITE = `
  with held as materialized (select id from task where ${MAY_WRITE} for share)
  insert into task_record (task, version, record, asked_at) select id, 1, $5::text, $6::bigint from held
  on conflict (task) do update set version = task_record.version + 1, record = excluded.record, asked_at = excluded.asked_at
  where task_record.version = $4::bigint`

/** One JSON document per task. Its version grows with every write, so concurrent writers cannot overwrite each other. */
export class PostgresRecords implements TaskRecords {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  async of(tasks: readonly string[]): Promise<readonly SharedRecord[]> {
    if (tasks.length === 0) return []
    return (
      await this.#sql.rows<Row>('select task, record from task_record where task = any($1::text[])', [tasks])
    ).map(recordOf)
  }

  async asking(): Promise<readonly SharedRecord[]> {
    const rows = await this.#sql.rows<Row>(
      `select task, record from task_record join task on task.id = task_record.task
       where asked_at is not null and status <> 'closed' order by asked_at, task`,
    )
    return rows.map(recordOf)
  }

  async change(
    task: string,
    decide: (current: SharedRecord | undefined) => SharedRecord | undefined,
    under?: Claim,
  ): Promise<SharedRecord | undefined> {
    const writer = [task, under?.token ?? null, under?.by ?? null] as const
    for (;;) {
      const [found] = await this.#sql.rows<{ record: string | null; version: number }>(LOOK, writer)
      if (found === undefined) return undefined
      const { record, version } = found
      const next = decide(record === null ? undefined : recordOf({ task, record }))
      if (next === undefined) return undefined
      const askedAt = next.questions.find(isOpen)?.askedAt ?? null
      const written = await this.#sql.change(WRITE, [...writer, version, JSON.stringify(next), askedAt])
      if (written === 1) return next
    }
  }
}

/** Adds the records of migrated tasks. Call inside the transaction that inserts the tasks. */
export async function fillRecords(sql: Sql, records: readonly SharedRecord[]): Promise<void> {
  for (let from = 0; from < records.length; from += BATCH) {
    const rows = records.slice(from, from + BATCH).map((record) => ({
      task: record.task,
      version: 1,
      record: JSON.stringify(record),
      asked_at: record.questions.find(isOpen)?.askedAt ?? null,
    }))
    await sql.change(
      `insert into task_record (task, version, record, asked_at)
       select task, version, record, asked_at from json_populate_recordset(null::task_record, $1::json)
       on conflict (task) do update set version = task_record.version + 1, record = excluded.record, asked_at = excluded.asked_at`,
      [JSON.stringify(rows)],
    )
  }
}

/** Rows per statement. */
const BATCH = 500

function recordOf({ task, record }: Row): SharedRecord {
  try {
    return recordFrom(task, JSON.parse(record))
  } catch (error) {
    throw new AppError('queue', `the record of ${task} in the queue cannot be read`, {
      hint: `something other than fleet changed it; delete its row in task_record to start over`,
      cause: error,
    })
  }
}
