import { join } from 'node:path'
import { privateFile } from '../platform/files.ts'
import { namesIn, putInPlace, remove } from '../platform/folder.ts'
import { privateDirectory } from '../platform/home.ts'
import type { Database } from '../platform/sqlite.ts'
import type { Millis } from '../ports/clock.ts'

/** Copies of the store, made by the commands themselves: at most one a day, and one before a migration. */

export const BACKUP_EVERY_MS = 24 * 3_600_000
const KEEP = 7

export interface Backup {
  readonly path: string
  readonly at: Millis
}

export interface BackupPlace {
  readonly folder: string
  readonly now: Millis
}

/** Newest first. The time is in the name, so that looking costs one readdir. */
export function backupsIn(folder: string): Backup[] {
  return namesIn(folder)
    .flatMap((name) => {
      const at = timeOf(name)
      return at === undefined ? [] : [{ path: join(folder, name), at }]
    })
    .sort((a, b) => b.at - a.at)
}

/** After a command that wrote. Never fails the command that was already carried out; `fleet doctor` shows what is missing. */
export function backUpDaily(db: Database, place: BackupPlace): void {
  try {
    if (isDue(backupsIn(place.folder), place.now) && hasTasks(db)) backUp(db, place)
  } catch {
    // A full or read-only disk, or another process at the same work.
  }
}

/** A time in the future comes from a clock that was wrong, and must not hold up backups until then. */
export function isDue(backups: readonly Backup[], now: Millis): boolean {
  return !backups.some((backup) => now - backup.at < BACKUP_EVERY_MS && backup.at - now < BACKUP_EVERY_MS)
}

export function backUp(db: Database, { folder, now }: BackupPlace): string {
  privateDirectory(folder)
  const path = join(folder, nameAt(now))
  const temporary = `${path}.${process.pid}.tmp`
  try {
    privateFile(temporary)
    db.once('vacuum into ?').run(temporary)
    putInPlace(temporary, path)
  } catch (error) {
    remove(temporary)
    throw error
  }
  for (const old of backupsIn(folder).slice(KEEP)) remove(old.path)
  return path
}

function hasTasks(db: Database): boolean {
  return db.once('select 1 from task limit 1').get() !== undefined
}

/** fleet-20261130T142501.123Z.db */
function nameAt(now: Millis): string {
  return `fleet-${new Date(now).toISOString().replace(/[-:]/g, '')}.db`
}

function timeOf(name: string): Millis | undefined {
  const parts = /^fleet-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3})Z\.db$/.exec(name)
  if (parts === null) return undefined
  const [, year, month, day, hour, minute, second] = parts
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(at) ? undefined : at
}
