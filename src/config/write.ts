import { AppError } from '../errors.ts'
import { linkTarget, writeFileAtomic } from '../platform/files/files.ts'
import { entryAt } from '../platform/files/folder.ts'
import type { Home } from '../platform/files/home.ts'
import { Database } from '../platform/sqlite/database.ts'
import { HomeRecord } from '../platform/sqlite/home-record.ts'
import { StoreError } from '../platform/sqlite/store-error.ts'
import { CONFIG_FILE, fileInForce, isOlder, textOf } from './in-force.ts'

export type ConfigHome = Pick<Home, 'path' | 'config' | 'store'>

/**
 * The text that a person's command changes. Refuses a file that was changed while agents ran: the command would take in that
 * change together with its own.
 */
export function configToEdit(home: ConfigHome): string | undefined {
  const { standing, inForce } = fileInForce(home, home.config)
  if (standing !== 'held') return textOf(home.config, inForce)
  throw new AppError('conflict', 'runtime.toml was changed while agents ran', {
    hint: 'nothing was changed; fleet config accept takes that change in, fleet config revert undoes it; then run it again',
  })
}

/** Writes the configuration for a person, who need not be asked about it again: one step for the file and the record. */
export function writeConfig(home: ConfigHome, text: string): void {
  const write = (): void => writeFileAtomic(linkTarget(home.config), text)
  if (!recorded(home, text, write)) write()
}

/** False: the store keeps no record, and nothing was written. */
function recorded(home: ConfigHome, text: string, write: () => void): boolean {
  if ((entryAt(home.store)?.size ?? 0) === 0) return false
  try {
    using db = new Database(home.store)
    const record = new HomeRecord(db)
    // Without a first look there is nothing to keep.
    if (record.accepted(CONFIG_FILE) === undefined) return false
    record.together(() => {
      record.accept(CONFIG_FILE, text)
      write()
    })
    return true
  } catch (error) {
    const isUnusable = error instanceof StoreError && error.trouble !== 'locked' && error.trouble !== 'full'
    if (isUnusable || isOlder(error)) return false
    throw error
  }
}
