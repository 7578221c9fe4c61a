import { dirname, join } from 'node:path'
import { privateFile } from '../platform/files/files.ts'
import { namesIn, putInPlace, remove } from '../platform/files/folder.ts'
import { privateDirectory } from '../platform/files/home.ts'
import type { Database } from '../platform/sqlite/database.ts'
import type { Millis } from '../ports/clock.ts'

/**
 * Copies of the store, made by the commands themselves: one an hour while something changes, one before tasks are
 * deleted or overwritten, and one before a migration.
 */

const HOUR_MS = 3_600_000
const BACKUP_EVERY_MS = HOUR_MS
/** Deleting tasks one by one makes one backup, not one per task. */
const BEFORE_LOSS_EVERY_MS = 5 * 60_000
/** If a change is older than this and no backup followed it, backups are failing. */
export const STALE_BACKUP_MS = 2 * HOUR_MS
const KEEP_NEWEST = 24
const KEEP_DAYS = 7

export interface Backup {
  readonly path: string
  readonly at: Millis
}

export interface BackupPlace {
  readonly folder: string
  readonly now: Millis
}

/** Newest first. The time is in the name, so listing costs one readdir. */
export function backupsIn(folder: string): Backup[] {
  return namesIn(folder)
    .flatMap((name) => {
      const at = timeOf(name)
      return at === undefined ? [] : [{ path: join(folder, name), at }]
    })
    .sort((a, b) => b.at - a.at)
}

/** Call after a command that wrote. Never throws, because the command has already succeeded; `fleet doctor` reports missing backups. */
export function backUpHourly(db: Database, place: BackupPlace): void {
  backUpIfDue(db, place, BACKUP_EVERY_MS)
}

/** Before tasks are deleted or overwritten. */
export function backUpBeforeLoss(db: Database, place: BackupPlace): void {
  backUpIfDue(db, place, BEFORE_LOSS_EVERY_MS)
}

function backUpIfDue(db: Database, place: BackupPlace, every: Millis): void {
  try {
    // The open file is not the store of this home any more: its backups are of another.
    if (!db.isInPlace) return
    if (isDue(backupsIn(place.folder), place.now, every) && hasTasks(db)) backUp(db, place)
  } catch {
    // A full or read-only disk, or another process making the same backup.
  }
}

/** A backup dated in the future comes from a wrong clock and must not delay backups until then. */
function isDue(backups: readonly Backup[], now: Millis, every: Millis): boolean {
  return !backups.some((backup) => now - backup.at < every && backup.at - now < every)
}

/** The backups to delete: all but the newest ones and the last one of each recent day. Expects newest first. */
export function superfluous(backups: readonly Backup[]): Backup[] {
  const days = new Set<number>()
  return backups.filter((backup, i) => {
    const day = Math.floor(backup.at / (24 * HOUR_MS))
    const isLastOfDay = !days.has(day) && days.size < KEEP_DAYS
    if (isLastOfDay) days.add(day)
    return i >= KEEP_NEWEST && !isLastOfDay
  })
}

export function backUp(db: Database, { folder, now }: BackupPlace): string {
  const path = keepCopy(db, join(folder, nameAt(now)))
  for (const old of superfluous(backupsIn(folder))) remove(old.path)
  return path
}

/** Copies the store to this path. Pruning never deletes copies outside the backup naming scheme. */
export function keepCopy(db: Database, path: string): string {
  const folder = dirname(path)
  privateDirectory(folder, { below: dirname(folder) })
  const temporary = `${path}.${process.pid}.tmp`
  try {
    privateFile(temporary)
    db.once('vacuum into ?').run(temporary)
    putInPlace(temporary, path)
  } catch (error) {
    remove(temporary)
    throw error
  }
  return path
}

function hasTasks(db: Database): boolean {
  return db.once('select 1 from task limit 1').get() !== undefined
}

/** fleet-20261130T142501.123Z.db */
function nameAt(now: Millis): string {
  return `fleet-${new Date(now).toISOString().replace(/[-:]/g, '')}.db`
}

/** undefined: not a backup's name. */
export function timeOf(name: string): Millis | undefined {
  const parts = /^fleet-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3})Z\.db$/.exec(name)
  if (parts === null) return undefined
  const [, year, month, day, hour, minute, second] = parts
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(at) ? undefined : at
}
