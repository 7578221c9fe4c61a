import { childId } from '../../domain/task/id.ts'
import type { Task } from '../../domain/task/task.ts'
import { AppError } from '../../errors.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import { DependencyRefused } from '../../ports/dependency-refused.ts'
import type { TaskDraft } from '../../ports/queue.ts'
import { candidateIds, draftEdges, requireId, taskFrom } from '../new-task.ts'
import { FIELDS, stored } from '../row.ts'
import { addEdge } from './dependencies.ts'
import { record } from './history.ts'
import { recomputeReadiness } from './readiness.ts'

const INSERT = `insert into task (${FIELDS.join(', ')}) values (${FIELDS.map(() => '?').join(', ')})`

/** Inserts the task, its labels and its edges in the caller's transaction, so that nothing can claim it half-made. */
export function insertTask(
  db: Database,
  draft: TaskDraft,
  { by, at, prefix }: { by: string; at: string; prefix: string },
): string {
  const { parent, dependencies: _edges, ...given } = draft
  if (parent !== undefined && !exists(db, parent)) throw new AppError('not-found', `parent issue ${parent} not found`)
  const id = given.id ?? (parent === undefined ? freeId(db, prefix) : nextChildId(db, parent))
  requireId(id, prefix)
  if (exists(db, id)) throw new AppError('conflict', `issue ${id} already exists`)
  insertRow(db, taskFrom({ ...given, id }, { by, at }))
  record(db, { task: id, at, actor: by, kind: 'created' })
  for (const edge of draftEdges(id, draft)) linkOrFail(db, edge, by, at)
  if (draft.defer_until !== undefined && draft.defer_until !== null) recomputeReadiness(db, [id])
  return id
}

function linkOrFail(db: Database, edge: Parameters<typeof addEdge>[1], by: string, at: string): void {
  const result = addEdge(db, edge, by, at)
  if (result.kind === 'added' || result.kind === 'already') return
  throw new DependencyRefused(edge, result)
}

export function insertRow(db: Database, task: Task): void {
  db.sql(INSERT).run(...FIELDS.map((field) => stored(task[field])))
  for (const label of task.labels) addLabel(db, task.id, label)
}

export function addLabel(db: Database, id: string, label: string): boolean {
  return db.sql('insert or ignore into label (task, label) values (?, ?)').run(id, label).changes === 1
}

export function exists(db: Database, id: string): boolean {
  return db.sql('select 1 from task where id = ?').get(id) !== undefined
}

export function freeId(db: Database, prefix: string): string {
  // The highest row number approximates the count without a full scan.
  const last = db.sql<{ n: number }>('select coalesce(max(seq), 0) as n from task').get()?.n ?? 0
  const candidates = candidateIds(prefix, last)
  for (;;) {
    const id = candidates.next().value
    if (!exists(db, id)) return id
  }
}

function nextChildId(db: Database, parent: string): string {
  const take = db.sql<{ n: number }>(
    'update task set next_child = next_child + 1 where id = ? returning next_child - 1 as n',
  )
  for (;;) {
    const id = childId(parent, take.get(parent)?.n ?? 1)
    if (!exists(db, id)) return id
  }
}
