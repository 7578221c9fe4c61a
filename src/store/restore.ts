import { basename, dirname } from 'node:path'
import { copyPrivate, keepAside, move, namesIn, putInPlace, remove } from '../platform/files/folder.ts'
import { Database } from '../platform/sqlite/database.ts'
import type { Millis } from '../ports/clock.ts'

export interface Restored {
  /** Where the damaged files are now. */
  readonly aside: readonly string[]
}

/**
 * Puts a backup in the place of a damaged store. The damaged files are kept beside it. Killed at any point, the home has
 * the damaged store or the restored one, and a second restore does the rest.
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
  // The log goes first: a foreign log beside a good store would be played into it.
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
