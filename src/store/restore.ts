import { basename, dirname } from 'node:path'
import { copyPrivate, keepAside, move, namesIn, putInPlace, remove } from '../platform/files/folder.ts'
import { Database } from '../platform/sqlite/database.ts'
import type { Millis } from '../ports/clock.ts'

export interface Restored {
  /** Where the damaged files are now. */
  readonly aside: readonly string[]
}

/**
 * Replaces a damaged store with a backup and keeps the damaged files beside it. If it is killed at any point, the home has
 * either the damaged store or the restored one, and a second restore finishes the work.
 */
export function restore(backup: string, store: string, now: Millis): Restored {
  const stamp = new Date(now).toISOString().replace(/[-:]/g, '')
  const temporary = `${store}.${process.pid}.tmp`
  try {
    copyPrivate(backup, temporary)
    // A copy made by VACUUM INTO is not in WAL mode.
    using copy = new Database(temporary)
    copy.exec('pragma journal_mode = wal')
  } catch (error) {
    remove(temporary)
    throw error
  }
  const present = new Set(namesIn(dirname(store)))
  const aside: string[] = []
  // Move the log first: SQLite would replay a foreign log into the restored store.
  for (const suffix of ['-wal', '-shm']) {
    if (!present.has(basename(store) + suffix)) continue
    aside.push(`${store}.damaged-${stamp}${suffix}`)
    move(store + suffix, `${store}.damaged-${stamp}${suffix}`)
  }
  if (present.has(basename(store))) {
    aside.unshift(`${store}.damaged-${stamp}`)
    keepAside(store, `${store}.damaged-${stamp}`)
  }
  putInPlace(temporary, store)
  return { aside }
}
