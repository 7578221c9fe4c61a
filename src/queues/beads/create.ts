import { base36 } from '../../domain/task/id.ts'
import { lineOf, type TaskRecord } from '../../domain/task/interchange.ts'
import { isObject } from '../../domain/task/settings.ts'
import type { Task } from '../../domain/task/task.ts'
import { AppError } from '../../errors.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import type { DraftDependency, TaskDraft } from '../../ports/queue.ts'
import { readTask } from '../sqlite/change.ts'
import { edgesOf } from '../sqlite/dependencies.ts'
import { exists, insertTask } from '../sqlite/insert.ts'
import { payloadOf } from './answer.ts'
import type { Link } from './link.ts'

interface Circumstances {
  readonly by: string
  readonly at: string
  readonly prefix: string
}

/**
 * Creates the task as one line of `bd import`, so that the task, its settings and its dependencies arrive together and
 * nothing can claim it half-made. fleet's rules are checked first.
 */
export async function createThrough(link: Link, given: TaskDraft, how: Circumstances): Promise<Task> {
  const { db } = link
  const named = given.id !== undefined || given.parent !== undefined
  const record = previewRecord(db, named ? given : { ...given, id: newId(how.prefix) }, how)
  const counts = { dependency_count: 0, dependent_count: 0, comment_count: 0 }
  const { out } = await link.write({
    argv: ['import', '-'],
    input: `${JSON.stringify(lineOf(record, counts))}\n`,
    by: how.by,
  })
  const answer = payloadOf(out)
  if (!isObject(answer) || Number(answer['created'] ?? 0) !== 1) {
    throw new AppError('conflict', `issue ${record.id} already exists`)
  }
  const reverse = (given.dependencies ?? []).filter((edge) => edge.reverse === true)
  for (const edge of reverse) await holdUp(link, record.id, edge, how.by)
  db.write(() => {
    if (!exists(db, record.id)) insertTask(db, { ...given, id: record.id }, how)
    link.touch(record.id)
    db.sql('update beads_seen set status = ?, assignee = ? where task = ?').run(
      record.status,
      record.assignee,
      record.id,
    )
    for (const edge of reverse) link.touch(edge.on)
  })
  return readTask(db, record.id) as Task
}

async function holdUp(link: Link, id: string, edge: DraftDependency, by: string): Promise<void> {
  await link.write({ argv: ['dep', 'add', edge.on, id, `--type=${edge.type}`], by })
}

/** Longer than the ids bd makes, so the two never collide. */
function newId(prefix: string): string {
  return `${prefix}-${base36(crypto.getRandomValues(new Uint8Array(12)), 6)}`
}

/** The record that the store would create: inserted and rolled back. */
function previewRecord(db: Database, draft: TaskDraft, how: Circumstances): TaskRecord {
  let record: TaskRecord | undefined
  const undo = Symbol('preview only')
  try {
    db.write(() => {
      const id = insertTask(db, draft, how)
      record = { ...(readTask(db, id) as Task), dependencies: edgesOf(db, [id], 'down'), comments: [] }
      throw undo
    })
  } catch (error) {
    if (error !== undo) throw error
  }
  return record as TaskRecord
}
