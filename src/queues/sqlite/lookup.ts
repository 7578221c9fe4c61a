import { nearest } from '../../domain/nearest.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { IdMatch } from '../../ports/task-store.ts'
import { exists } from './insert.ts'

/** A whole id, an id without its prefix, or a part of one that fits a single task. */
export function resolveId(db: Database, text: string, prefix: string): IdMatch {
  for (const id of [text, `${prefix}-${text}`]) if (exists(db, id)) return { kind: 'found', id }
  const part = text.startsWith(`${prefix}-`) ? text.slice(prefix.length + 1) : text
  if (part !== '') {
    const like = `%${part.replace(/[\\%_]/g, '\\$&')}%`
    const ids = db
      .sql<{ id: string }>(
        `select id from task where substr(id, instr(id, '-') + 1) like ? escape '\\' order by length(id), id limit 20`,
      )
      .all(like)
      .map((row) => row.id)
    if (ids.length === 1 && ids[0] !== undefined) return { kind: 'found', id: ids[0] }
    if (ids.length > 1) return { kind: 'ambiguous', ids }
  }
  const all = db.sql<{ id: string }>('select id from task order by seq desc limit 20000').all()
  return {
    kind: 'unknown',
    near: nearest(
      text.includes('-') ? text : `${prefix}-${text}`,
      all.map((row) => row.id),
    ),
  }
}
