import { dirname, isAbsolute, relative } from 'node:path'
import { type FoundFile, type Standing, standingOf } from '../domain/fleet/home-file.ts'
import { AppError } from '../errors.ts'
import { entryAt } from '../platform/files/folder.ts'
import { Home } from '../platform/files/home.ts'
import { readKeptFile } from '../platform/files/kept-file.ts'
import { foreignHint } from '../platform/files/owner.ts'
import { isSameConfig } from '../platform/git/user-config.ts'
import { HomeRecord } from '../platform/sqlite/home-record.ts'
import { lookInto } from '../platform/sqlite/look.ts'

/** The name of the configuration in the record of the home's files. */
export const CONFIG_FILE = 'runtime.toml'

/** One of the home's files as it stands. */
export interface Looked {
  /** Relative to the home. */
  readonly path: string
  readonly found: FoundFile
  readonly standing: Standing
  /** The content that counts: that of the file, or, if that is held, the one that a person left. */
  readonly inForce: FoundFile
}

/**
 * The text of runtime.toml that is in force; undefined: there is none, and everything is default. An edit made while agents
 * ran is not in force until a person accepts it. Every command asks, so it is one look at the file and one at the store.
 */
export function configTextInForce(path: string): string | undefined {
  return textOf(path, fileInForce(new Home(dirname(path)), path).inForce)
}

/** A file of the home as it stands. Only looks. */
export function fileInForce(home: Pick<Home, 'path' | 'store'>, file: string): Looked {
  const path = relative(home.path, file)
  if ((entryAt(home.store)?.size ?? 0) > 0) {
    try {
      return lookInto(home.store, (db) => lookedAt(home, path, new HomeRecord(db)))
    } catch (error) {
      // A store that cannot be read stops the command when it is opened.
      if (!(error instanceof AppError) && !isOlder(error)) throw error
    }
  }
  const found = readKeptFile(file)
  return { path, found, standing: 'new', inForce: found }
}

export function lookedAt(home: Pick<Home, 'path'>, path: string, record: HomeRecord): Looked {
  const found = readKeptFile(fileAt(home, path))
  const accepted = record.accepted(path)
  if ('text' in found && isSame(path, found.text, accepted)) return { path, found, standing: 'same', inForce: found }
  // Before the first look there is nothing to go back to.
  const first = isAbsolute(path) ? path : CONFIG_FILE
  const exposed = record.accepted(first) !== undefined && record.isExposed()
  const standing = standingOf({ accepted, found, exposed, pending: record.isPending(path) })
  return { path, found, standing, inForce: standing === 'held' ? { text: accepted ?? null } : found }
}

/** An absolute path names a file of the user's, outside of the home: configuration of git. */
export function fileAt(home: Pick<Home, 'path'>, path: string): string {
  return isAbsolute(path) ? path : `${home.path}/${path}`
}

function isSame(path: string, found: string | null, accepted: string | null | undefined): boolean {
  if (!isAbsolute(path) || found === null || typeof accepted !== 'string') return found === accepted
  return isSameConfig(found, accepted)
}

/** undefined: there is none that can be read. */
export function textOfFound(found: FoundFile): string | undefined {
  return 'text' in found ? (found.text ?? undefined) : undefined
}

/** A store of an older fleet has no record yet. */
export function isOlder(error: unknown): boolean {
  return error instanceof Error && /no such table/.test(error.message)
}

/** undefined: there is no file. Throws AppError if it is none that can be read. */
export function textOf(file: string, found: FoundFile): string | undefined {
  if ('text' in found) return found.text ?? undefined
  if (found.error !== undefined) throw found.error
  throw new AppError('config', `${file} ${found.problem}`, { hint: foreignHint(file) ?? 'fix it, or move it away' })
}
