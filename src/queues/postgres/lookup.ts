import type { Sql } from '../../platform/postgres/postgres.ts'
import type { IdMatch } from '../../ports/task-store.ts'
import { nearIds } from '../near-ids.ts'

/** One more than is shown, so that the message can say "and more". */
const MOST = 21

/** Accepts an id, an id without its prefix, or a beginning that only one id has. */
export async function resolveId(sql: Sql, text: string, prefix: string): Promise<IdMatch> {
  const [exact] = await sql.rows<{ id: string }>(
    'select id from task where id in ($1, $2) order by id = $1 desc limit 1',
    [text, `${prefix}-${text}`],
  )
  if (exact !== undefined) return { kind: 'found', id: exact.id }
  const part = text.startsWith(`${prefix}-`) ? text.slice(prefix.length + 1) : text
  if (/^[A-Za-z0-9.-]+$/.test(part)) {
    const ids = await sql.rows<{ id: string }>(
      `select id from task where substr(id,
         case when starts_with(id, $1::text) then length($1::text) else strpos(id, '-') end + 1, length($2::text)) = $2::text
       order by id limit ${MOST}`,
      [`${prefix}-`, part],
    )
    if (ids.length === 1 && ids[0] !== undefined) return { kind: 'found', id: ids[0].id }
    if (ids.length > 1) return { kind: 'ambiguous', ids: ids.map((row) => row.id) }
  }
  const recent = await sql.rows<{ id: string }>('select id from task order by seq desc limit 20000')
  return {
    kind: 'unknown',
    near: nearIds(
      part,
      recent.map((row) => row.id),
      prefix,
    ),
  }
}
