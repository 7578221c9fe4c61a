import { type Comment, commentTime } from '../../domain/task/comment.ts'
import { AppError } from '../../errors.ts'
import type { Sql } from '../../platform/postgres/postgres.ts'
import { record } from './history.ts'
import { exists } from './insert.ts'

/** Oldest first. */
export async function commentsOf(sql: Sql, id: string): Promise<readonly Comment[]> {
  return await sql.rows(
    'select id, issue_id, author, text, created_at from comment where issue_id = $1 order by created_at, seq',
    [id],
  )
}

/** Call inside a transaction with the writer's lock. */
export async function insertComment(
  sql: Sql,
  id: string,
  { author, text, at }: { author: string; text: string; at: string },
): Promise<Comment> {
  if (!(await exists(sql, id))) throw new AppError('not-found', `issue ${id} not found`)
  const [last] = await sql.rows<{ at: string | null }>(
    'select max(created_at) as at from comment where issue_id = $1',
    [id],
  )
  const created_at = commentTime(last?.at ?? null, at)
  const comment: Comment = { id: crypto.randomUUID(), issue_id: id, author, text, created_at }
  await sql.change('insert into comment (id, issue_id, author, text, created_at) values ($1, $2, $3, $4, $5)', [
    comment.id,
    id,
    author,
    text,
    created_at,
  ])
  await record(sql, { task: id, at, actor: author, kind: 'commented' })
  return comment
}
