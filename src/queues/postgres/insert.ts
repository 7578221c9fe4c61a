import { childId, naturalKey } from '../../domain/task/id.ts'
import type { Task } from '../../domain/task/task.ts'
import { jsonWithoutNul } from '../../domain/text/nul.ts'
import { AppError } from '../../errors.ts'
import type { Sql } from '../../platform/postgres/postgres.ts'
import { DependencyRefused } from '../../ports/dependency-refused.ts'
import type { TaskDraft } from '../../ports/queue.ts'
import { candidateIds, draftEdges, requireId, taskFrom } from '../new-task.ts'
import { FIELDS, stored } from '../row.ts'
import { addLabels, type Who } from './change.ts'
import { addEdge } from './dependencies.ts'
import { record } from './history.ts'
import { recomputeReadiness } from './readiness.ts'

/** Inserts the task, its labels and its edges in the caller's transaction, so that nothing can claim it half-made. */
export async function insertTask(sql: Sql, draft: TaskDraft, who: Who & { prefix: string }): Promise<string> {
  const { parent, dependencies: _edges, ...given } = draft
  if (parent !== undefined && !(await exists(sql, parent)))
    throw new AppError('not-found', `parent issue ${parent} not found`)
  const id = given.id ?? (await (parent === undefined ? freeId(sql, who.prefix) : nextChildId(sql, parent)))
  requireId(id, who.prefix)
  if (given.id !== undefined && (await exists(sql, id))) throw new AppError('conflict', `issue ${id} already exists`)
  const task = taskFrom({ ...given, id }, who)
  await insertRows(sql, [task])
  await addLabels(sql, id, task.labels)
  await record(sql, { task: id, at: who.at, actor: who.by, kind: 'created' })
  for (const edge of draftEdges(id, draft)) {
    const result = await addEdge(sql, edge, who)
    if (result.kind !== 'added' && result.kind !== 'already') throw new DependencyRefused(edge, result)
  }
  if (draft.defer_until !== undefined && draft.defer_until !== null) await recomputeReadiness(sql, [id])
  return id
}

const COLUMNS = [...FIELDS, 'id_order'].join(', ')

/** Keeps the order of the tasks. Does not insert labels. */
export async function insertRows(sql: Sql, tasks: readonly Task[]): Promise<void> {
  if (tasks.length === 0) return
  const rows = tasks.map((task) => ({
    ...Object.fromEntries(FIELDS.map((field) => [field, stored(task[field])])),
    id_order: naturalKey(task.id),
  }))
  await sql.change(
    `insert into task (${COLUMNS}) select ${COLUMNS} from json_populate_recordset(null::task, $1::json)`,
    [jsonWithoutNul(rows)],
  )
}

export async function exists(sql: Sql, id: string): Promise<boolean> {
  return (await sql.rows('select 1 from task where id = $1', [id])).length > 0
}

export async function freeId(sql: Sql, prefix: string): Promise<string> {
  // The highest row number approximates the count without a full scan.
  const [last] = await sql.rows<{ n: number }>('select coalesce(max(seq), 0) as n from task')
  const candidates = candidateIds(prefix, last?.n ?? 0)
  for (;;) {
    const id = candidates.next().value
    if (!(await exists(sql, id))) return id
  }
}

async function nextChildId(sql: Sql, parent: string): Promise<string> {
  for (;;) {
    const [taken] = await sql.rows<{ n: number }>(
      'update task set next_child = next_child + 1 where id = $1 returning next_child - 1 as n',
      [parent],
    )
    const id = childId(parent, taken?.n ?? 1)
    if (!(await exists(sql, id))) return id
  }
}
