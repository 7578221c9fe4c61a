import { entryAt } from '../../platform/files/folder.ts'
import { Database } from '../../platform/sqlite/database.ts'
import { StoreError } from '../../platform/sqlite/store-error.ts'
import type { StoreHealth } from '../../ports/store-health.ts'
import { APPLICATION_ID, SCHEMA_VERSION } from './schema.ts'

/** Reads and checks the whole store. Changes nothing. */
export function examineStore(path: string): StoreHealth {
  try {
    const file = entryAt(path)
    if (file === undefined) return { kind: 'missing' }
    if (file.kind === 'folder') return { kind: 'directory' }
    if (file.size === 0) return { kind: 'damaged', what: 'the file is empty' }
    using db = new Database(path, { readOnly: true })
    return examine(db)
  } catch (error) {
    if (error instanceof StoreError && error.trouble === 'damaged') return { kind: 'damaged', what: error.detail }
    return { kind: 'unreadable', what: error instanceof Error ? error.message : String(error) }
  }
}

function examine(db: Database): StoreHealth {
  const number = (pragma: string) => Number(Object.values(db.once(`pragma ${pragma}`).get() ?? {})[0] ?? 0)
  const version = number('user_version')
  if (number('application_id') !== APPLICATION_ID) return { kind: 'foreign' }
  if (version > SCHEMA_VERSION) return { kind: 'newer', version, known: SCHEMA_VERSION }
  return db.read(() => {
    const [first] = Object.values(db.once('pragma integrity_check(1)').get() ?? {})
    if (first !== 'ok')
      return {
        kind: 'damaged',
        what:
          String(first)
            .replace(/^\*\*\* in database main \*\*\*\s*/, '')
            .split('\n', 1)[0] ?? '',
      }
    const tasks = db.once<{ count: number }>('select count(*) as count from task').get()?.count ?? 0
    const lastChange =
      db.once<{ at: string | null }>('select at from history order by seq desc limit 1').get()?.at ?? undefined
    return { kind: 'good', version, tasks, lastChange }
  })
}
