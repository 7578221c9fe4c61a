import type { Database } from '../../platform/sqlite/database.ts'
import type { IdMatch } from '../../ports/task-store.ts'
import { nearIds } from '../near-ids.ts'
import { exists } from './insert.ts'

/** One more than is shown, so that the message can say "and more". */
const MOST = 21

/** Accepts an id, an id without its prefix, or a beginning that only one id has. */
export function resolveId(db: Database, text: string, prefix: string): IdMatch {
  for (const id of [text, `${prefix}-${text}`]) if (exists(db, id)) return { kind: 'found', id }
  const part = text.startsWith(`${prefix}-`) ? text.slice(prefix.length + 1) : text
  if (/^[A-Za-z0-9.-]+$/.test(part)) {
    const ids = db
      .sql<{ id: string }>(
        `select id from task
         where substr(id, case when substr(id, 1, length(?1)) = ?1 then length(?1) else instr(id, '-') end + 1, length(?2)) = ?2
         order by id limit ${MOST}`,
      )
      .all(`${prefix}-`, part)
      .map((row) => row.id)
    if (ids.length === 1 && ids[0] !== undefined) return { kind: 'found', id: ids[0] }
    if (ids.length > 1) return { kind: 'ambiguous', ids }
  }
  const recent = db.sql<{ id: string }>('select id from task order by seq desc limit 20000').all()
  return {
    kind: 'unknown',
    near: nearIds(
      part,
      recent.map((row) => row.id),
      prefix,
    ),
  }
}
